package dialogue

import (
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// separate puts the program in a group of its own, which Ctrl-C does not reach, and has it
// killed with the thread that starts it, hence with the process.
func separate(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// end kills the group.
func end(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }

// cpuTime reads the clock of a process: clock_getcpuclockid(3).
func cpuTime(pid int) time.Duration {
	const scheduled = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &t); err != nil {
		return wallTime()
	}
	return time.Duration(t.Nano())
}
