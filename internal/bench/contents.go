package bench

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// contents is what the files of a folder hold. All files are checked together.
type contents struct {
	trials []Trial
	packed int           // how many of them are compressed
	places map[job]place // of the trials
	first  map[Cell]int  // first trial of a cell, in trials
	at     []place       // of trials[i]
}

// place is a line of a file.
type place struct {
	path string
	line int
}

// from names the place in a message about a line of another path, or the same.
func (p place) from(path string) string {
	if p.path == path {
		return fmt.Sprintf("line %d", p.line)
	}
	return fmt.Sprintf("%s:%d", p.path, p.line)
}

// ending is how a file ends.
type ending struct {
	size int64 // length of the complete lines
	torn bool  // the last line has no end and cannot be read: to be cut off
	open bool  // the last line is complete but for its newline
}

// Read returns the finished trials of a results folder without changing it.
func Read(dir string) ([]Trial, error) {
	var c contents
	if err := c.read(dir); err != nil {
		return nil, &InputError{err}
	}
	return c.trials, nil
}

// read adds the trials of a folder: first the compressed ones, then those of later runs.
func (c *contents) read(dir string) error {
	if err := c.readPacked(dir); err != nil {
		return err
	}
	path := filepath.Join(dir, trialsFile)
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.packed > 0:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist: %s holds no benchmark results", path, dir)
	case err != nil:
		return err
	}
	_, err = c.add(path, data)
	return err
}

// readPacked adds the compressed trials, if there are any.
func (c *contents) readPacked(dir string) error {
	path := filepath.Join(dir, packedFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	lines, err := unpack(data)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, err)
	}
	end, err := c.add(path, lines)
	if err == nil && (end.torn || end.open) {
		err = fmt.Errorf("%s: the last line has no end", path)
	}
	c.packed = len(c.trials)
	return err
}

// unpack reads all members of a compressed file.
func unpack(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// add reads and checks the whole of a file. A trial that an earlier file has, to the last
// digit, counts once: packing was interrupted before it could empty the plain file.
func (c *contents) add(path string, data []byte) (end ending, err error) {
	if c.places == nil {
		c.places, c.first = map[job]place{}, map[Cell]int{}
	}
	for number := 1; len(data) > 0; number++ {
		line, rest, complete := bytes.Cut(data, []byte("\n"))
		t, bad := decodeTrial(line)
		if !complete {
			if bad != nil && (bytes.HasPrefix(line, []byte(lineStart)) || strings.HasPrefix(lineStart, string(line))) {
				end.torn = true
				return end, nil
			}
			end.open = bad == nil
		}
		if bad != nil {
			return end, &LineError{path, number, bad.field, bad.reason}
		}
		if err := c.addTrial(t, place{path, number}); err != nil {
			return end, err
		}
		end.size += int64(len(line))
		if complete {
			end.size++
		}
		data = rest
	}
	return end, nil
}

// addTrial adds a trial that fits to those before it.
func (c *contents) addTrial(t Trial, at place) error {
	if i, ok := c.first[t.Cell]; !ok {
		c.first[t.Cell] = len(c.trials)
	} else if field, was, is := settingsDiffer(c.trials[i], t.job()); field != "" {
		return &LineError{at.path, at.line, field, fmt.Sprintf("is %d, %s has %d for the same cell", is, c.at[i].from(at.path), was)}
	}
	key := t.job()
	if other, twice := c.places[key]; twice {
		if other.path != at.path && c.has(t) {
			return nil
		}
		return &LineError{at.path, at.line, "trial", fmt.Sprintf("is %d, which %s has already for the same cell", t.Trial, other.from(at.path))}
	}
	c.places[key] = at
	c.trials, c.at = append(c.trials, t), append(c.at, at)
	return nil
}

// has says whether a trial is among the contents as it is.
func (c *contents) has(t Trial) bool {
	return slices.ContainsFunc(c.trials, func(u Trial) bool {
		return u.Cell == t.Cell && u.Trial == t.Trial && u.Version == t.Version && u.Seconds == t.Seconds && slices.Equal(u.Curve, t.Curve)
	})
}

// settingsDiffer names the setting in which a finished trial differs from a job.
func settingsDiffer(t Trial, j job) (field string, was, is int64) {
	switch {
	case t.Evals != j.evals:
		return "evals", int64(t.Evals), int64(j.evals)
	case t.Init != j.init:
		return "init", int64(t.Init), int64(j.init)
	case t.StepLimit != j.steps:
		return "step_limit", t.StepLimit, j.steps
	}
	return "", 0, 0
}

// checkSettings compares jobs with the finished trials of their cells.
func (c *contents) checkSettings(jobs []job) error {
	for _, j := range jobs {
		i, ok := c.first[j.Cell]
		if !ok {
			continue
		}
		if field, was, is := settingsDiffer(c.trials[i], j); field != "" {
			return &LineError{c.at[i].path, c.at[i].line, field, fmt.Sprintf("is %d, this run asks for %d: %s was measured with other settings; use the same ones or another folder", was, is, j.Cell)}
		}
	}
	return nil
}
