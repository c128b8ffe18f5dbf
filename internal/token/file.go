package token

import (
	"cmp"
	"fmt"
	"os"
	"sync"
	"time"
)

// File answers for the tokens of a file as it is: tokens that are created or
// revoked while a server runs count within a second.
type File struct {
	path string // "": the tokens are in no file
	now  func() time.Time
	warn func(error)

	mu      sync.Mutex
	tokens  map[string]Token // by id
	size    int64
	changed time.Time // of the file
	looked  time.Time // at the file
}

// Open reads a file of tokens. It has to have at least one. warn, which may be nil, is called
// with the lines that cannot be read, whenever the file has changed.
func Open(path string, warn func(error)) (*File, error) {
	f := &File{path: path, now: time.Now, warn: warn}
	if warn == nil {
		f.warn = func(error) {}
	}
	if err := f.read(); err != nil {
		return nil, err
	}
	if len(f.tokens) == 0 {
		return nil, fmt.Errorf("%s has no token: mahabo token create adds one", path)
	}
	return f, nil
}

func (f *File) read() error {
	if f.path == "" {
		return nil
	}
	info, unseen := os.Stat(f.path)
	if unseen == nil && info.Size() == f.size && info.ModTime().Equal(f.changed) {
		return nil
	}
	tokens, damaged, err := List(f.path)
	if err := cmp.Or(err, unseen); err != nil {
		return err
	}
	if damaged != nil {
		f.warn(damaged)
	}
	f.tokens = map[string]Token{}
	for _, t := range tokens {
		f.tokens[t.ID] = t
	}
	f.size, f.changed = info.Size(), info.ModTime()
	return nil
}

// Find returns the token that a client's text stands for. When the file cannot be
// read, nobody gets in.
func (f *File) Find(text string) (t Token, ok bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if now.Sub(f.looked) >= time.Second {
		if err := f.read(); err != nil {
			return t, false, err
		}
		f.looked = now
	}
	t, ok = find(f.tokens, text, now)
	return t, ok, nil
}
