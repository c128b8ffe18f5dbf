package gp

import (
	"errors"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/linalg"
)

// lowRank evaluates likelihoods of smooth kernels with few length-scales between the
// points. Their matrix is K = Phi Phiᵀ + noise I with few columns r in Phi, up to rounding,
// and everything costs O(n r²) instead of O(n³).
type lowRank struct {
	phi, h  linalg.Matrix // r x n: Phiᵀ; scratch
	l       linalg.Matrix // r x r: factor of the kernel at the pivots, then of M
	inverse linalg.Matrix // r x r: M⁻¹, M = noise I + Phiᵀ Phi
	g, t    linalg.Matrix // r x r: scratch
	left    []float64     // diagonal of what the columns so far leave of the kernel
	all     []int         // 0, 1, 2...

	residual, alpha, moment, u, v []float64
}

const (
	// rankShare is the largest r/n that is worth it.
	rankShare = 0.42
	// rankTolerance is what is left of the kernel's diagonal, relative to the noise, and about
	// the largest relative error of the likelihood: a tenth of what stops a fit.
	rankTolerance = 1e-6
	// rankPerLength is a lower bound of r for points spread over one length-scale.
	rankPerLength = 1.5
	// rankStrip is the number of rows or columns of a triangle that are multiplied together.
	rankStrip = 48
)

