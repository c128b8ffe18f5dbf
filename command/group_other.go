//go:build !unix

package command

import "os/exec"

// Without process groups only the process itself can be ended, and not gently.

func separate(*exec.Cmd) {}

func terminate(c *exec.Cmd) error { return c.Process.Kill() }

func kill(c *exec.Cmd) { _ = c.Process.Kill() }
