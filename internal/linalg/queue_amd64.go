package linalg

// call holds the arguments of one kernel, in the order in which the assembly
// expects them. The triangle's coefficients are a, its columns ras; a factor u is c, with
// the coefficients a and the pivots b.
type call struct {
	kernel      int
	c           *float64
	ldc         int
	a           *float64
	ras, cas    int
	b           *float64
	ldb         int
	m, n, k     int
	alpha, beta float64
}

const (
	panelCall = iota
	triangleCall
	factorCall
)

const (
	maxCalls = 64
	// longPanel is m*k of a panel that does not wait: its time is far above that of a
	// change of mode, and no goroutine can be stopped while a queue runs.
	longPanel = 1 << 14
)

// queue collects calls of kernels: run makes them, in their order, with one change of the
// processor's mode. The portable path makes them at once.
type queue struct {
	calls [maxCalls]call
	count int
}

// next is the place of one more call.
func (q *queue) next() *call {
	if q.count == maxCalls {
		q.run()
	}
	q.count++
	return &q.calls[q.count-1]
}

// run makes the calls and forgets their memory.
func (q *queue) run() {
	if q.count > 0 {
		run(&q.calls[0], q.count)
		clear(q.calls[:q.count])
		q.count = 0
	}
}

func (q *queue) panel(c []float64, ldc int, a []float64, ras, cas int, b []float64, ldb, m, n, k int, alpha, beta float64) {
	if active.path == portable {
		panel(c, ldc, a, ras, cas, b, ldb, m, n, k, alpha, beta)
		return
	}
	*q.next() = call{panelCall, &c[0], ldc, &a[0], ras, cas, &b[0], ldb, m, n, k, alpha, beta}
	if m*k >= longPanel {
		q.run()
	}
}

func (q *queue) triangle(c []float64, c0, ldc int, coef []float64, n int) {
	if !hasTriangle(n) {
		q.run()
		triangle(c, c0, ldc, coef, n)
		return
	}
	*q.next() = call{kernel: triangleCall, c: &c[c0], ldc: ldc, a: &coef[0], ras: n}
}

func (q *queue) factor(coef, pivots, u []float64, ldu int) {
	if active.path == portable {
		factor(coef, pivots, u, ldu)
		return
	}
	*q.next() = call{kernel: factorCall, c: &u[0], ldc: ldu, a: &coef[0], b: &pivots[0]}
}