// newLowRank returns nil when it cannot pay. With fewer points than parameters a fit pulls
// the points far apart, and the kernel's matrix is sparse instead.
func newLowRank(in *Inputs, low int, p Profile) *lowRank {
	if p != RBF || low > 2 || in.n <= in.dim || in.n < 64 {
		return nil
	}
	r := int(float64(in.n) * rankShare)
	vector := func() []float64 { return make([]float64, in.n) }
	w := &lowRank{
		phi: padded(r, in.n), h: padded(r, in.n),
		l: padded(r, r), inverse: padded(r, r), g: padded(r, r), t: padded(r, r), all: make([]int, r),
		left: vector(), residual: vector(), alpha: vector(), moment: vector(), u: vector(), v: vector(),
	}
	for a := range w.all {
		w.all[a] = a
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
	logDet := linalg.LogDet(w.l.Slice(0, r, 0, r)) + (n-float64(r))*math.Log(noise)
	ev.value = -0.5 * (fit + logDet + n*math.Log(2*math.Pi))
	ev.dNoise = 0.5 * (square - (n-trace)/noise)
	ev.dLogScale = 0.5 * (fit - noise*square - trace)
	w.derivative(dZ, z, r, noise)
	return ev, true
}

// invert computes the factor of M and M⁻¹ for Phi of rank r.
func (w *lowRank) invert(r int, noise float64) bool {
	l := w.l.Slice(0, r, 0, r)
	linalg.Syrk(l, 0, 1, w.phi.Slice(0, r, 0, w.phi.Cols))
	for a := range r {
		l.Row(a)[a] += noise
	}
	if linalg.Cholesky(l) != nil {
		return false
	}
	linalg.InverseFromCholesky(w.inverse.Slice(0, r, 0, r), l)
	return true
}

// solve computes alpha = (residual - Phi M⁻¹ Phiᵀ residual)/noise.
func (w *lowRank) solve(r int, noise float64) {
	coef := w.u[:r]
	for a := range r {
		coef[a] = -linalg.Dot(w.phi.Row(a), w.residual)
	}
	linalg.SolveLowerVec(w.l.Slice(0, r, 0, r), coef)
	linalg.SolveLowerTransVec(w.l.Slice(0, r, 0, r), coef)
	copy(w.alpha, w.residual)
	linalg.AddRows(w.alpha, coef, w.all[:r], w.phi)
	for i := range w.alpha {
		w.alpha[i] /= noise
	}
}

// derivative writes the derivative of the likelihood in z to dZ, without a matrix of n x n:
//
//	sum_j S_ij k_ij z_j = (k_ii z_i - Phi_iᵀ M⁻¹ (Phiᵀ diag(z) Phi) Phi_i)/noise,
//
// and the diagonal cancels.
func (w *lowRank) derivative(dZ, z linalg.Matrix, r int, noise float64) {
	phi, h := w.phi.Slice(0, r, 0, z.Cols), w.h.Slice(0, r, 0, z.Cols)
	inverse, g, t := w.inverse.Slice(0, r, 0, r), w.g.Slice(0, r, 0, r), w.t.Slice(0, r, 0, r)
	// With z = 1: M⁻¹ Phiᵀ Phi = I - noise M⁻¹.
	for a := range r {
		for b, v := range inverse.Row(a) {
			g.Set(a, b, -noise*v)
		}
		g.Row(a)[a]++
	}
	w.quadraticForms(w.u, g)
	for c := range z.Rows {
		zc, out := z.Row(c), dZ.Row(c)
		clear(w.moment) // k (alpha o z)
		for a := range r {
			scaled := h.Row(a)
			clear(scaled)
			linalg.AddProducts(scaled, phi.Row(a), zc)
			w.v[a] = linalg.Dot(scaled, w.alpha)
		}
		linalg.AddRows(w.moment, w.v[:r], w.all[:r], phi)
		for j := 0; j < r; j += rankStrip { // t = Phiᵀ diag(z) Phi, from the diagonal down
			end := min(j+rankStrip, r)
			linalg.GemmTB(t.Slice(j, r, j, end), 0, 1, h.Slice(j, r, 0, z.Cols), phi.Slice(j, end, 0, z.Cols))
		}
		for a := range r {
			for b, v := range t.Row(a)[:a] {
				t.Set(b, a, v)
			}
		}
		linalg.Gemm(g, 0, 1, inverse, t)
		w.quadraticForms(w.v, g)
		for i, a := range w.alpha {
			ka := w.residual[i] - noise*a // (k alpha)_i
			out[i] = a*(w.moment[i]-zc[i]*ka) + (w.v[i]-zc[i]*w.u[i])/noise
		}
	}
}

// quadraticForms fills dst with Phi_iᵀ G Phi_i, by the triangle of G + Gᵀ. It changes G.
func (w *lowRank) quadraticForms(dst []float64, g linalg.Matrix) {
	r, n := g.Rows, len(dst)
	phi := w.phi.Slice(0, r, 0, n)
	for a := range r {
		row := g.Row(a)
		for b := range a {
			row[b] += g.At(b, a)
			g.Set(b, a, 0)
		}
	}
	clear(dst)
	for a := 0; a < r; a += rankStrip {
		end := min(a+rankStrip, r)
		part := w.h.Slice(a, end, 0, n)
		linalg.Gemm(part, 0, 1, g.Slice(a, end, 0, end), phi.Slice(0, end, 0, n))
		for b := range part.Rows {
			linalg.AddProducts(dst, part.Row(b), phi.Row(a+b))
		}
	}
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
	rank = w.repeat(z, h, *pivots, point)
	*pivots = (*pivots)[:rank]
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
	for ; w.left[pivot] > enough; rank++ {
		if rank == most {
			return 0, false
		}
		*pivots = append(*pivots, pivot)
		pivot = w.eliminate(z, h, rank, pivot, point)
	}
	return rank, rank > 0
}

// covariances fills a row of phi with the covariances of the point i.
func (w *lowRank) covariances(row int, z linalg.Matrix, h Hyper, i int, point []float64) []float64 {
	for a := range point {
		point[a] = z.At(a, i)
	}
	column := w.phi.Row(row)
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
		l := w.l.Slice(0, rank, 0, rank)
		for a := range rank {
			row := w.phi.Row(a)
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
	enough := rankTolerance * h.NoiseVariance
	if small := slices.IndexFunc(w.all[:rank], func(a int) bool { return w.l.At(a, a)*w.l.At(a, a) <= enough }); small >= 0 {
		rank = small
	}
	if rank > 0 {
		linalg.SolveLower(w.l.Slice(0, rank, 0, rank), w.phi.Slice(0, rank, 0, z.Cols))
	}
	return rank
}

// eliminate computes column number rank of Phi and returns the next pivot.
func (w *lowRank) eliminate(z linalg.Matrix, h Hyper, rank, pivot int, point []float64) (next int) {
	column := w.covariances(rank, z, h, pivot, point)
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
