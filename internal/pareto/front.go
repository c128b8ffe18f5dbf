package pareto

import (
	"cmp"
	"math"
	"slices"
)

// Dominates says that a is nowhere worse than b and somewhere better.
func Dominates(a, b []float64) bool {
	better := false
	for k := range a {
		if a[k] > b[k] {
			return false
		}
		better = better || a[k] < b[k]
	}
	return better
}

// Front returns the places of the points that no other dominates, in the order of their first
// objective, of equal points the first.
func Front(points [][]float64) (front []int) {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	// Behind a point in this order stands none that dominates it.
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(points[a], points[b]) })
	for _, i := range order {
		if !slices.ContainsFunc(front, func(j int) bool { return Covers(points[j], points[i]) }) {
			front = append(front, i)
		}
	}
	return front
}

// Covers says that a is nowhere worse than b.
func Covers(a, b []float64) bool {
	for k := range a {
		if a[k] > b[k] {
			return false
		}
	}
	return true
}

// Hypervolume is the volume of what the points dominate and the reference point bounds. It is
// exact: slices along the last objective (While et al. 2006), of which the last two are a sweep.
func Hypervolume(points [][]float64, reference []float64) float64 {
	var inside [][]float64
	for _, p := range points {
		if all(p, reference, func(a, b float64) bool { return a < b }) {
			inside = append(inside, p)
		}
	}
	return volume(inside, reference)
}

// Added is what a point adds to the hypervolume of others: its own box without the part of it that they dominate. Of many
// points and objectives that part is simple, where the whole front is not.
func Added(points [][]float64, y, reference []float64) float64 {
	less := func(a, b float64) bool { return a < b }
	if !all(y, reference, less) {
		return 0
	}
	own := 1.0
	for k, v := range y {
		own *= reference[k] - v
	}
	var within [][]float64
	for _, p := range points {
		corner := make([]float64, len(y))
		for k, v := range p {
			corner[k] = max(v, y[k])
		}
		if all(corner, reference, less) {
			within = append(within, corner)
		}
	}
	var front [][]float64
	for _, i := range Front(within) {
		front = append(front, within[i])
	}
	return max(0, own-volume(front, reference))
}

func all(a, b []float64, holds func(a, b float64) bool) bool {
	for k := range a {
		if !holds(a[k], b[k]) {
			return false
		}
	}
	return true
}

// volume is that of points within the reference.
func volume(points [][]float64, reference []float64) (v float64) {
	if len(points) == 0 {
		return 0
	}
	last := len(reference) - 1
	switch last {
	case 0:
		best := points[0][0]
		for _, p := range points {
			best = min(best, p[0])
		}
		return bounded(reference[0] - best)
	case 1:
		return area(points, reference)
	}
	sorted := slices.Clone(points)
	slices.SortFunc(sorted, func(a, b []float64) int { return cmp.Compare(a[last], b[last]) })
	var base [][]float64 // what the slice has, without those dominated in it
	for i, p := range sorted {
		head := p[:last]
		if !slices.ContainsFunc(base, func(q []float64) bool { return Covers(q, head) }) {
			base = slices.DeleteFunc(base, func(q []float64) bool { return Covers(head, q) })
			base = append(base, head)
		}
		until := reference[last]
		if i+1 < len(sorted) {
			until = sorted[i+1][last]
		}
		if until > p[last] {
			v = bounded(v + bounded(until-p[last])*volume(base, reference[:last]))
		}
	}
	return v
}

// bounded keeps sizes finite, however large the numbers are: JSON has no infinity.
func bounded(v float64) float64 { return min(v, math.MaxFloat64) }

// area is the volume for two objectives.
func area(points [][]float64, reference []float64) (v float64) {
	sorted := slices.Clone(points)
	slices.SortFunc(sorted, slices.Compare)
	below := reference[1]
	for _, p := range sorted {
		if p[1] < below {
			v = bounded(v + bounded(reference[0]-p[0])*bounded(below-p[1]))
			below = p[1]
		}
	}
	return v
}

// Reference is a reference point from data: of each objective the worst value on the front and a
// tenth of the range there beyond; where the front has no range, that of all points.
func Reference(points [][]float64) []float64 {
	if len(points) == 0 {
		return nil
	}
	var front [][]float64
	for _, i := range Front(points) {
		front = append(front, points[i])
	}
	reference := make([]float64, len(points[0]))
	for k := range reference {
		low, high := extent(front, k)
		width := bounded(high - low)
		if width == 0 {
			l, h := extent(points, k)
			width = bounded(h - l)
		}
		if width == 0 {
			width = bounded(max(1, 2*high, -2*high)) / 10
		}
		reference[k] = bounded(high + width/10)
	}
	return reference
}

func extent(points [][]float64, k int) (low, high float64) {
	low, high = points[0][k], points[0][k]
	for _, p := range points {
		low, high = min(low, p[k]), max(high, p[k])
	}
	return low, high
}

// Knee returns the place of the point that gives most for least: after every objective is scaled
// to [0,1] over the points, the one with the lowest sum, which lies farthest before the plane
// through the ends of the front. It is -1 without points.
func Knee(front [][]float64) int {
	best, at := 0.0, -1
	for i, p := range front {
		sum := 0.0
		for k := range p {
			if low, high := extent(front, k); high > low {
				sum += (p[k] - low) / (high - low)
			}
		}
		if at < 0 || sum < best {
			best, at = sum, i
		}
	}
	return at
}
