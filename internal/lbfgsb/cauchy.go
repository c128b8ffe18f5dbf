package lbfgsb

import "math"

// varState is where a variable stands at the Cauchy point; states up to inside
// are free.
type varState int8

const (
	still     varState = iota - 3 // inside its bounds with zero gradient
	_                             //
	unbounded                     // has no bounds
	inside                        // free, has bounds
	atLower                       // held by its lower bound
	atUpper                       // held by its upper bound
	fixed                         // both bounds are equal
)

// breakpoint is the step t at which variable i meets its bound on the path.
type breakpoint struct {
	t float64
	i int
}

// cauchy sets z to the generalised Cauchy point: the first local minimiser of the
// quadratic model along the projected steepest descent path P(x - t*g). It leaves
// c = W'(z - x) and the state of every variable. It reports false when M is
// singular.
func (w *Workspace) cauchy(projected float64) bool {
	copy(w.z, w.x)
	col, theta := w.col, w.theta
	p, c := w.p[:2*col], w.c[:2*col]
	clear(c)
	if projected <= 0 {
		return true
	}
	// f1 and f2 are the slope and the curvature of the model on the current segment.
	var f1 float64
	heap := w.breaks[:0]
	nearest := math.Inf(1)
	moves, bounded := false, true
	for i, g := range w.g {
		down := -g
		below, above := w.x[i]-w.lower[i], w.upper[i]-w.x[i]
		if w.where[i] != fixed && w.where[i] != unbounded {
			w.where[i] = inside
			switch {
			case below <= 0:
				if down <= 0 {
					w.where[i] = atLower
				}
			case above <= 0:
				if down >= 0 {
					w.where[i] = atUpper
				}
			case down == 0:
				w.where[i] = still
			}
		}
		if w.where[i] != inside && w.where[i] != unbounded {
			w.d[i] = 0
			continue
		}
		w.d[i] = down
		f1 -= down * down
		switch {
		case down < 0 && !math.IsInf(below, 0):
			t := below / -down
			heap, nearest = append(heap, breakpoint{t, i}), min(nearest, t)
		case down > 0 && !math.IsInf(above, 0):
			t := above / down
			heap, nearest = append(heap, breakpoint{t, i}), min(nearest, t)
		default:
			moves = true
			bounded = bounded && down == 0
		}
	}
	if len(heap) == 0 && !moves {
		return true
	}
	for j := range col {
		yd, sd := dot2(w.y[j], w.s[j], w.d)
		p[j], p[col+j] = yd, theta*sd
	}
	f2 := -theta * f1
	first := f2
	if col > 0 {
		if !w.mulM(w.mv, p) {
			return false
		}
		f2 -= dot(w.mv[:2*col], p)
	}
	dt := -f1 / f2 // distance to the minimiser of the segment
	var t, passed float64
	all := len(heap) == len(w.x)
	if dt < nearest {
		heap = nil // the minimiser lies on the first segment: no order is needed
	}
	heapify(heap)
	for len(heap) > 0 {
		b := heap[0]
		step := b.t - t
		if dt < step {
			break
		}
		heap = pop(heap)
		t = b.t
		passed += step
		db := w.d[b.i]
		w.d[b.i] = 0
		if db > 0 {
			w.z[b.i], w.where[b.i] = w.upper[b.i], atUpper
		} else {
			w.z[b.i], w.where[b.i] = w.lower[b.i], atLower
		}
		if len(heap) == 0 && all {
			// Every variable is at a bound: nothing is left to move.
			axpy(c, step, p)
			return true
		}
		zb := w.z[b.i] - w.x[b.i]
		f1 += step*f2 + db*db - theta*db*zb
		f2 -= theta * db * db
		if col > 0 {
			axpy(c, step, p)
			row := w.wb[:2*col]
			for j := range col {
				row[j] = w.y[j][b.i]
				row[col+j] = theta * w.s[j][b.i]
			}
			if !w.mulM(w.mv, row) {
				return false
			}
			mv := w.mv[:2*col]
			wmc, wmp, wmw := dot(c, mv), dot(p, mv), dot(row, mv)
			axpy(p, -db, row)
			f1 += db * wmc
			f2 += 2*db*wmp - db*db*wmw
		}
		f2 = max(epsilon*first, f2)
		dt = -f1 / f2
		if len(heap) == 0 && bounded {
			dt = 0
		}
	}
	dt = max(dt, 0)
	axpy(w.z, passed+dt, w.d)
	axpy(c, dt, p)
	return true
}

// heapify makes h a binary heap with the smallest t on top.
func heapify(h []breakpoint) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		sift(h, i)
	}
}

// pop removes the top of the heap.
func pop(h []breakpoint) []breakpoint {
	last := len(h) - 1
	h[0] = h[last]
	h = h[:last]
	sift(h, 0)
	return h
}

func sift(h []breakpoint, i int) {
	for {
		k := 2*i + 1
		if k >= len(h) {
			return
		}
		if k+1 < len(h) && h[k+1].t < h[k].t {
			k++
		}
		if h[i].t <= h[k].t {
			return
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
}
