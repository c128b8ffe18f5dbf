package linalg

import "github.com/mahabo/mahabo/internal/parallel"

// parallelQueues is parallel.For for tasks that make calls of kernels.
func parallelQueues(threads, tasks int, task func(q *queue, i int)) {
	parallel.For(threads, tasks, func(_, i int) {
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
		parallel.For(threads, ceilDiv(p.c.Cols, width), func(_, i int) {
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
	parallel.For(threads, ceilDiv(p.c.Rows, width), func(_, i int) {
		p.run(i*width, min((i+1)*width, p.c.Rows), 0, p.c.Cols)
	})
}

// stripWidth gives every thread about two strips, each a multiple of unit.
func stripWidth(n, threads, unit int) int {
	return ceilDiv(ceilDiv(n, 2*threads), unit) * unit
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
