package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

func itoa(i int) string { return strconv.Itoa(i) }

func unwrap(ctx huma.Context) (*http.Request, http.ResponseWriter) { return humago.Unwrap(ctx) }

type requestKey struct{}

// requestID names a request in the log.
func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// protect surrounds the routes with what holds for all of them.
func (s *Server) protect(routes http.Handler) http.Handler {
	h := s.measure(routes)
	h = http.NewCrossOriginProtection().Handler(h)
	h = s.limit(h)
	h = s.checkHost(h)
	h = secureHeaders(h)
	return s.observe(h)
}

// writeProblem answers outside of an operation.
func writeProblem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(problem(status, "", detail)) // the client is gone
}

// secureHeaders tells browsers to run what comes from here only.
func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		if r.TLS != nil {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			h.Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r)
	})
}

// checkHost refuses names that are not ours on a server without tokens: a page on
// another site could have its own name resolve to this machine and read.
func (s *Server) checkHost(next http.Handler) http.Handler {
	if s.hostnames == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Host
		if host, _, err := net.SplitHostPort(r.Host); err == nil {
			name = host
		}
		name = strings.Trim(name, "[]")
		if ip := net.ParseIP(name); (ip == nil || !ip.IsLoopback()) && !slices.Contains(s.hostnames, strings.ToLower(name)) {
			writeProblem(w, http.StatusMisdirectedRequest, fmt.Sprintf("this server does not answer to the name %q: use localhost, or tokens", name))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// limit bounds how many requests are under way, how long one may take to come, and how long
// its answer may take to be written; streams extend that themselves. Requests of strangers
// have places of their own: however many there are, who is known is served.
func (s *Server) limit(next http.Handler) http.Handler {
	known, strange := make(chan struct{}, s.limits.Concurrent), make(chan struct{}, s.limits.Strangers)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, isKnown := s.identify(r)
		if isKnown && s.tokens != nil { // the token is enough; without tokens a whole request is
			s.visitors.heard(r.Context(), true)
		}
		in := s.bound(w, r, func() { s.visitors.heard(r.Context(), isKnown) })
		defer in.leave()
		slots := known
		if !isKnown {
			slots = strange
		}
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			w.Header().Set("Retry-After", "1")
			writeProblem(w, http.StatusServiceUnavailable, fmt.Sprintf("%d requests are under way: try again", cap(slots)))
			return
		}
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.limits.Answer)) // a recorder has none
		next.ServeHTTP(w, r)
	})
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *statusWriter) Write(data []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.ResponseWriter.Write(data)
}

// observe logs requests and turns a panic into an answer.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := strings.ToLower(rand.Text()[:12])
		w.Header().Set("X-Request-Id", id)
		sw := &statusWriter{ResponseWriter: w}
		r = r.WithContext(context.WithValue(r.Context(), requestKey{}, id))
		defer func() {
			cut := recover()
			aborted := cut == any(http.ErrAbortHandler)
			if cut != nil && !aborted {
				s.log.ErrorContext(r.Context(), "panic", "request", id, "panic", cut, "stack", string(debug.Stack()))
				writeProblem(sw, http.StatusInternalServerError, "something failed in the server; its log says more at request "+id)
			}
			level := slog.LevelDebug
			if sw.status >= 500 {
				level = slog.LevelError
			} else if sw.status >= 400 {
				level = slog.LevelInfo
			}
			s.log.LogAttrs(r.Context(), level, "request", slog.String("request", id), slog.String("method", r.Method),
				slog.String("path", r.URL.Path), slog.Int("status", sw.status), slog.Duration("time", time.Since(start)), slog.String("from", r.RemoteAddr))
			if aborted {
				panic(cut)
			}
		}()
		next.ServeHTTP(sw, r)
	})
}
