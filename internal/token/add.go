package token

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// add puts a file with one more line in the place of the one that is there.
func add(path string, l line) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a link stays one
	}
	aside, err := claim(path + ".new")
	if err != nil {
		return err
	}
	err = copyWith(aside, path, data)
	if err = errors.Join(err, aside.Close()); err == nil {
		err = os.Rename(aside.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(aside.Name()))
	}
	syncFolder(filepath.Dir(path))
	return nil
}

const (
	claimWait = 5 * time.Second
	claimPoll = 20 * time.Millisecond
)

// claim creates the file that a change is written to. While it is there another process
// changes the tokens, and is waited for.
func claim(name string) (*os.File, error) {
	for end := time.Now().Add(claimWait); ; time.Sleep(claimPoll) {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("%s is there: another process changes the tokens; if there is none, remove it", name)
		}
	}
}

// copyWith writes the lines of a file, if there is one, and one more, and keeps its mode and
// its owner.
func copyWith(to *os.File, path string, added []byte) error {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if info, err := os.Stat(path); err == nil {
		if err := errors.Join(keepOwner(to, info), to.Chmod(info.Mode().Perm())); err != nil {
			return err
		}
	}
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		data = append(data, '\n') // behind a torn line
	}
	if _, err := to.Write(append(append(data, added...), '\n')); err != nil {
		return err
	}
	return to.Sync()
}

// syncFolder makes the change of a name last. Some systems cannot, and need not.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
