package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// outputFile appears under its name only when it is complete. A link is replaced, not
// followed.
type outputFile struct {
	name string
	tmp  *os.File
}

// createOutput shows before the run that the file can be written after it.
func createOutput(name string) (*outputFile, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder: name a file", name)
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return &outputFile{name, tmp}, nil
}

func (o *outputFile) commit(v any) error {
	if o == nil {
		return nil
	}
	return o.finish(json.NewEncoder(o.tmp).Encode(v))
}

// finish gives the file its name, if it was written without an error.
func (o *outputFile) finish(err error) error {
	if err == nil {
		err = o.tmp.Chmod(0o644)
	}
	if err == nil {
		err = o.tmp.Sync()
	}
	if closeErr := o.tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(o.tmp.Name(), o.name)
	}
	return err
}

// discard removes the temporary file; after a commit there is none.
func (o *outputFile) discard() {
	_ = o.tmp.Close()
	_ = os.Remove(o.tmp.Name())
}

// writeOut has a result written to the file of --out. A link is refused: it may lead where
// only the user of this program can write. A device is written to as it is.
func writeOut(name string, write func(io.Writer) error) error {
	info, err := os.Lstat(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return usagef("--out: %w", err)
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return usagef("--out: %s is a link: name the file itself, or leave --out out for standard output", name)
	case err == nil && !info.Mode().IsRegular() && !info.IsDir():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return usagef("--out: %w", err)
		}
		return errors.Join(write(f), f.Close())
	}
	out, err := createOutput(name)
	if err != nil {
		return usagef("--out: %w", err)
	}
	defer out.discard()
	return out.finish(write(out.tmp))
}
