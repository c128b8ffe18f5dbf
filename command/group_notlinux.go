//go:build unix && !linux

package command

import (
	"os/exec"
	"syscall"
)

// separate puts the process in a group of its own, which Ctrl-C does not reach.
func separate(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
