package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	trialsFile  = "trials.jsonl"
	summaryFile = "summary.json"
	lockName    = "lock"
)

var errLocked = errors.New("another run is writing to it")

// contents is what trials.jsonl holds.
type contents struct {
	trials []Trial
	size   int64 // length of the complete lines
	torn   bool  // the last line has no end and cannot be read: to be cut off
	open   bool  // the last line is complete but for its newline
}

// Read returns the finished trials of a results folder without changing it.
func Read(dir string) ([]Trial, error) {
	path := filepath.Join(dir, trialsFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &InputError{fmt.Errorf("%s does not exist: %s holds no benchmark results", path, dir)}
	}
	if err != nil {
		return nil, &InputError{err}
	}
	c, err := parseTrials(path, data)
	if err != nil {
		return nil, &InputError{err}
	}
	return c.trials, nil
}

// parseTrials reads and checks the whole of trials.jsonl.
func parseTrials(path string, data []byte) (contents, error) {
	var c contents
	lineOf := map[job]int{}      // where a trial stands
	settings := map[Cell]Trial{} // first trial of a cell
	firstLine := map[Cell]int{}  // and its line
	for number := 1; len(data) > 0; number++ {
		line, rest, complete := bytes.Cut(data, []byte("\n"))
		t, bad := decodeTrial(line)
		if !complete {
			if bad != nil && (bytes.HasPrefix(line, []byte(lineStart)) || strings.HasPrefix(lineStart, string(line))) {
				c.torn = true
				return c, nil
			}
			c.open = bad == nil
		}
		if bad != nil {
			if bad.field == "" {
				return contents{}, &LineError{path, number, "", bad.reason}
			}
			return contents{}, &LineError{path, number, bad.field, bad.reason}
		}
		if first, ok := settings[t.Cell]; !ok {
			settings[t.Cell], firstLine[t.Cell] = t, number
		} else if field, was, is := settingsDiffer(first, t.Evals, t.Init); field != "" {
			return contents{}, &LineError{path, number, field, fmt.Sprintf("is %d, line %d has %d for the same cell", is, firstLine[t.Cell], was)}
		}
		key := job{t.Cell, t.Evals, t.Init, t.Trial}
		if other, twice := lineOf[key]; twice {
			return contents{}, &LineError{path, number, "trial", fmt.Sprintf("is %d, which line %d has already for the same cell", t.Trial, other)}
		}
		lineOf[key] = number
		c.trials = append(c.trials, t)
		c.size += int64(len(line))
		if complete {
			c.size++
		}
		data = rest
	}
	return c, nil
}

// settingsDiffer names the setting in which a finished trial differs from evals
// and init.
func settingsDiffer(t Trial, evals, init int) (field string, was, is int) {
	switch {
	case t.Evals != evals:
		return "evals", t.Evals, evals
	case t.Init != init:
		return "init", t.Init, init
	}
	return "", 0, 0
}

// folder is a results folder opened for writing.
type folder struct {
	dir     string
	trials  []Trial // in file order
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
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	c, err := parseTrials(path, data)
	if err != nil {
		return nil, &InputError{err}
	}
	if err := checkSettings(path, c.trials, jobs); err != nil {
		return nil, &InputError{err}
	}
	f := &folder{dir: dir, trials: c.trials, file: file, release: release}
	if err := f.repair(c, int64(len(data)), note); err != nil {
		return nil, err
	}
	return f, errors.Join(f.sweep(), syncDir(dir))
}

// sweep removes the unfinished summaries that killed runs left behind.
func (f *folder) sweep() error {
	files, err := os.ReadDir(f.dir)
	for _, file := range files {
		if strings.HasPrefix(file.Name(), summaryFile+".") {
			err = errors.Join(err, os.Remove(filepath.Join(f.dir, file.Name())))
		}
	}
	return err
}

// checkSettings compares the jobs with the finished trials of their cells.
func checkSettings(path string, trials []Trial, jobs []job) error {
	first := map[Cell]int{}
	for i, t := range trials {
		if _, ok := first[t.Cell]; !ok {
			first[t.Cell] = i
		}
	}
	for _, j := range jobs {
		i, ok := first[j.Cell]
		if !ok {
			continue
		}
		if field, was, is := settingsDiffer(trials[i], j.evals, j.init); field != "" {
			return &LineError{path, i + 1, field, fmt.Sprintf("is %d, this run asks for %d: %s was measured with other settings; use the same ones or another folder", was, is, j.Cell)}
		}
	}
	return nil
}

// repair ends an open last line and cuts off a torn one.
func (f *folder) repair(c contents, size int64, note func(string)) error {
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
	tmp, err := os.CreateTemp(f.dir, summaryFile+".*")
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
	return os.Rename(tmp.Name(), filepath.Join(f.dir, summaryFile))
}

func (f *folder) close() error {
	err := f.file.Close()
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
