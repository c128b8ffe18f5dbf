package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// mostPrinted is how much of what a program printed is shown.
const mostPrinted = 64 << 10

// printed finds what programs printed, as minimize and worker keep it: in DIR/STUDY.output, or
// in DIR itself. Nothing outside of DIR is read, whatever links there are.
func printed(dir string) func(study string, number int) (stdout, stderr []byte, err error) {
	return func(study string, number int) (stdout, stderr []byte, err error) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, nil, err
		}
		defer func() { _ = root.Close() }()
		name := filepath.Join(study+".output", fmt.Sprint(number))
		if stdout, err = end(root, name+".out"); err != nil {
			return nil, nil, err
		}
		if stderr, err = end(root, name+".err"); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return stdout, stderr, err
	}
}

// end reads the last bytes of a plain file.
func end(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info.Size() > mostPrinted {
		if _, err := f.Seek(-mostPrinted, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, mostPrinted))
}
