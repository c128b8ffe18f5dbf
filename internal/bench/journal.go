package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const (
	runsFile     = "runs.jsonl"
	failuresFile = "failures.jsonl"
)

// Origin says how and where results were made, a line of runs.jsonl.
type Origin struct {
	Time    time.Time `json:"time"`    // start of the run
	Command string    `json:"command"` // as it was typed
	Jobs    int       `json:"jobs"`
	Version string    `json:"version"`
	Machine
}

// Machine is what the times of a trial depend on.
type Machine struct {
	Processor string `json:"processor"` // empty when the system does not tell
	Cores     int    `json:"cores"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	Go        string `json:"go"`
}

// ThisMachine describes where the program runs.
func ThisMachine() Machine {
	return Machine{Processor: processor(), Cores: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version()}
}

// processor is the model that Linux reports.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Failure is an attempt at a trial that failed, a line of failures.jsonl.
type Failure struct {
	Cell
	Evals   int    `json:"evals"`
	Init    int    `json:"init"`
	Trial   int    `json:"trial"`
	Attempt int    `json:"attempt"` // from 1, anew in every run
	Error   string `json:"error"`
	Version string `json:"version"`
}

// ReadOrigins returns how a folder's results were made; none when it was not
// written down.
func ReadOrigins(dir string) ([]Origin, error) {
	return readJournal[Origin](filepath.Join(dir, runsFile))
}

// ReadFailures returns the failed attempts of a folder. A trial that succeeded
// later is among the finished trials too.
func ReadFailures(dir string) ([]Failure, error) {
	return readJournal[Failure](filepath.Join(dir, failuresFile))
}

// readJournal reads a file of JSON lines; a torn last line is left out.
func readJournal[T any](path string) ([]T, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &InputError{err}
	}
	var list []T
	for number := 1; ; number++ {
		line, rest, complete := bytes.Cut(data, []byte("\n"))
		if !complete {
			return list, nil
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, &InputError{&LineError{path, number, "", "is not of this file: " + err.Error()}}
		}
		list, data = append(list, v), rest
	}
}

// appendJournal adds a line and waits until it is on disk. A torn last line,
// which a crash may have left, is cut off before.
func appendJournal(path string, v any) (err error) {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	whole := int64(bytes.LastIndexByte(data, '\n') + 1)
	if err := f.Truncate(whole); err != nil {
		return err
	}
	if _, err := f.WriteAt(append(line, '\n'), whole); err != nil {
		return err
	}
	return f.Sync()
}
