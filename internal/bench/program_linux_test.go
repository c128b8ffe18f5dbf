package bench

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Killing a benchmark ends its programs, even when it has no time to do so. Other systems do
// not tell a program that its parent is gone; there its input ends.
func TestKilledWithItsPrograms(t *testing.T) {
	spec := stub(t, "bowl", "problem", "hang")
	file := spec[strings.LastIndex(spec, ` "`)+2 : len(spec)-1]
	bench := exec.CommandContext(t.Context(), os.Args[0], "bench", spec, filepath.Join(t.TempDir(), "results"))
	if err := bench.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for range 500 {
		if text, err := os.ReadFile(file); err == nil && len(text) > 0 {
			pid, _ = strconv.Atoi(string(text))
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if pid == 0 {
		t.Fatal("the program was not started")
	}
	if err := bench.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = bench.Wait()
	for range 500 {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || zombie(pid) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d lives on", pid)
}

// zombie says that a process has ended and nobody has asked how.
func zombie(pid int) bool {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && strings.Contains(string(text), ") Z ")
}
