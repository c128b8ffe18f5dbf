package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

const (
	// slack is how much memory that is not used any more may lie beside what is, in per cent.
	slack = 50
	// muchSlack is that where more than much bytes are used: a model of thousands of observations has hundreds of
	// megabytes of numbers, which are cheap to look through.
	muchSlack = 20
	much      = 96 << 20
)

// startSlack lets a program have 16 MB before it looks for the first time for memory that is not used any
// more, which most commands never need: the runtime looks at 4 MB for 100 per cent.
const startSlack = 400

// slackNow is the slack from the first look on, 0 where GOGC says it.
var slackNow atomic.Int32

// looks sets the slack with every look, from the first call on.
var looks = sync.OnceFunc(afterLook)

// collectLater sets the slack with every look for unused memory.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	slackNow.Store(slack)
	debug.SetGCPercent(startSlack)
	looks()
}

// afterLook sets the slack after the next look, and so on.
func afterLook() {
	runtime.AddCleanup(new([16]byte), func(int) {
		used := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(used)
		percent := int(slackNow.Load())
		if used[0].Value.Uint64() > much {
			percent = min(percent, muchSlack)
		}
		debug.SetGCPercent(percent)
		afterLook()
	}, 0)
}

// withSlack sets another slack until the function that it returns is called.
func withSlack(percent int) (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	former := slackNow.Swap(int32(percent))
	debug.SetGCPercent(percent)
	return func() {
		slackNow.Store(former)
		debug.SetGCPercent(int(former))
	}
}
