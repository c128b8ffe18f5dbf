package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
)

// mostInput bounds the files without a limit of their own, in bytes.
const mostInput = 64 << 20

// readFile reads a file of a limited size.
func readFile(ctx context.Context, path string, most int64) ([]byte, error) {
	return readAll(ctx, path, most, func() (io.ReadCloser, error) { return os.Open(path) })
}

// readAll reads what open returns. To open and to read a pipe or a terminal can take for
// ever: when the context ends, they are left behind.
func readAll(ctx context.Context, name string, most int64, open func() (io.ReadCloser, error)) ([]byte, error) {
	type content struct {
		data []byte
		err  error
	}
	done := make(chan content, 1)
	go func() {
		r, err := open()
		if err != nil {
			done <- content{err: err}
			return
		}
		defer func() { _ = r.Close() }() // only read from
		var b bytes.Buffer
		if f, ok := r.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				b.Grow(int(min(info.Size(), most)) + bytes.MinRead) // once, not again and again
			}
		}
		_, err = b.ReadFrom(io.LimitReader(r, most+1))
		done <- content{b.Bytes(), err}
	}()
	select {
	case <-ctx.Done():
		return nil, interrupted("interrupted while reading " + name)
	case c := <-done:
		switch {
		case c.err != nil:
			return nil, usageError{c.err}
		case int64(len(c.data)) > most:
			return nil, usagef("%s has more than %d MiB: give a smaller file", name, most>>20)
		}
		return c.data, nil
	}
}

// inFlag names the flag that a file's name was given with.
func inFlag(flag string, err error) error {
	var wrong usageError
	if errors.As(err, &wrong) {
		return usagef("%s: %w", flag, err)
	}
	return err
}
