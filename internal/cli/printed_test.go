package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The end of what a program printed is found, and nothing that a link leads to.
func TestPrinted(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret")
	folder := filepath.Join(dir, "oven.output")
	for _, err := range []error{
		os.Mkdir(folder, 0o755),
		os.WriteFile(filepath.Join(folder, "1.out"), []byte(strings.Repeat("x", mostPrinted)+"end\n"), 0o644),
		os.WriteFile(secret, []byte("secret"), 0o644),
		os.Symlink(secret, filepath.Join(folder, "2.out")),
		os.Symlink(filepath.Dir(secret), filepath.Join(dir, "away.output")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	find := printed(dir)
	out, stderr, err := find("oven", 1)
	if err != nil || len(out) != mostPrinted || !strings.HasSuffix(string(out), "xend\n") || stderr != nil {
		t.Errorf("%d bytes, %q, %v", len(out), stderr, err)
	}
	for _, study := range []string{"oven", "other", "away", "../oven"} {
		if out, _, err := find(study, 2); err == nil || len(out) > 0 {
			t.Errorf("%s gave %q", study, out)
		}
	}
	if _, _, err := find("oven", 3); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
