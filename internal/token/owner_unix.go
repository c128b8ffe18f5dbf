//go:build unix

package token

import (
	"fmt"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of another: a server may read its tokens as a user of its
// own.
func keepOwner(f *os.File, of os.FileInfo) error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	want, ok := of.Sys().(*syscall.Stat_t)
	have, ok2 := mine.Sys().(*syscall.Stat_t)
	if !ok || !ok2 || want.Uid == have.Uid && want.Gid == have.Gid {
		return nil
	}
	if err := f.Chown(int(want.Uid), int(want.Gid)); err != nil {
		return fmt.Errorf("%s belongs to another user, who has to make the change: %w", of.Name(), err)
	}
	return nil
}
