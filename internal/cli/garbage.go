package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
)

// slack is how much memory that is not used any more may lie beside what is, in per cent: a model of
// thousands of observations has hundreds of megabytes, and they are cheap to look through.
const slack = 50

// startSlack lets a program have 16 MB before it looks for the first time for memory that is not used any
// more, which most commands never need: the runtime looks at 4 MB for 100 per cent.
const startSlack = 400

// slackNow is the slack from the first look on, 0 where GOGC says it.
var slackNow atomic.Int32

// collectLater sets the slack from the first look for unused memory on.
func collectLater() {
	if os.Getenv("GOGC") != "" {
		return
	}
	slackNow.Store(slack)
	debug.SetGCPercent(startSlack)
	runtime.AddCleanup(new([16]byte), func(int) { debug.SetGCPercent(int(slackNow.Load())) }, 0)
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
