package lingp

import (
	"errors"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
)

// lowRank evaluates likelihoods of smooth kernels with few length-scales between the
// points. With r points P of them, the pivots, their matrix is up to rounding
//
//	K = k_XP k_PP⁻¹ k_PX + noise I = Phi Phiᵀ + noise I,  k_PP = L Lᵀ,  Phi = k_XP L⁻ᵀ,
//
// and everything costs O(n r²) instead of O(n³).
type lowRank struct {
	k, phi, f linalg.Matrix // r x n: k_PX, Phiᵀ, and the derivative in k_PX
	l         linalg.Matrix // r x r: L⁻¹, with zeros above the diagonal
	m         linalg.Matrix // r x r: factor of k_PP, then of M = noise I + Phiᵀ Phi
	inverse   linalg.Matrix // r x r: M⁻¹
	g, t      linalg.Matrix // r x r: scratch
	left      []float64     // diagonal of what the columns so far leave of the kernel
	all       []int         // 0, 1, 2...
	ones      []float64     // r

	residual, alpha, sum, u, v []float64
}

const (
	// rankShare is the largest r/n that is worth it.
	rankShare = 0.44
	// rankTolerance is what is left of the kernel's diagonal, relative to the noise. The
	// relative error of the likelihood is about a tenth of it, far below what stops a fit.
	rankTolerance = 1e-6
	// rankReserve is what new pivots leave of the tolerance, for the next steps to need none.
	rankReserve = 0.3
	// fewPivots cost nothing: up to them fewLeave of the tolerance is left. The derivative of a
	// nearly flat kernel depends on it.
	fewPivots, fewLeave = 32, 1e-3
	// pivotTolerance is the part of what may be left that makes an old pivot worth its column.
	pivotTolerance = 0.1
	// rankPerLength is a lower bound of r for points spread over one length-scale.
	rankPerLength = 1.5
	// rankStrip is the number of rows of a triangle that are multiplied together.
	rankStrip = 32
)

// newLowRank returns nil when it cannot pay. With fewer points than parameters a fit pulls
// the points far apart, and the kernel's matrix is sparse instead.
func newLowRank(in *Inputs, low int, p gp.Profile) *lowRank {
	if p != gp.RBF || low > 2 || in.n <= in.dim || in.n < 64 {
		return nil
	}
	r := int(float64(in.n) * rankShare)
	vector := func() []float64 { return make([]float64, in.n) }
	w := &lowRank{
		k: padded(r, in.n), phi: padded(r, in.n), f: padded(r, in.n),
		l: padded(r, r), m: padded(r, r), inverse: padded(r, r), g: padded(r, r), t: padded(r, r), all: make([]int, r),
		left: vector(), residual: vector(), alpha: vector(), sum: vector(), u: vector(), v: vector(),
	}
	w.ones = make([]float64, r)
	for a := range w.all {
		w.all[a], w.ones[a] = a, 1
	}
	return w
}

// evaluate is workspace.evaluate; it says no when the rank is too high. pivots are those of
// the last evaluation at parameters nearby, if any, and are replaced. With
// S = K⁻¹ = (I - Phi M⁻¹ Phiᵀ)/noise,
//
//	alpha = S (y - mean),  trace(S k) = r - noise trace(M⁻¹),
//	alphaᵀ k alpha = alphaᵀ(y - mean) - noise |alpha|².
func (w *lowRank) evaluate(dZ, z linalg.Matrix, y []float64, h Hyper, pivots *[]int) (evaluation, bool) {
	r, ok := w.decompose(z, h, pivots)
	if !ok || !w.invert(r, h.NoiseVariance) {
		return evaluation{}, false
	}
	n, noise := float64(len(y)), h.NoiseVariance
	for i, v := range y {
		w.residual[i] = v - h.Mean
	}
	w.solve(r, noise)
	var ev evaluation
	trace := float64(r)
	for a := range r {
		trace -= noise * w.inverse.At(a, a)
	}
	for _, a := range w.alpha {
		ev.dMean += a
	}
	fit, square := linalg.Dot(w.residual, w.alpha), linalg.Dot(w.alpha, w.alpha)
	logDet := linalg.LogDet(w.m.Slice(0, r, 0, r)) + (n-float64(r))*math.Log(noise)
	ev.value = -0.5 * (fit + logDet + n*math.Log(2*math.Pi))
	ev.dNoise = 0.5 * (square - (n-trace)/noise)
	ev.dLogScale = 0.5 * (fit - noise*square - trace)
	w.derivative(dZ, z, noise, *pivots)
	return ev, true
}

