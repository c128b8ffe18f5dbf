//go:build unix

package command

import "syscall"

// noFollow makes opening a link fail, where the system can.
const noFollow = syscall.O_NOFOLLOW
