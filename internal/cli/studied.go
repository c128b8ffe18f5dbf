package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/mahabo/mahabo/internal/remote"
	"github.com/mahabo/mahabo/strategy"
	"github.com/mahabo/mahabo/study"
)

// studied is a study in a store or on a server.
type studied interface {
	Config() study.Config
	Summary(ctx context.Context) (study.Summary, error)
	Best(ctx context.Context) (study.Best, bool, error)
	Front(ctx context.Context) (study.Front, error)
	Select(ctx context.Context, q study.Query) ([]study.Trial, int, error)
	Numbered(ctx context.Context, numbers ...int) ([]study.Trial, error)
	Values(ctx context.Context) ([]study.Value, error)
	Trials(ctx context.Context, page study.Page) ([]study.Trial, error)
	Ask(ctx context.Context, r study.AskRequest) (study.Batch, error)
	Record(ctx context.Context, results ...study.Finished) ([]study.Trial, error)
	Enqueue(ctx context.Context, r study.EnqueueRequest) ([]study.Trial, error)
	Heartbeat(ctx context.Context, number int, worker string, lease time.Duration) error
	Report(ctx context.Context, number int, worker string, list ...study.Reported) (string, error)
	Reports(ctx context.Context, most int, numbers ...int) (map[int][]study.Reported, error)
	Retry(ctx context.Context, number int) error
	Release(ctx context.Context, worker string, numbers ...int) error
	Note(ctx context.Context, number int, text string) error
	Correct(ctx context.Context, number int, c study.Correction) (study.Trial, bool, error)
	Change(ctx context.Context, c study.Change, preview bool) (study.Change, error)
}

var (
	_ studied = (*study.Study)(nil)
	_ studied = (*remote.Study)(nil)
)

// studies are those of a store or of a server.
type studies interface {
	Names(ctx context.Context) ([]string, error)
	open(ctx context.Context, name string) (studied, error)
	create(ctx context.Context, c study.Config) error
	remove(ctx context.Context, name string) error
	Close() error
}

// stored are the studies of a store.
type stored struct {
	study.Store
	methods *strategy.Registry
}

func (s stored) open(ctx context.Context, name string) (studied, error) {
	one, err := study.Open(ctx, s.Store, name, study.WithMethods(s.methods))
	if err != nil {
		return nil, err
	}
	return one, nil
}

func (s stored) create(ctx context.Context, c study.Config) error {
	_, err := study.Create(ctx, s.Store, c, study.WithMethods(s.methods))
	return err
}

func (s stored) remove(ctx context.Context, name string) error {
	return study.Delete(ctx, s.Store, name)
}

// served are the studies of a server.
type served struct{ *remote.Server }

func (s served) open(ctx context.Context, name string) (studied, error) {
	one, err := s.Study(ctx, name)
	if err != nil {
		return nil, err
	}
	return one, nil
}

func (s served) create(ctx context.Context, c study.Config) error {
	err := s.Create(ctx, c.WithDefaults())
	if errors.Is(err, study.ErrExists) {
		err = fmt.Errorf("study %q: %w", c.Name, err)
	}
	return err
}

func (s served) remove(ctx context.Context, name string) error { return s.Delete(ctx, name) }

func (served) Close() error { return nil }

// tokenName is the environment that has the token for a server.
const tokenName = "MAHABO_TOKEN"

// studies opens the store, a new one if create is set, or names the server.
func (f storeFlags) studies(ctx context.Context, s streams, create bool) (studies, error) {
	if remote.Is(f.Store) {
		server, err := remote.Open(f.Store, os.Getenv(tokenName))
		if err != nil {
			return nil, usagef("--store: %w", err)
		}
		return served{server}, nil
	}
	open := f.open
	if create {
		open = f.create
	}
	st, err := open(ctx)
	if err != nil {
		return nil, err
	}
	return stored{st, s.methods}, nil
}
