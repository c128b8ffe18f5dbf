package queue_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mahabo/mahabo/internal/queue"
	"github.com/nats-io/nats.go"
)

// tasksOn offers tasks on a broker and starts a worker there.
func tasksOn(t *testing.T, o queue.TasksOptions, theirs string, do func(context.Context, []byte) ([]byte, error)) *queue.Tasks {
	t.Helper()
	tasks, err := queue.OfferTasks(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tasks.Close)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	o.Version = theirs
	go func() {
		ended <- queue.Work(ctx, queue.WorkOptions{TasksOptions: o, Slots: 2, Log: slog.New(slog.DiscardHandler), Do: do})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return tasks
}

func TestTasks(t *testing.T) {
	_, url := embed(t, queue.EmbedOptions{})
	tasks := tasksOn(t, queue.TasksOptions{URL: url, Version: "1", Silence: 600 * time.Millisecond}, "1", func(_ context.Context, data []byte) ([]byte, error) {
		switch string(data) {
		case `"bad"`:
			return nil, errors.New("it is bad")
		case `"long"`: // longer than the silence that is allowed, but not silent
			time.Sleep(1500 * time.Millisecond)
		case `"huge"`:
			return fmt.Appendf(nil, "%q", strings.Repeat("x", 2<<20)), nil
		}
		return append(append([]byte("["), data...), ']'), nil
	})
	for _, c := range []struct{ data, want, err string }{
		{`1`, `[1]`, ""}, {`"long"`, `["long"]`, ""}, {`"bad"`, "", "it is bad"}, {`"huge"`, "", "more than the broker takes"},
	} {
		got, err := tasks.Do(t.Context(), []byte(c.data))
		if string(got) != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s gave %s, %v", c.data, got, err)
		}
	}
}

// A task goes to nobody of another version, and is forgotten when nobody waits for it.
func TestTasksOfAnotherVersion(t *testing.T) {
	_, url := embed(t, queue.EmbedOptions{})
	tasks := tasksOn(t, queue.TasksOptions{URL: url, Version: "1"}, "2", func(context.Context, []byte) ([]byte, error) {
		t.Error("it was done")
		return nil, nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := tasks.Do(ctx, []byte("1")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it gave %v", err)
	}
}

// A worker stops when nobody waits for its result any more.
func TestTasksAreGivenUp(t *testing.T) {
	_, url := embed(t, queue.EmbedOptions{})
	calls, stopped := atomic.Int32{}, make(chan struct{}, 2)
	tasks := tasksOn(t, queue.TasksOptions{URL: url, Version: "1", Silence: 300 * time.Millisecond}, "1", func(ctx context.Context, _ []byte) ([]byte, error) {
		calls.Add(1)
		<-ctx.Done()
		stopped <- struct{}{}
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := tasks.Do(ctx, []byte("1"))
		done <- err
	}()
	for calls.Load() == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("it gave %v", err)
	}
	select {
	case <-stopped:
	case <-time.After(10 * time.Second):
		t.Error("the worker goes on with what nobody waits for")
	}
}

func TestTasksNeedAToken(t *testing.T) {
	_, url := embed(t, queue.EmbedOptions{Allow: func(token string) (string, bool) {
		return map[string]string{"all": "*", "one": "rig"}[token], token != ""
	}})
	if _, err := queue.OfferTasks(queue.TasksOptions{URL: url, Token: "one"}); err == nil {
		t.Error("a token for one study offers tasks")
	}
	tasks := tasksOn(t, queue.TasksOptions{URL: url, Token: "all"}, "", func(_ context.Context, data []byte) ([]byte, error) { return data, nil })
	if got, err := tasks.Do(t.Context(), []byte("7")); err != nil || string(got) != "7" {
		t.Errorf("it gave %s, %v", got, err)
	}
}

// One that works and is refused later ends, and says why.
func TestRevokedTokenEndsWork(t *testing.T) {
	g := &guests{studies: map[string]string{"all": "*"}}
	_, url := embed(t, queue.EmbedOptions{Allow: g.allow})
	ended := make(chan error, 1)
	go func() {
		ended <- queue.Work(t.Context(), queue.WorkOptions{TasksOptions: queue.TasksOptions{URL: url, Token: "all"}, Slots: 1})
	}()
	time.AfterFunc(200*time.Millisecond, func() { g.revoke("all") })
	select {
	case err := <-ended:
		if !errors.Is(err, queue.ErrRefused) && !errors.Is(err, nats.ErrAuthorization) { // before or after it was let in
			t.Errorf("the work ended with %v", err)
		}
	case <-time.After(15 * time.Second):
		t.Error("the work goes on")
	}
}
