//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package bench

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes the folder's lock without waiting. The system releases it with
// the file, so a crash leaves nothing behind.
func lockFile(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = errLocked
		}
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}
