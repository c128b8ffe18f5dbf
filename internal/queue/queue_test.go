package queue_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mahabo/mahabo/internal/queue"
	"github.com/nats-io/nats.go"
)

// embed runs a broker until the end of the test.
func embed(t *testing.T, o queue.EmbedOptions) (*queue.Broker, string) {
	t.Helper()
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	b, url, err := queue.Embed(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b, url
}

func join(t *testing.T, o queue.WorkerOptions) *queue.Worker {
	t.Helper()
	if o.Lease == 0 {
		o.Lease = time.Minute
	}
	w, err := queue.NewWorker(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func offer(t *testing.T, b *queue.Broker, study string, numbers ...int) {
	t.Helper()
	if err := b.Offer(t.Context(), study, numbers...); err != nil {
		t.Fatal(err)
	}
}

func offered(t *testing.T, b *queue.Broker, study string, want ...int) {
	t.Helper()
	got, err := b.Offered(t.Context(), study)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("offered are %v, %v, want %v", got, err, want)
	}
}

// pull takes a trial, which has to come.
func pull(t *testing.T, w *queue.Worker, number int) *queue.Delivery {
	t.Helper()
	d, err := w.Pull(t.Context())
	if err != nil || d == nil {
		t.Fatalf("pulling gave %v, %v", d, err)
	}
	if d.Number() != number {
		t.Fatalf("pulling gave trial %d, want %d", d.Number(), number)
	}
	return d
}

func TestOfferPullDone(t *testing.T) {
	b, url := embed(t, queue.EmbedOptions{})
	offer(t, b, "rig", 1, 2)
	offer(t, b, "rig", 2, 3) // one that is there stays as it is
	offer(t, b, "other.Ω", 7)
	offered(t, b, "rig", 1, 2, 3)

	w := join(t, queue.WorkerOptions{URL: url, Study: "rig"})
	d := pull(t, w, 1)
	offered(t, b, "rig", 1, 2, 3) // with a worker
	offer(t, b, "rig", 1)
	if err := d.Done(t.Context()); err != nil {
		t.Fatal(err)
	}
	offered(t, b, "rig", 2, 3)

	two := pull(t, w, 2)
	if err := two.Return(); err != nil {
		t.Fatal(err)
	}
	var numbers []int // what was returned comes again, before or after the next one
	for range 2 {
		d, err := w.Pull(t.Context())
		if err != nil || d == nil {
			t.Fatalf("pulling gave %v, %v", d, err)
		}
		numbers = append(numbers, d.Number())
		if err := d.Done(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(numbers)
	if !slices.Equal(numbers, []int{2, 3}) {
		t.Errorf("pulling gave trials %v, want 2 and 3", numbers)
	}
	offered(t, b, "rig")
	if err := pull(t, join(t, queue.WorkerOptions{URL: url, Study: "other.Ω"}), 7).Done(t.Context()); err != nil {
		t.Fatal(err)
	}
	offer(t, b, "rig", 1) // a trial that is tried again
	pull(t, w, 1)
}

func TestSilenceGivesATrialToAnother(t *testing.T) {
	b, url := embed(t, queue.EmbedOptions{})
	offer(t, b, "rig", 1)
	const lease = 1500 * time.Millisecond
	dead := join(t, queue.WorkerOptions{URL: url, Study: "rig", Lease: lease})
	d := pull(t, dead, 1)
	if d.Silence() != lease {
		t.Errorf("the silence is %s", d.Silence())
	}
	other := join(t, queue.WorkerOptions{URL: url, Study: "rig"})
	for range 4 { // longer than the lease
		time.Sleep(lease / 3)
		if err := d.Keep(); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	pull(t, other, 1)
	if wait := time.Since(start); wait < lease/2 {
		t.Errorf("the trial went to another after %s, in spite of a heartbeat", wait)
	}
}

func TestDemand(t *testing.T) {
	b, url := embed(t, queue.EmbedOptions{})
	if n, err := b.Wanted(t.Context(), "rig"); n != 0 || err != nil {
		t.Errorf("nobody waits, wanted are %d, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w, err := queue.NewWorker(queue.WorkerOptions{URL: url, Study: "rig", Lease: time.Minute, Evals: 9})
		if err != nil {
			t.Error(err)
			return
		}
		defer w.Close()
		_, _ = w.Pull(ctx) // until it is cancelled
	}()
	select {
	case d := <-b.Demands():
		if d.Study != "rig" || d.Evals != 9 {
			t.Errorf("the demand is %+v", d)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("a worker waits, and nobody hears it")
	}
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		n, err := b.Wanted(t.Context(), "rig")
		if err != nil {
			t.Fatal(err)
		}
		if n == 1 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("wanted are %d, one worker waits", n)
		}
	}
	cancel()
	<-ended
}

func TestRestartKeepsWhatIsOffered(t *testing.T) {
	dir := t.TempDir()
	b, url := embed(t, queue.EmbedOptions{Dir: dir})
	offer(t, b, "rig", 1, 2)
	w := join(t, queue.WorkerOptions{URL: url, Study: "rig"})
	d := pull(t, w, 1)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b, _ = embed(t, queue.EmbedOptions{Dir: dir, Addr: strings.TrimPrefix(url, "nats://")})
	offered(t, b, "rig", 1, 2)
	two := pullLater(t, w) // the first one is still with its worker
	if two.Number() != 2 {
		t.Errorf("after the restart the next is trial %d", two.Number())
	}
	if err := d.Done(t.Context()); err != nil {
		t.Fatal(err)
	}
	offered(t, b, "rig", 2)
}

// pullLater takes a trial as soon as the broker is back.
func pullLater(t *testing.T, w *queue.Worker) *queue.Delivery {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if d, err := w.Pull(t.Context()); err == nil && d != nil {
			return d
		}
	}
	t.Fatal("no trial came")
	return nil
}

func TestTokens(t *testing.T) {
	studies := map[string]string{"a": "rig", "all": "*"}
	b, url := embed(t, queue.EmbedOptions{Allow: func(token string) (string, bool) {
		study, ok := studies[token]
		return study, ok
	}})
	offer(t, b, "rig", 1)
	offer(t, b, "other", 2)
	for _, wrong := range []string{"", "b"} {
		if _, err := queue.NewWorker(queue.WorkerOptions{URL: url, Token: wrong, Study: "rig"}); err == nil || !strings.Contains(err.Error(), "Authorization") {
			t.Errorf("token %q: %v", wrong, err)
		}
	}
	pull(t, join(t, queue.WorkerOptions{URL: url, Token: "a", Study: "rig"}), 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if d, err := join(t, queue.WorkerOptions{URL: url, Token: "a", Study: "other"}).Pull(ctx); err == nil || d != nil {
		t.Errorf("a token of another study got %v, %v", d, err)
	}
	pull(t, join(t, queue.WorkerOptions{URL: url, Token: "all", Study: "other"}), 2)
}

func TestTLS(t *testing.T) {
	web := httptest.NewTLSServer(nil) // for its certificate
	defer web.Close()
	b, url := embed(t, queue.EmbedOptions{TLS: &tls.Config{MinVersion: tls.VersionTLS12, Certificates: web.TLS.Certificates}})
	offer(t, b, "rig", 1)
	if !strings.HasPrefix(url, "tls://") {
		t.Errorf("the URL is %s", url)
	}
	if _, err := queue.NewWorker(queue.WorkerOptions{URL: url, Study: "rig"}); err == nil {
		t.Error("a certificate that nobody trusts is trusted")
	}
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
	trust := nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots})
	pull(t, join(t, queue.WorkerOptions{URL: url, Study: "rig", NATS: []nats.Option{trust}}), 1)
}

func TestEmbedRefuses(t *testing.T) {
	for _, addr := range []string{"localhost", "localhost:nats", "127.0.0.1:-1"} {
		if _, _, err := queue.Embed(t.Context(), queue.EmbedOptions{Addr: addr, Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "HOST:PORT") {
			t.Errorf("address %q: %v", addr, err)
		}
	}
	if _, err := queue.Connect(t.Context(), "nats://user:secret@127.0.0.1:1"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a broker that is not there: %v", err)
	}
}

// waiting returns when a worker waits for a trial of a study.
func waiting(t *testing.T, b *queue.Broker, study string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		n, err := b.Wanted(t.Context(), study)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("no worker waits")
		}
	}
}

// A pull that is cancelled says so, and whatever comes for it goes to another at once, though
// the lease is a minute.
func TestCancelledPull(t *testing.T) {
	b, url := embed(t, queue.EmbedOptions{})
	first := join(t, queue.WorkerOptions{URL: url, Study: "rig"})
	second := join(t, queue.WorkerOptions{URL: url, Study: "rig"})
	for number := 1; number <= 40; number++ {
		ctx, cancel := context.WithCancel(t.Context())
		pulled := make(chan *queue.Delivery, 1)
		go func() {
			d, err := first.Pull(ctx)
			if d == nil && !errors.Is(err, context.Canceled) {
				t.Errorf("a cancelled pull gave %v, %v", d, err)
			}
			pulled <- d
		}()
		waiting(t, b, "rig")
		go cancel()
		offer(t, b, "rig", number)
		d := <-pulled
		cancel()
		if d == nil {
			d = pull(t, second, number)
		}
		if err := d.Done(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// guests are tokens that can be taken away.
type guests struct {
	mu      sync.Mutex
	studies map[string]string
}

func (g *guests) allow(token string) (string, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	study, ok := g.studies[token]
	return study, ok
}

func (g *guests) revoke(token string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.studies, token)
}

// A token that is revoked loses the connection that it has, and its worker hears why.
func TestRevokedTokenIsCut(t *testing.T) {
	g := &guests{studies: map[string]string{"a": "rig", "b": "rig"}}
	b, url := embed(t, queue.EmbedOptions{Allow: g.allow})
	offer(t, b, "rig", 1)
	cut, stays := join(t, queue.WorkerOptions{URL: url, Token: "a", Study: "rig"}), join(t, queue.WorkerOptions{URL: url, Token: "b", Study: "rig"})
	pull(t, cut, 1)
	g.revoke("a")
	for end := time.Now().Add(15 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := cut.Pull(ctx)
		cancel()
		if errors.Is(err, queue.ErrRefused) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("a revoked token still works: %v", err)
		}
	}
	offer(t, b, "rig", 2) // not sooner: what a worker holds while it is cut waits for the lease
	pull(t, stays, 2)
}

// What is meant for one token cannot be read with another.
func TestInboxesArePrivate(t *testing.T) {
	g := &guests{studies: map[string]string{"a": "rig", "b": "other", "all": "*"}}
	_, url := embed(t, queue.EmbedOptions{Allow: g.allow})
	for token := range g.studies {
		refused := make(chan error, 8)
		conn, err := nats.Connect(url, nats.Token(token), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for _, subject := range []string{"_INBOX.>", "_INBOX.*.>", "_INBOX.*", "_INBOX.x.*", ">"} {
			if _, err := conn.SubscribeSync(subject); err != nil {
				t.Fatal(err)
			}
			if err := conn.Flush(); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-refused:
				if !errors.Is(err, nats.ErrPermissionViolation) {
					t.Errorf("token %s: subscribing to %s gave %v", token, subject, err)
				}
			case <-time.After(5 * time.Second):
				t.Errorf("token %s may subscribe to %s", token, subject)
			}
		}
	}
}

// A worker that starts before its broker waits for it.
func TestWorkerBeforeItsBroker(t *testing.T) {
	b, url := embed(t, queue.EmbedOptions{})
	if err := b.Close(); err != nil { // so that the address is free
		t.Fatal(err)
	}
	joined := make(chan error, 1)
	go func() {
		w, err := queue.NewWorker(queue.WorkerOptions{URL: url, Study: "rig", Lease: time.Minute})
		if err == nil {
			w.Close()
		}
		joined <- err
	}()
	select {
	case err := <-joined:
		t.Fatalf("without a broker: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	embed(t, queue.EmbedOptions{Addr: strings.TrimPrefix(url, "nats://")})
	if err := <-joined; err != nil {
		t.Error(err)
	}
}
