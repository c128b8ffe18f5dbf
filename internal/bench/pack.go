package bench

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Pack compresses the finished trials of a folder: trials.jsonl becomes a further member of
// trials.jsonl.gz. It returns how many trials were compressed. Every command reads both files,
// and a run goes on in a new trials.jsonl.
//
// The new file is in place before the old one goes. A crash between the two leaves trials in
// both, which count once.
func Pack(dir string, note func(string)) (packed int, err error) {
	if _, err := Read(dir); err != nil { // before anything is made
		return 0, err
	}
	f, err := openFolder(dir, nil, note)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	lines, err := freshLines(dir)
	if err != nil || len(lines) == 0 {
		return 0, err
	}
	path := filepath.Join(dir, packedFile)
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	member, err := compress(lines)
	if err != nil {
		return 0, err
	}
	data = append(data, member...)
	if err := replaceFile(path, data); err != nil {
		return 0, fmt.Errorf("%s cannot be written: %w", path, err)
	}
	f.packed = len(f.trials)
	return len(lines), errors.Join(syncDir(dir), f.file.Truncate(0))
}

// freshLines returns the lines of trials.jsonl, as they are, whose trials are not compressed.
func freshLines(dir string) (lines [][]byte, err error) {
	var c contents
	if err := c.readPacked(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, trialsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if _, err := c.add(path, data); err != nil {
		return nil, err
	}
	all := bytes.SplitAfter(data, []byte("\n"))
	for _, at := range c.at[c.packed:] {
		lines = append(lines, all[at.line-1])
	}
	return lines, nil
}

// compress makes one member of lines, without a name or a time, so that the same trials give
// the same bytes.
func compress(lines [][]byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		if _, err := z.Write(line); err != nil {
			return nil, err
		}
	}
	err = z.Close()
	return b.Bytes(), err
}
