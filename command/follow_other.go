//go:build !unix

package command

// noFollow makes opening a link fail, where the system can.
const noFollow = 0
