//go:build unix && !linux

package dialogue

import (
	"os/exec"
	"syscall"
	"time"
)

// separate puts the program in a group of its own, which Ctrl-C does not reach.
func separate(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// end kills the group.
func end(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }

// cpuTime falls back to the wall clock.
func cpuTime(int) time.Duration { return wallTime() }
