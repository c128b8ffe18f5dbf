//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody runs the program without the rights of the super-user, whom no mode stops.
func nobody(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	c := exec.CommandContext(t.Context(), binary, args...)
	c.Stdout, c.Stderr = &out, &errs
	if os.Geteuid() == 0 {
		if err := os.Chmod(filepath.Dir(binary), 0o755); err != nil {
			t.Fatal(err)
		}
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		c.Dir = "/"
	}
	_ = c.Run() // the exit code says it
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// A new database is its owner's alone.
func TestDatabaseIsPrivate(t *testing.T) {
	dir := t.TempDir()
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	url, stop := serve(t, "--store", "sqlite:"+filepath.Join(dir, "a.db"))
	post(t, url+"/v1/studies", "", `{"name": "rig", "space": {"parameters": {"x": {"float": [0, 1]}}}}`)
	files, err := filepath.Glob(filepath.Join(dir, "a.db*"))
	if err != nil || len(files) != 3 {
		t.Errorf("the files are %v, %v", files, err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A database that cannot be written can be shown and exported, also while its owner writes.
func TestReadOnlyDatabase(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.db")
	store := "sqlite:" + path
	file := write(t, "rig.yaml", "parameters: {x: {float: [0, 1]}}")
	must(t, "minimize", "--space", file, "--store", store, "--study", "rig", "--method", "sobol", "--init", "2", "--evals", "1", "-q", "--keep-output", "none", "--", "echo", "1.5")
	lock := func() {
		for _, name := range []string{path, path + "-wal", path + "-shm"} {
			if err := os.Chmod(name, 0o444); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		for _, folder := range []string{dir, filepath.Dir(dir)} { // of the test, and what is above it
			if err := os.Chmod(folder, 0o555); err != nil {
				t.Fatal(err)
			}
		}
	}
	unlock := func() {
		for _, name := range []string{filepath.Dir(dir), dir} {
			if err := os.Chmod(name, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		_ = os.Chmod(path, 0o600)
	}
	shown := func() {
		t.Helper()
		for _, args := range [][]string{{"study", "list"}, {"study", "show", "rig"}, {"best", "rig"}, {"trials", "rig"}, {"study", "export", "rig", "--format", "csv"}} {
			if out, stderr, code := nobody(t, append(args, "--store", store)...); code != 0 || !strings.Contains(out, "rig") && !strings.Contains(out, "1.5") {
				t.Errorf("%s: exit code %d, %s%s", strings.Join(args, " "), code, out, stderr)
			}
		}
		if _, stderr, code := nobody(t, "note", "rig", "1", "hot", "--store", store); code == 0 || !strings.Contains(stderr, "read-only") {
			t.Errorf("note: exit code %d, %s", code, stderr)
		}
	}
	lock()
	t.Cleanup(unlock)
	shown()

	unlock()
	url, stop := serve(t, "--store", store)
	post(t, url+"/v1/studies/rig/ask", "", "")
	lock()
	shown()
	unlock()
	if err := stop(); err != nil {
		t.Error(err)
	}
}