// invert computes the factor of M and M⁻¹ for Phi of rank r.
func (w *lowRank) invert(r int, noise float64) bool {
	m := w.m.Slice(0, r, 0, r)
	linalg.Syrk(m, 0, 1, w.phi.Slice(0, r, 0, w.phi.Cols))
	for a := range r {
		m.Row(a)[a] += noise
	}
	if linalg.Cholesky(m) != nil {
		return false
	}
	linalg.InverseFromCholesky(w.inverse.Slice(0, r, 0, r), m)
	return true
}

// solve computes alpha = (residual - Phi M⁻¹ Phiᵀ residual)/noise.
func (w *lowRank) solve(r int, noise float64) {
	coef := w.u[:r]
	for a := range r {
		coef[a] = -linalg.Dot(w.phi.Row(a), w.residual)
	}
	linalg.SolveLowerVec(w.m.Slice(0, r, 0, r), coef)
	linalg.SolveLowerTransVec(w.m.Slice(0, r, 0, r), coef)
	copy(w.alpha, w.residual)
	linalg.AddRows(w.alpha, coef, w.all[:r], w.phi)
	for i := range w.alpha {
		w.alpha[i] /= noise
	}
}

// derivative writes the derivative of the likelihood in z to dZ. With C = k_XP k_PP⁻¹ =
// Phi L⁻¹ and c = Cᵀ alpha,
//
//	d value = tr(F d k_XP) - ½ tr(U d k_PP),  d k(x,p)/dx = -k(x,p) (x - p),
//	F = Cᵀ (alpha alphaᵀ - S) = c alphaᵀ - L⁻ᵀ M⁻¹ Phiᵀ,
//	U = F C = c cᵀ - (L⁻ᵀ - noise L⁻ᵀ M⁻¹) L⁻¹.
func (w *lowRank) derivative(dZ, z linalg.Matrix, noise float64, pivots []int) {
	r, n := len(pivots), z.Cols
	phi, f, l, t := w.phi.Slice(0, r, 0, n), w.f.Slice(0, r, 0, n), w.l.Slice(0, r, 0, r), w.t.Slice(0, r, 0, r)
	c, total, zp, away := w.u[:r], w.v[:r], w.residual[:r], w.left[:r]
	clear(c)
	for a := range r {
		linalg.Axpy(c[:a+1], linalg.Dot(phi.Row(a), w.alpha), l.Row(a)[:a+1])
	}
	for a := 0; a < r; a += rankStrip {
		end := min(a+rankStrip, r)
		linalg.GemmTA(t.Slice(a, end, 0, r), 0, -1, l.Slice(a, r, a, end), w.inverse.Slice(a, r, 0, r))
	}
	linalg.Gemm(f, 0, 1, t, phi)
	u := w.betweenPivots(c, noise, pivots)
	fk := phi // F o k_PX takes the place of Phi
	clear(w.sum)
	for a, ca := range c {
		row, k := fk.Row(a), w.k.Row(a)
		linalg.Axpy(f.Row(a), ca, w.alpha)
		total[a] = linalg.Dot(f.Row(a), k)
		clear(row)
		linalg.AddProducts(row, f.Row(a), k)
		linalg.Axpy(w.sum, 1, row)
	}
	for d := range z.Rows {
		zd, out := z.Row(d), dZ.Row(d)
		for a, p := range pivots {
			zp[a] = zd[p]
		}
		clear(out)
		linalg.AddRows(out, zp, w.all[:r], fk)
		for i, v := range w.sum {
			out[i] -= zd[i] * v
		}
		for a, p := range pivots {
			copy(away, zp) // z_b - z_a: near pivots have large U and small differences
			linalg.Axpy(away, -zp[a], w.ones[:r])
			out[p] += linalg.Dot(fk.Row(a), zd) - total[a]*zp[a] - linalg.Dot(u.Row(a), away)
		}
	}
}

// betweenPivots returns U o k_PP, given t = -L⁻ᵀ M⁻¹, which it changes.
func (w *lowRank) betweenPivots(c []float64, noise float64, pivots []int) linalg.Matrix {
	r := len(pivots)
	l, u, t := w.l.Slice(0, r, 0, r), w.g.Slice(0, r, 0, r), w.t.Slice(0, r, 0, r)
	linalg.Transpose(u, l)
	for a := range r {
		linalg.Axpy(u.Row(a), noise, t.Row(a))
	}
	for a := 0; a < r; a += rankStrip { // U is symmetric, L⁻¹ a triangle
		end := min(a+rankStrip, r)
		linalg.Gemm(t.Slice(a, r, a, end), 0, -1, u.Slice(a, r, a, r), l.Slice(a, r, a, end))
	}
	for a, ca := range c {
		row, k := t.Row(a), w.k.Row(a)
		for b, p := range pivots[:a+1] {
			v := (row[b] + ca*c[b]) * k[p]
			row[b] = v
			t.Set(b, a, v)
		}
	}
	return t
}

