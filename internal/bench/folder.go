package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	trialsFile  = "trials.jsonl"
	packedFile  = "trials.jsonl.gz"
	summaryFile = "summary.json"
	lockName    = "lock"
)

var errLocked = errors.New("another run is writing to it")

// folder is a results folder opened for writing.
type folder struct {
	dir     string
	trials  []Trial // in the order of the files
	packed  int     // how many of them are compressed
	file    *os.File
	release func()
	failed  error // first failed write: a line may be torn, so no other may follow
}

// openFolder locks the folder, checks it against the jobs and repairs a torn
// line. Nothing is changed when it returns an error, except that the folder
// and its lock may have been made.
func openFolder(dir string, jobs []job, note func(string)) (_ *folder, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &InputError{fmt.Errorf("results folder: %w", err)}
	}
	release, err := lockFile(filepath.Join(dir, lockName))
	if err != nil {
		return nil, &InputError{fmt.Errorf("results folder %s cannot be written: %w", dir, err)}
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	path := filepath.Join(dir, trialsFile)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, &InputError{fmt.Errorf("results folder %s cannot be written: %w", dir, err)}
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	var c contents
	if err := c.readPacked(dir); err != nil {
		return nil, &InputError{err}
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	end, err := c.add(path, data)
	if err != nil {
		return nil, &InputError{err}
	}
	if err := c.checkSettings(jobs); err != nil {
		return nil, &InputError{err}
	}
	f := &folder{dir: dir, trials: c.trials, packed: c.packed, file: file, release: release}
	if err := f.repair(end, int64(len(data)), note); err != nil {
		return nil, err
	}
	return f, errors.Join(f.sweep(), syncDir(dir))
}

// sweep removes the unfinished files that killed runs left behind.
func (f *folder) sweep() error {
	files, err := os.ReadDir(f.dir)
	for _, file := range files {
		if strings.HasPrefix(file.Name(), summaryFile+".") || strings.HasPrefix(file.Name(), packedFile+".") {
			err = errors.Join(err, os.Remove(filepath.Join(f.dir, file.Name())))
		}
	}
	return err
}

// repair ends an open last line and cuts off a torn one.
func (f *folder) repair(c ending, size int64, note func(string)) error {
	switch {
	case c.torn:
		if err := f.file.Truncate(c.size); err != nil {
			return err
		}
		note(fmt.Sprintf("%s: the last line was torn (%d bytes) and has been cut off; its trial will run again", f.file.Name(), size-c.size))
	case c.open:
		if _, err := f.file.WriteString("\n"); err != nil {
			return err
		}
		note(fmt.Sprintf("%s: the last line had no end, which has been added", f.file.Name()))
	default:
		return nil
	}
	return f.file.Sync()
}

// add appends a finished trial, waits until it is on disk and renews the summary.
func (f *folder) add(t Trial) error {
	if f.failed != nil {
		return f.failed
	}
	line, err := encodeTrial(t)
	if err != nil {
		return err
	}
	if _, err = f.file.Write(line); err == nil {
		err = f.file.Sync()
	}
	if err != nil {
		f.failed = err
		return err
	}
	f.trials = append(f.trials, t)
	return f.writeSummary()
}

// writeSummary replaces summary.json in one step.
func (f *folder) writeSummary() error {
	data, err := EncodeSummary(Summarise(f.trials))
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(f.dir, summaryFile), data)
}

// replaceFile writes a file in one step: a crash leaves the old one or the new one.
func replaceFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // fails after the rename, as it should
	if _, err = tmp.Write(data); err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// close leaves no empty file beside a compressed one.
func (f *folder) close() error {
	err := f.file.Close()
	if f.packed > 0 && f.packed == len(f.trials) {
		err = errors.Join(err, os.Remove(f.file.Name()))
	}
	f.release()
	return err
}

// syncDir makes a new file's name durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}
