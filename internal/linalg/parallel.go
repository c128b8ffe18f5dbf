package linalg

import (
	"sync"
	"sync/atomic"
)

// parallelFor runs task(0..tasks-1) on up to threads goroutines; the tasks
// are handed out in order.
func parallelFor(threads, tasks int, task func(i int)) {
	threads = min(threads, tasks)
	if threads <= 1 {
		for i := range tasks {
			task(i)
		}
		return
	}
	var next atomic.Int64
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= tasks {
				return
			}
			task(i)
		}
	}
	var wg sync.WaitGroup
	for range threads - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// parallelQueues is parallelFor for tasks that make calls of kernels.
func parallelQueues(threads, tasks int, task func(q *queue, i int)) {
	parallelFor(threads, tasks, func(i int) {
		s := getScratch()
		defer s.release()
		task(&s.queue, i)
		s.queue.run()
	})
}

// parallelProduct splits C into strips of whole tiles along its longer side. A strip
// repeats the packing of the one product, never part of a sum.
func parallelProduct(threads int, p product) {
	if p.c.Cols >= p.c.Rows {
		width := stripWidth(p.c.Cols, threads, active.nr)
		parallelFor(threads, ceilDiv(p.c.Cols, width), func(i int) {
			p.run(0, p.c.Rows, i*width, min((i+1)*width, p.c.Cols))
		})
		return
	}
	// A strip of packed rows must start where the tiles of the whole start.
	unit := active.mr
	if p.mode == swapped {
		unit = active.nr
	}
	width := stripWidth(p.c.Rows, threads, unit)
	parallelFor(threads, ceilDiv(p.c.Rows, width), func(i int) {
		p.run(i*width, min((i+1)*width, p.c.Rows), 0, p.c.Cols)
	})
}

// stripWidth gives every thread about two strips, each a multiple of unit.
func stripWidth(n, threads, unit int) int {
	return ceilDiv(ceilDiv(n, 2*threads), unit) * unit
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
