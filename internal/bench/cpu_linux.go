package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the CPU time, user and system, of the calling thread.
func threadTime() time.Duration { return cpuTime(unix.CLOCK_THREAD_CPUTIME_ID) }

// processTime is that of all threads.
func processTime() time.Duration { return cpuTime(unix.CLOCK_PROCESS_CPUTIME_ID) }

// cpuTime reads a clock, or the wall time where a sandbox forbids it.
func cpuTime(clock int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return wallTime()
	}
	return time.Duration(t.Nano())
}
