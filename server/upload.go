package server

import (
	"io"
	"net/http"
	"time"
)

// upload is the body of a request, which has to keep coming and to come to its end.
type upload struct {
	io.ReadCloser
	control *http.ResponseController
	silence time.Duration // the longest between two parts
	end     time.Time     // of the whole
	ended   func()        // called once, at its end
}

// bound limits how long the body of a request may take, whether or not somebody reads it:
// the HTTP server reads what a handler has left. ended is called when all of it is there.
func (s *Server) bound(w http.ResponseWriter, r *http.Request, ended func()) *upload {
	u := &upload{
		ReadCloser: r.Body, control: http.NewResponseController(w),
		silence: s.limits.Silence, end: time.Now().Add(s.limits.Read), ended: ended,
	}
	if r.Body == nil || r.Body == http.NoBody {
		u.finish()
		return u
	}
	u.extend()
	r.Body = u
	return u
}

// extend gives the next part its time.
func (u *upload) extend() {
	next := time.Now().Add(u.silence)
	if next.After(u.end) {
		next = u.end
	}
	_ = u.control.SetReadDeadline(next) // a recorder has none
}

func (u *upload) finish() {
	if u.ended != nil {
		u.ended()
		u.ended = nil
	}
}

func (u *upload) Read(data []byte) (int, error) {
	if u.ended == nil {
		return u.ReadCloser.Read(data)
	}
	u.extend()
	n, err := u.ReadCloser.Read(data)
	if err == io.EOF {
		_ = u.control.SetReadDeadline(time.Time{}) // the answer may take longer
		u.finish()
	}
	return n, err
}

// leave is called when the request is answered: what is left of it is not waited for.
func (u *upload) leave() {
	if u.ended != nil {
		u.extend()
	}
}
