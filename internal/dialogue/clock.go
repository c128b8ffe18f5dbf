package dialogue

import "time"

// wallTime stands in for a CPU clock.
func wallTime() time.Duration { return time.Since(processStart) }

var processStart = time.Now()
