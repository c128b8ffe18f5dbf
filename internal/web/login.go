package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// cookieName is the cookie in which the API has browsers keep a token.
const cookieName = "mahabo_token"

// session is what the caller may do.
type session struct {
	Role  string
	Study string
	Name  string
	// Cookie says that the token came from the login form.
	Cookie bool `json:"-"`
}

// Writes says whether the caller may change studies.
func (s *session) Writes() bool { return s != nil && (s.Role == "write" || s.Role == "admin") }

// Admin says whether the caller may create and delete studies.
func (s *session) Admin() bool { return s != nil && s.Role == "admin" }

func (d *dashboard) session(r *http.Request) (*session, error) {
	s := &session{}
	if err := d.get(r, "/v1/session", nil, s); err != nil {
		return nil, err
	}
	_, err := r.Cookie(cookieName)
	s.Cookie = err == nil
	return s, nil
}

// login is the form for a token.
type login struct {
	Next  string
	Error string
}

func (d *dashboard) loginForm(w http.ResponseWriter, r *http.Request) {
	d.show(w, http.StatusOK, "login", page{"Log in", nil, login{Next: local(r.URL.Query().Get("next"))}})
}

// local keeps a target on this server.
func local(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsFunc(next, func(c rune) bool { return c < ' ' || c == '\\' || c == 0x7f }) {
		return "/"
	}
	return next
}

// logIn hands the token to the API, which answers with a cookie that scripts cannot
// read.
func (d *dashboard) logIn(w http.ResponseWriter, r *http.Request) {
	if err := read(r); err != nil {
		d.fail(w, r, err)
		return
	}
	text := strings.TrimSpace(r.PostFormValue("token"))
	next := local(r.PostFormValue("next"))
	data, err := json.Marshal(map[string]string{"token": text})
	if err == nil {
		var a *answer
		a, err = d.send(r, request{method: http.MethodPost, path: "/v1/session", kind: "application/json", body: bytes.NewReader(data)})
		if err == nil {
			w.Header()["Set-Cookie"] = a.header["Set-Cookie"]
			http.Redirect(w, r, next, http.StatusSeeOther)
			return
		}
	}
	d.show(w, http.StatusUnprocessableEntity, "login", page{"Log in", nil, login{Next: next, Error: err.Error()}})
}

func (d *dashboard) logOut(w http.ResponseWriter, r *http.Request) {
	a, err := d.send(r, request{method: http.MethodDelete, path: "/v1/session"})
	if err != nil {
		d.fail(w, r, err)
		return
	}
	w.Header()["Set-Cookie"] = a.header["Set-Cookie"]
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}
