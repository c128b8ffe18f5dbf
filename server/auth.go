package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/internal/token"
)

// cookieName is the cookie in which a browser keeps a token.
const cookieName = "mahabo_token"

// caller is who makes a request.
type caller struct {
	open  bool // the server has no tokens: everyone may do everything
	token token.Token
}

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller) // none may do nothing
	return c
}

// granted says whether the caller may act on a study.
func granted(ctx context.Context, study string, role token.Role) bool {
	c := callerOf(ctx)
	return c.open || c.token.Allows(study, role)
}

// forbidden is the answer to a caller whose token is not enough. It does not tell
// whether there is such a study.
func forbidden(ctx context.Context, study string, role token.Role) error {
	return problem(http.StatusForbidden, "", fmt.Sprintf("token %s may not %s study %q: it needs the role %s there",
		callerOf(ctx).token.ID, role, study, role))
}

// credentials returns the text of a token that came with a request.
func credentials(r *http.Request) string {
	if scheme, text, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(text)
	}
	if cookie, err := r.Cookie(cookieName); err == nil {
		return cookie.Value
	}
	return ""
}

// identify finds out who makes a request; ok is false when the server wants a
// token and the request has none that counts.
func (s *Server) identify(r *http.Request) (c caller, ok bool) {
	if s.tokens == nil {
		return caller{open: true}, true
	}
	t, ok, err := s.tokens.Find(credentials(r))
	if err != nil {
		s.log.ErrorContext(r.Context(), "the tokens cannot be read", "error", err)
	}
	return caller{token: t}, ok
}

// roleKey is where an operation says which role it needs.
const roleKey = "role"

// operation describes an operation of the API. Without a role everyone may use it.
func operation(method, path, id, summary string, role token.Role, errors ...int) huma.Operation {
	op := huma.Operation{Method: method, Path: path, OperationID: id, Summary: summary, Errors: errors}
	op.Errors = append(op.Errors, http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusServiceUnavailable)
	if method == http.MethodPost {
		op.BodyReadTimeout = -1 // Limits hold for all routes
		op.Errors = append(op.Errors, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusRequestTimeout)
	}
	if role != "" {
		op.Metadata = map[string]any{roleKey: role}
		op.Security = []map[string][]string{{"token": {}}}
		op.Description = fmt.Sprintf("Needs the role %s.", role)
		op.Errors = append(op.Errors, http.StatusUnauthorized, http.StatusForbidden)
	}
	return op
}

// unidentified says why a request has no caller.
func unidentified(r *http.Request) string {
	if r.Header.Get("Authorization") != "" {
		return "this token is not known, has ended or was revoked: ask for another"
	}
	return "this server needs a token: send it as Authorization: Bearer TOKEN"
}

// authorise lets a request through to its operation, before its body is read, when
// the caller has the role that the operation needs on the study in the path. An
// operation without a study in its path asks for itself.
func (s *Server) authorise(api huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		role, limited := ctx.Operation().Metadata[roleKey].(token.Role)
		if !limited {
			next(ctx)
			return
		}
		r, _ := unwrap(ctx)
		c, ok := s.identify(r)
		if !ok {
			ctx.SetHeader("WWW-Authenticate", `Bearer realm="mahabo"`)
			_ = huma.WriteErr(api, ctx, http.StatusUnauthorized, unidentified(r))
			return
		}
		ctx = huma.WithValue(ctx, callerKey{}, c)
		if name := ctx.Param("study"); name != "" && !granted(ctx.Context(), name, role) {
			_ = huma.WriteErr(api, ctx, http.StatusForbidden, forbidden(ctx.Context(), name, role).Error())
			return
		}
		next(ctx)
	}
}

// session is how a browser logs in: the token goes into a cookie that scripts
// cannot read and that no other site makes the browser send.
type sessionInput struct {
	Body struct {
		Token string `json:"token" maxLength:"200"`
	}
}

type sessionAnswer struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
	Body      sessionShape
}

// sessionShape is what a token permits.
type sessionShape struct {
	Role  string `json:"role" enum:"read,write,admin"`
	Study string `json:"study" doc:"A name, PREFIX* for all that begin so, or * for all."`
	Name  string `json:"name"`
}

func (s *Server) registerSession(api huma.API) {
	huma.Register(api, operation(http.MethodPost, "/v1/session", "log-in", "Keep a token in a cookie, for browsers", "", http.StatusUnauthorized), s.logIn)
	out := operation(http.MethodDelete, "/v1/session", "log-out", "Forget the token in the cookie", "")
	out.DefaultStatus = http.StatusNoContent
	huma.Register(api, out, s.logOut)
	huma.Register(api, operation(http.MethodGet, "/v1/session", "session", "Show what the caller may do", token.Read), s.session)
}

func shapeSession(c caller) sessionShape {
	if c.open {
		return sessionShape{Role: string(token.Admin), Study: "*"}
	}
	return sessionShape{Role: string(c.token.Role), Study: c.token.Study, Name: c.token.Name}
}

func (s *Server) session(ctx context.Context, _ *struct{}) (*body[sessionShape], error) {
	return &body[sessionShape]{shapeSession(callerOf(ctx))}, nil
}

func (s *Server) logIn(ctx context.Context, in *sessionInput) (*sessionAnswer, error) {
	c := caller{open: true}
	if s.tokens != nil {
		t, ok, err := s.tokens.Find(in.Body.Token)
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		if !ok {
			return nil, problem(http.StatusUnauthorized, "", "this token is not known, or was revoked")
		}
		c = caller{token: t}
	}
	return &sessionAnswer{s.cookie(in.Body.Token, c.token), shapeSession(c)}, nil
}

// cookie keeps a token as long as it is valid and the browser is open.
func (s *Server) cookie(text string, t token.Token) http.Cookie {
	return http.Cookie{
		Name: cookieName, Value: text, Path: "/", Expires: t.Expires,
		HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteStrictMode,
	}
}

type logOutAnswer struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
}

func (s *Server) logOut(context.Context, *struct{}) (*logOutAnswer, error) {
	c := s.cookie("", token.Token{})
	c.MaxAge = -1
	return &logOutAnswer{c}, nil
}
