package command

import (
	"os/exec"
	"syscall"
)

// separate puts the process in a group of its own, which Ctrl-C does not reach, and has it
// killed with the thread that starts it, hence with this process however that ends.
func separate(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
