//go:build !linux

package bench

import "time"

// threadTime falls back to the wall clock: a trial has its thread for itself,
// so the two agree unless the machine is overloaded.
func threadTime() time.Duration { return wallTime() }

// processTime falls back to it too; several threads count as one.
func processTime() time.Duration { return wallTime() }
