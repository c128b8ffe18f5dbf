//go:build unix

package command

import (
	"os/exec"
	"syscall"
)

// terminate asks the whole group to end.
func terminate(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }

// kill ends what is left of the group.
func kill(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
