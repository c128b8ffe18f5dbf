package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

// errClosing is what requests get that a server can no longer meet.
var errClosing = errors.New("the server is shutting down: try again")

// host is a study that this process has open. It keeps the ledger in memory and
// the method's model warm.
type host struct {
	*study.Study
	name     string
	chooser  *chooser
	notifier *notifier

	users int       // requests and streams that have it; hosts.mu guards both
	used  time.Time // when the last of them left
}

// hosts are the open studies by name.
type hosts struct {
	store   study.Store
	methods *strategy.Registry
	start   func(*study.Study, *notifier) *chooser

	forget func(*host) // what is kept of it elsewhere

	mu      sync.Mutex
	open    map[string]*host
	opening map[string]chan struct{} // closed when a study is open, or cannot be opened
	closed  bool
}

// enter returns a study, which it opens on first use, and keeps it open until leave.
func (hs *hosts) enter(ctx context.Context, name string) (*host, error) {
	for {
		h, wait := hs.find(name)
		if h != nil {
			return h, nil
		}
		if wait == nil {
			return hs.read(ctx, name)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// find enters a study that is open, or returns what to wait for: another request opens it.
// When there is neither, the caller has to read it.
func (hs *hosts) find(name string) (*host, <-chan struct{}) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if h := hs.open[name]; h != nil {
		h.users++
		return h, nil
	}
	if wait, ok := hs.opening[name]; ok {
		return nil, wait
	}
	hs.opening[name] = make(chan struct{})
	return nil, nil
}

// read opens a study, without the lock, for a long log takes time, and enters it.
func (hs *hosts) read(ctx context.Context, name string) (*host, error) {
	defer func() {
		hs.mu.Lock()
		defer hs.mu.Unlock()
		close(hs.opening[name])
		delete(hs.opening, name)
	}()
	s, err := study.Open(ctx, hs.store, name, study.WithMethods(hs.methods))
	if err != nil {
		return nil, err
	}
	return hs.add(name, s)
}

// stay keeps a study open for one more user, until leave.
func (hs *hosts) stay(h *host) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h.users++
}

func (hs *hosts) leave(h *host) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h.users--
	h.used = time.Now()
}

// sweep closes the studies that nobody has used for some time. Who comes later opens them
// again.
func (hs *hosts) sweep(idle time.Duration) {
	var closed []*host
	hs.mu.Lock()
	for name, h := range hs.open {
		if h.users == 0 && time.Since(h.used) >= idle {
			delete(hs.open, name)
			closed = append(closed, h)
		}
	}
	hs.mu.Unlock()
	for _, h := range closed {
		h.chooser.close()
		hs.forget(h)
	}
}

// sweepUntil sweeps now and then.
func (hs *hosts) sweepUntil(done <-chan struct{}, idle time.Duration) {
	tick := time.NewTicker(idle / 4)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			hs.sweep(idle)
		}
	}
}

// add takes over a study, unless another request was faster, and enters it. An older one of
// its name was deleted behind our back.
func (hs *hosts) add(name string, s *study.Study) (*host, error) {
	hs.mu.Lock()
	old := hs.open[name]
	hs.mu.Unlock()
	if old != nil && !old.Is(s) {
		hs.drop(old)
	}
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if hs.closed {
		return nil, errClosing
	}
	if h := hs.open[name]; h != nil {
		h.users++
		return h, nil
	}
	h := &host{Study: s, name: name, notifier: newNotifier(), users: 1}
	h.chooser = hs.start(s, h.notifier)
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
	h.chooser.close()
	hs.forget(h)
	h.notifier.ring() // streams of events find that the study is gone
}

// close stops all choosing and waits for it.
func (hs *hosts) close() {
	hs.mu.Lock()
	hs.closed = true
	open := hs.open
	hs.open = map[string]*host{}
	hs.mu.Unlock()
	for _, h := range open {
		h.chooser.close()
	}
}

// with runs f on a study. A study that was deleted, and perhaps made again, behind
// our back is looked up once more.
func (s *Server) with(ctx context.Context, name string, f func(*host) error) error {
	h, err := s.once(ctx, name, f)
	if h != nil && (errors.Is(err, study.ErrNotFound) || errors.Is(err, errClosing)) {
		s.hosts.drop(h)
		_, err = s.once(ctx, name, f)
	}
	return s.explain(ctx, err)
}

// once runs f on a study, which it returns if there is one.
func (s *Server) once(ctx context.Context, name string, f func(*host) error) (*host, error) {
	h, err := s.hosts.enter(ctx, name)
	if err != nil {
		return nil, err
	}
	defer s.hosts.leave(h)
	return h, f(h)
}

// change runs f, which may write, and wakes those who watch the study.
func (s *Server) change(ctx context.Context, name string, f func(*host) error) error {
	return s.with(ctx, name, func(h *host) error {
		err := f(h)
		if err == nil {
			h.notifier.ring()
		}
		return err
	})
}

// notifier wakes everyone who waits for it.
type notifier struct {
	mu   sync.Mutex
	next chan struct{}
}

func newNotifier() *notifier { return &notifier{next: make(chan struct{})} }

func (b *notifier) ring() {
	b.mu.Lock()
	close(b.next)
	b.next = make(chan struct{})
	b.mu.Unlock()
}

// rung is closed by the next ring.
func (b *notifier) rung() <-chan struct{} {
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
