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

func ceilDiv(a, b int) int { return (a + b - 1) / b }
