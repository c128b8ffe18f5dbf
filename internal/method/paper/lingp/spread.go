package lingp

import (
	"cmp"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
)

// maxSortedDim is the largest d for which points are sorted along their main
// direction; in more dimensions no direction separates them.
const maxSortedDim = 16

// keyed is a point's coordinate u and its index.
type keyed struct {
	u float64
	i int
}

// mainDirection fills dir (length d, unit norm) with the direction of largest
// spread of the columns of z (d x n). Any unit vector keeps the envelope
// correct, a good one keeps it narrow; six power iterations are enough.
func mainDirection(dir []float64, z linalg.Matrix) {
	d, n := z.Rows, z.Cols
	if d == 1 {
		dir[0] = 1
		return
	}
	clear(dir)
	var cov [maxSortedDim][maxSortedDim]float64
	var mean [maxSortedDim]float64
	for a := range d {
		for _, v := range z.Row(a) {
			mean[a] += v
		}
		mean[a] /= float64(n)
	}
	widest := 0
	for a := range d {
		za := z.Row(a)
		for b := range a + 1 {
			c := linalg.Dot(za, z.Row(b)) - float64(n)*mean[a]*mean[b]
			cov[a][b], cov[b][a] = c, c
		}
		if cov[a][a] > cov[widest][widest] {
			widest = a
		}
	}
	dir[widest] = 1
	var next [maxSortedDim]float64
	for range 6 {
		norm := 0.0
		for a := range d {
			next[a] = 0
			for b := range d {
				next[a] += cov[a][b] * dir[b]
			}
			norm += next[a] * next[a]
		}
		norm = math.Sqrt(norm)
		if !(norm > 0) || math.IsInf(norm, 0) {
			return
		}
		for a := range d {
			dir[a] = next[a] / norm
		}
	}
}

// sortAlong sets each key to the coordinate of its point along dir and sorts.
// The keys come in the order of the previous call, which is nearly right in a
// fit that moves in small steps. Ties are broken by index: the order, and with
// it every rounding, is a function of the data alone.
func sortAlong(keys []keyed, dir []float64, z linalg.Matrix) {
	for k := range keys {
		i := keys[k].i
		u := 0.0
		for a, c := range dir {
			u += c * z.Data[a*z.Stride+i]
		}
		keys[k].u = u
	}
	if !insertionSort(keys, 8*len(keys)) {
		slices.SortFunc(keys, compareKeys)
	}
}

// insertionSort sorts nearly sorted keys; it gives up after some moves.
func insertionSort(keys []keyed, moves int) (sorted bool) {
	for k := 1; k < len(keys); k++ {
		key, p := keys[k], k
		for ; p > 0 && compareKeys(key, keys[p-1]) < 0; p-- {
			keys[p] = keys[p-1]
		}
		keys[p] = key
		if moves -= k - p; moves < 0 {
			return false
		}
	}
	return true
}

func compareKeys(p, q keyed) int {
	if p.u < q.u {
		return -1
	}
	if p.u > q.u {
		return 1
	}
	return cmp.Compare(p.i, q.i)
}
