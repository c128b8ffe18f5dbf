package server

import (
	"context"
	"errors"
	"sync"

	"github.com/mahabo/mahabo/study"
)

// errClosing is what requests get that a server can no longer meet.
var errClosing = errors.New("the server is shutting down: try again")

// host is a study that this process has open. It keeps the ledger in memory and
// the method's model warm.
type host struct {
	*study.Study
	name string
	desk *desk
	bell *bell
}

// hosts are the open studies by name.
type hosts struct {
	store study.Store
	start func(*study.Study, *bell) *desk

	forget func(*host) // what is kept of it elsewhere

	mu     sync.Mutex
	open   map[string]*host
	closed bool
}

// get returns a study, which it opens on first use.
func (hs *hosts) get(ctx context.Context, name string) (*host, error) {
	hs.mu.Lock()
	h := hs.open[name]
	hs.mu.Unlock()
	if h != nil {
		return h, nil
	}
	s, err := study.Open(ctx, hs.store, name) // without the lock: a long log takes time
	if err != nil {
		return nil, err
	}
	return hs.add(name, s)
}

// add takes over a study, unless another request was faster.
func (hs *hosts) add(name string, s *study.Study) (*host, error) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if hs.closed {
		return nil, errClosing
	}
	if h := hs.open[name]; h != nil {
		return h, nil
	}
	h := &host{Study: s, name: name, bell: newBell()}
	h.desk = hs.start(s, h.bell)
	hs.open[name] = h
	return h, nil
}

// drop forgets a study that is gone from the store.
func (hs *hosts) drop(h *host) {
	hs.mu.Lock()
	if hs.open[h.name] == h {
		delete(hs.open, h.name)
	}
	hs.mu.Unlock()
	h.desk.close()
	hs.forget(h)
	h.bell.ring() // streams of events find that the study is gone
}

// close stops all thinking and waits for it.
func (hs *hosts) close() {
	hs.mu.Lock()
	hs.closed = true
	open := hs.open
	hs.open = map[string]*host{}
	hs.mu.Unlock()
	for _, h := range open {
		h.desk.close()
	}
}

// with runs f on a study. A study that was deleted, and perhaps made again, behind
// our back is looked up once more.
func (s *Server) with(ctx context.Context, name string, f func(*host) error) error {
	h, err := s.hosts.get(ctx, name)
	if err == nil {
		err = f(h)
		if errors.Is(err, study.ErrNotFound) || errors.Is(err, errClosing) {
			s.hosts.drop(h)
			if h, err = s.hosts.get(ctx, name); err == nil {
				err = f(h)
			}
		}
	}
	return s.explain(ctx, err)
}

// change runs f, which may write, and wakes those who watch the study.
func (s *Server) change(ctx context.Context, name string, f func(*host) error) error {
	return s.with(ctx, name, func(h *host) error {
		err := f(h)
		if err == nil {
			h.bell.ring()
		}
		return err
	})
}

// bell wakes everyone who waits for it.
type bell struct {
	mu   sync.Mutex
	next chan struct{}
}

func newBell() *bell { return &bell{next: make(chan struct{})} }

func (b *bell) ring() {
	b.mu.Lock()
	close(b.next)
	b.next = make(chan struct{})
	b.mu.Unlock()
}

// rung is closed by the next ring.
func (b *bell) rung() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next
}

// count is how many studies are open.
func (hs *hosts) count() float64 {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	return float64(len(hs.open))
}
