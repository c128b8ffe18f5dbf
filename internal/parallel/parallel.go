// Package parallel shares independent tasks between goroutines.
package parallel

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// For runs task(worker, i) for i = 0..tasks-1 on up to threads goroutines, one of them the
// caller's. Tasks are handed out in order; those of one worker, 0..threads-1, run one after
// another and may share its scratch memory. A panic of a task is the caller's.
func For(threads, tasks int, task func(worker, i int)) {
	threads = min(threads, tasks)
	if threads <= 1 {
		for i := range tasks {
			task(0, i)
		}
		return
	}
	var next atomic.Int64
	var failure atomic.Pointer[string]
	work := func(worker int) {
		defer func() {
			if p := recover(); p != nil {
				text := fmt.Sprintf("%v\n\n%s", p, debug.Stack())
				failure.CompareAndSwap(nil, &text)
				next.Store(int64(tasks)) // no more
			}
		}()
		for {
			i := int(next.Add(1)) - 1
			if i >= tasks {
				return
			}
			task(worker, i)
		}
	}
	var wg sync.WaitGroup
	for worker := 1; worker < threads; worker++ {
		wg.Go(func() { work(worker) })
	}
	work(0)
	wg.Wait()
	if text := failure.Load(); text != nil {
		panic(*text)
	}
}
