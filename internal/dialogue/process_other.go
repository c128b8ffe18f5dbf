//go:build !unix

package dialogue

import (
	"os/exec"
	"time"
)

// separate does nothing: there are no groups.
func separate(*exec.Cmd) {}

// end kills the program.
func end(c *exec.Cmd) { _ = c.Process.Kill() }

// cpuTime falls back to the wall clock.
func cpuTime(int) time.Duration { return wallTime() }
