package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/mahabo/mahabo/store/memory"
	"github.com/mahabo/mahabo/study"
)

// URLError is an address that names no store.
type URLError struct {
	URL     string
	Problem string
}

func (e *URLError) Error() string {
	return fmt.Sprintf("store %q: %s: write sqlite:PATH, postgres://user@host/database or memory:", e.URL, e.Problem)
}

// Open opens the store at a URL and brings its tables up to date. A SQLite file
// that does not exist is created.
func Open(ctx context.Context, url string) (study.Store, error) {
	scheme, rest, found := strings.Cut(url, ":")
	switch {
	case !found:
		return nil, &URLError{url, "it has no scheme"}
	case scheme == "memory" && rest == "":
		return memory.New(), nil
	case scheme == "sqlite" && rest != "":
		return openFile(ctx, rest)
	case scheme == "sqlite":
		return nil, &URLError{url, "it names no file"}
	case scheme == "postgres" || scheme == "postgresql":
		return postgres(ctx, url)
	case scheme == "memory":
		return nil, &URLError{url, "a store in memory has no name"}
	}
	return nil, &URLError{url, fmt.Sprintf("scheme %q is not known", scheme)}
}
