//go:build race

package server_test

// raced is true when the race detector slows everything down.
const raced = true