// decompose computes Phi by a Cholesky decomposition with pivots, as far as needed, and
// returns the number of its columns. It begins with the pivots given as far as those still
// add something.
func (w *lowRank) decompose(z linalg.Matrix, h Hyper, pivots *[]int) (rank int, ok bool) {
	most := w.phi.Rows
	for a := range z.Rows {
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range z.Row(a) {
			low, high = min(low, v), max(high, v)
		}
		if !(rankPerLength*(high-low) < float64(most)) {
			return 0, false
		}
	}
	enough := rankTolerance * h.NoiseVariance
	point := make([]float64, z.Rows)
	known := w.repeat(z, h, *pivots, point)
	rank, *pivots = known, (*pivots)[:known]
	for i := range w.left {
		w.left[i] = -h.OutputScale
	}
	for a := range rank {
		linalg.AddProducts(w.left, w.phi.Row(a), w.phi.Row(a))
	}
	pivot := 0
	for i, v := range w.left {
		if w.left[i] = -v; w.left[i] > w.left[pivot] {
			pivot = i
		}
	}
	if w.left[pivot] > enough || rank < fewPivots {
		enough *= rankReserve
	}
	for ; w.left[pivot] > enough || rank < fewPivots && w.left[pivot] > fewLeave*enough; rank++ {
		if rank == most {
			return 0, false
		}
		*pivots = append(*pivots, pivot)
		pivot = w.eliminate(z, h, rank, pivot, point)
	}
	if rank > known {
		for a, p := range *pivots {
			for b := range a + 1 {
				w.l.Set(a, b, w.phi.At(b, p)) // Phi_P = L
			}
		}
		linalg.InvertLower(w.l.Slice(0, rank, 0, rank))
	}
	return rank, rank > 0
}

// covariances fills a row of k with the covariances of the point i.
func (w *lowRank) covariances(row int, z linalg.Matrix, h Hyper, i int, point []float64) []float64 {
	for a := range point {
		point[a] = z.At(a, i)
	}
	column := w.k.Row(row)
	linalg.ColumnDistances(column, point, z)
	linalg.ExpScaled(column, h.OutputScale, -0.5, column)
	return column
}

// repeat computes the columns of Phi for pivots known before, at once, and returns how many
// of them it took: the first that leaves too little ends it.
func (w *lowRank) repeat(z linalg.Matrix, h Hyper, pivots []int, point []float64) int {
	rank := len(pivots)
	if rank == 0 {
		return 0
	}
	for a, i := range pivots {
		w.covariances(a, z, h, i, point)
	}
	for {
		l := w.m.Slice(0, rank, 0, rank)
		for a := range rank {
			row := w.k.Row(a)
			for b, i := range pivots[:a+1] {
				l.Set(a, b, row[i])
			}
		}
		var short *linalg.NotPositiveDefiniteError
		if err := linalg.Cholesky(l); errors.As(err, &short) {
			if rank = short.Pivot; rank == 0 {
				return 0
			}
			continue
		}
		break
	}
	enough := pivotTolerance * rankReserve * rankTolerance * h.NoiseVariance
	small := slices.IndexFunc(w.all[:rank], func(a int) bool {
		v := w.m.At(a, a) * w.m.At(a, a)
		return v <= fewLeave*enough || v <= enough && a >= fewPivots
	})
	if small >= 0 {
		rank = small
	}
	for a := range rank {
		copy(w.l.Row(a)[:a+1], w.m.Row(a))
	}
	linalg.InvertLower(w.l.Slice(0, rank, 0, rank))
	for a := 0; a < rank; a += rankStrip {
		end := min(a+rankStrip, rank)
		linalg.Gemm(w.phi.Slice(a, end, 0, z.Cols), 0, 1, w.l.Slice(a, end, 0, end), w.k.Slice(0, end, 0, z.Cols))
	}
	return rank
}

// eliminate computes column number rank of Phi and returns the next pivot.
func (w *lowRank) eliminate(z linalg.Matrix, h Hyper, rank, pivot int, point []float64) (next int) {
	column := w.phi.Row(rank)
	copy(column, w.covariances(rank, z, h, pivot, point))
	coef := w.v[:rank]
	for a := range coef {
		coef[a] = -w.phi.At(a, pivot)
	}
	linalg.AddRows(column, coef, w.all[:rank], w.phi)
	root, largest := 1/math.Sqrt(w.left[pivot]), math.Inf(-1)
	for i := range column {
		column[i] *= root
		w.left[i] -= column[i] * column[i]
		if w.left[i] > largest {
			next, largest = i, w.left[i]
		}
	}
	return next
}
