package gp

import (
	"math"

	"github.com/mahabo/mahabo/internal/linalg"
)

// lowRank evaluates likelihoods of smooth kernels with few length-scales between the
// points. Their matrix is K = Phi Phiᵀ + noise I with few columns r in Phi, up to rounding,
// and everything costs O(n r²) instead of O(n³).
type lowRank struct {
	phi, q   linalg.Matrix // r x n: Phiᵀ, and Qᵀ = L⁻¹ Phiᵀ with L Lᵀ = noise I + Phiᵀ Phi
	h        linalg.Matrix // scratch
	m, g, li linalg.Matrix // r x r
	left     []float64     // diagonal of what the columns so far leave of the kernel

	residual, alpha, moment, u, v []float64
}

const (
	// rankShare is the largest r/n that is worth it.
	rankShare = 0.3
	// rankTolerance is what is left of the kernel's diagonal, relative to the noise.
	rankTolerance = 1e-8
	// rankPerLength is a lower bound of r for points spread over one length-scale.
	rankPerLength = 1.5
)

// newLowRank returns nil when it cannot pay. With fewer points than parameters a fit pulls
// the points far apart, and the kernel's matrix is sparse instead.
func newLowRank(in *Inputs, low int, p Profile) *lowRank {
	if p != RBF || low > 2 || in.n <= in.dim || in.n < 64 {
		return nil
	}
	r := int(float64(in.n) * rankShare)
	vector := func() []float64 { return make([]float64, in.n) }
	return &lowRank{
		phi: padded(r, in.n), q: padded(r, in.n), h: padded(r, in.n),
		m: padded(r, r), g: padded(r, r), li: padded(r, r),
		left: vector(), residual: vector(), alpha: vector(), moment: vector(), u: vector(), v: vector(),
	}
}

// evaluate is workspace.evaluate; it says no when the rank is too high. With
// S = K⁻¹ = (I - Q Qᵀ)/noise,
//
//	alpha = S (y - mean),  trace(S k) = trace(Q Qᵀ),
//	alphaᵀ k alpha = alphaᵀ(y - mean) - noise |alpha|².
func (w *lowRank) evaluate(dZ, z linalg.Matrix, y []float64, h Hyper) (evaluation, bool) {
	r, ok := w.decompose(z, h)
	if !ok || !w.invert(r, h.NoiseVariance) {
		return evaluation{}, false
	}
	q := w.q.Slice(0, r, 0, len(y))
	for i, v := range y {
		w.residual[i] = v - h.Mean
	}
	copy(w.alpha, w.residual)
	var trace float64
	for a := range r {
		qa := q.Row(a)
		linalg.Axpy(w.alpha, -linalg.Dot(qa, w.residual), qa)
		trace += linalg.Dot(qa, qa)
	}
	var ev evaluation
	n, noise := float64(len(y)), h.NoiseVariance
	for i := range w.alpha {
		w.alpha[i] /= noise
		ev.dMean += w.alpha[i]
	}
	fit, square := linalg.Dot(w.residual, w.alpha), linalg.Dot(w.alpha, w.alpha)
	logDet := linalg.LogDet(w.m.Slice(0, r, 0, r)) + (n-float64(r))*math.Log(noise)
	ev.value = -0.5 * (fit + logDet + n*math.Log(2*math.Pi))
	ev.dNoise = 0.5 * (square - (n-trace)/noise)
	ev.dLogScale = 0.5 * (fit - noise*square - trace)
	w.derivative(dZ, z, r, noise)
	return ev, true
}

// invert computes L and Q for Phi of rank r.
func (w *lowRank) invert(r int, noise float64) bool {
	n := w.phi.Cols
	phi, m, li := w.phi.Slice(0, r, 0, n), w.m.Slice(0, r, 0, r), w.li.Slice(0, r, 0, r)
	linalg.GemmTB(m, 0, 1, phi, phi)
	for a := range r {
		m.Row(a)[a] += noise
	}
	if linalg.Cholesky(m) != nil {
		return false
	}
	for a := range r {
		copy(li.Row(a), m.Row(a)[:a+1])
		clear(li.Row(a)[a+1:])
	}
	linalg.InvertLower(li)
	linalg.Gemm(w.q.Slice(0, r, 0, n), 0, 1, li, phi)
	return true
}

