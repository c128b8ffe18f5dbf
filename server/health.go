package server

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/mahabo/mahabo/study"
)

// health remembers for a moment whether the store works: anybody may ask, and to find out it
// has to write.
type health struct {
	store study.Store

	mu      sync.Mutex
	checked time.Time
	err     error
}

const (
	healthAge   = time.Second
	healthLimit = 2 * time.Second
)

func (h *health) check(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.checked) > healthAge {
		h.err = h.look(context.WithoutCancel(ctx))
		h.checked = time.Now()
	}
	return h.err
}

// look reads and writes. A store that is busy with the writes of others is a healthy one.
func (h *health) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthLimit)
	defer cancel()
	if _, err := h.store.Find(ctx, ""); !errors.Is(err, study.ErrNotFound) { // no study has this name
		return err
	}
	if p, ok := h.store.(study.Prober); ok {
		if err := p.Probe(ctx); errors.Is(err, study.ErrUnavailable) {
			return err
		}
	}
	return nil
}

// serveHealth says whether the server can meet requests.
func (s *Server) serveHealth(w http.ResponseWriter, r *http.Request) {
	err, detail := s.health.check(r.Context()), ""
	switch {
	case s.closing.Err() != nil:
		err, detail = errClosing, errClosing.Error()
	case err != nil:
		detail = reason(err)
	}
	if err != nil {
		s.log.WarnContext(r.Context(), "not healthy", "error", err)
		writeProblem(w, http.StatusServiceUnavailable, detail)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"ok"}` + "\n"))
}
