//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package bench

import (
	"errors"
	"io/fs"
	"os"
)

// lockFile takes the folder's lock by creating its file, which a crash leaves
// behind: it has to be deleted by hand then.
func lockFile(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, errLocked
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close(); _ = os.Remove(path) }, nil
}
