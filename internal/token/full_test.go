//go:build unix

package token_test

import (
	"bytes"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mahabo/mahabo/internal/token"
)

// A limit on the size of files stands for a disk that is full: a token that cannot be kept
// is not given out, and the others stay.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	create := func() error {
		_, _, err := token.Create(path, token.Grant{Role: token.Read, Study: "*"}, now)
		return err
	}
	if err := create(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	full := limit
	full.Cur = uint64(len(before) + 20)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	failed := create()
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if failed == nil {
		t.Error("a token was given out that is not kept")
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the file became %q, %v", after, err)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
	if err := create(); err != nil {
		t.Fatal(err)
	}
	if list, damaged, err := token.List(path); len(list) != 2 || damaged != nil || err != nil {
		t.Errorf("%d tokens, %v, %v", len(list), damaged, err)
	}
}