// derivative writes the derivative of the likelihood in z to dZ, without a matrix of n x n:
//
//	sum_j S_ij k_ij z_j = (k_ii z_i - Q_iᵀ (Qᵀ diag(z) Phi) Phi_i)/noise,
//
// and the diagonal cancels.
func (w *lowRank) derivative(dZ, z linalg.Matrix, r int, noise float64) {
	n := z.Cols
	phi, q, h := w.phi.Slice(0, r, 0, n), w.q.Slice(0, r, 0, n), w.h.Slice(0, r, 0, n)
	m, g, li := w.m.Slice(0, r, 0, r), w.g.Slice(0, r, 0, r), w.li.Slice(0, r, 0, r)
	for a := range r { // Qᵀ Phi = L⁻¹(L Lᵀ - noise I) = Lᵀ - noise L⁻¹
		for b := range r {
			v := -noise * li.At(a, b)
			if b >= a {
				v += m.At(b, a)
			}
			g.Set(a, b, v)
		}
	}
	linalg.Gemm(h, 0, 1, g, phi)
	columnProducts(w.u, q, h) // sum_j (Q Qᵀ)_ij k_ij
	for c := range z.Rows {
		zc, out := z.Row(c), dZ.Row(c)
		clear(w.moment) // k (alpha o z)
		for a := range r {
			pa, qa, scaled := phi.Row(a), q.Row(a), h.Row(a)
			var s float64
			for i, e := range pa {
				s += e * w.alpha[i] * zc[i]
				scaled[i] = qa[i] * zc[i]
			}
			linalg.Axpy(w.moment, s, pa)
		}
		linalg.GemmTB(g, 0, 1, h, phi) // Qᵀ diag(z) Phi
		linalg.Gemm(h, 0, 1, g, phi)
		columnProducts(w.v, q, h)
		for i, a := range w.alpha {
			ka := w.residual[i] - noise*a // (k alpha)_i
			out[i] = a*(w.moment[i]-zc[i]*ka) + (w.v[i]-zc[i]*w.u[i])/noise
		}
	}
}

// columnProducts fills dst with the column sums of a o b.
func columnProducts(dst []float64, a, b linalg.Matrix) {
	clear(dst)
	for row := range a.Rows {
		bRow := b.Row(row)
		for i, e := range a.Row(row) {
			dst[i] += e * bRow[i]
		}
	}
}

// decompose computes Phi by a Cholesky decomposition with pivots, as far as needed, and
// returns the number of its columns.
func (w *lowRank) decompose(z linalg.Matrix, h Hyper) (rank int, ok bool) {
	scale, enough := h.OutputScale, rankTolerance*h.NoiseVariance
	n, most := z.Cols, w.phi.Rows
	for a := range z.Rows {
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range z.Row(a) {
			low, high = min(low, v), max(high, v)
		}
		if !(rankPerLength*(high-low) < float64(most)) {
			return 0, false
		}
	}
	for i := range w.left {
		w.left[i] = scale
	}
	pivot := 0
	point := make([]float64, z.Rows)
	for rank = 0; ; rank++ {
		if w.left[pivot] <= enough {
			return rank, rank > 0
		}
		if rank == most {
			return 0, false
		}
		column := w.phi.Row(rank)[:n]
		for a := range point {
			point[a] = z.At(a, pivot)
		}
		linalg.ColumnDistances(column, point, z)
		linalg.ExpScaled(column, scale, -0.5, column)
		for a := range rank {
			pa := w.phi.Row(a)
			linalg.Axpy(column, -pa[pivot], pa[:n])
		}
		root := 1 / math.Sqrt(w.left[pivot])
		next, largest := 0, math.Inf(-1)
		for i := range column {
			column[i] *= root
			w.left[i] -= column[i] * column[i]
			if w.left[i] > largest {
				next, largest = i, w.left[i]
			}
		}
		pivot = next
	}
}
