package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the CPU time, user and system, of the calling thread, or the
// wall time where a sandbox forbids its clock.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return wallTime()
	}
	return time.Duration(t.Nano())
}
