package sobol

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// DimensionError reports a number of dimensions the table does not have.
type DimensionError struct{ Dim int }

func (e *DimensionError) Error() string {
	return fmt.Sprintf("sobol: Dim is %d: the direction numbers cover 1 to %d dimensions", e.Dim, MaxDim)
}

// Sequence is one Sobol sequence with its position. It has period 2^32. It is
// not safe for concurrent use.
type Sequence struct {
	dim int
	n   uint32   // index of the next point
	x   []uint32 // the next point, scaled by 2^32
	v   *table

	scramble *scramble // nil for the plain sequence
}

// New returns the plain sequence, which starts at the origin.
func New(dim int) (*Sequence, error) {
	if dim < 1 || dim > MaxDim {
		return nil, &DimensionError{dim}
	}
	t, err := tableFor(dim)
	if err != nil {
		return nil, err
	}
	return &Sequence{dim: dim, x: make([]uint32, dim), v: t}, nil
}

// NewScrambled returns a randomly scrambled sequence: each point alone is
// uniform on the unit cube. All randomness is drawn from r here, and how much
// depends on dim only.
func NewScrambled(dim int, r *rand.Rand) (*Sequence, error) {
	q, err := New(dim)
	if err != nil {
		return nil, err
	}
	q.scramble = newScramble(dim, r)
	fillBits(q.x, r) // the shift is the first point
	return q, nil
}

// Dim returns the number of coordinates of a point.
func (q *Sequence) Dim() int { return q.dim }

// Next stores the next point, of [0,1)^Dim, and moves on.
func (q *Sequence) Next(dst []float64) {
	if len(dst) != q.dim {
		panic(fmt.Sprintf("sobol: destination has %d elements, the sequence has %d dimensions", len(dst), q.dim))
	}
	for j, w := range q.x {
		dst[j] = float64(w) * scale
	}
	q.n++
	// g(n) = g(n-1) with the bit of the lowest one of n flipped. When n wraps
	// to 0, flipping the highest bit closes the period.
	q.flip(min(bits.TrailingZeros32(q.n), wordBits-1))
}

// scale turns words into numbers of [0,1).
const scale = 1.0 / (1 << wordBits)

// Peek stores some coordinates of the next point and stays before it.
func (q *Sequence) Peek(dst []float64, coords []int) {
	dst = dst[:len(coords)]
	for k, j := range coords {
		dst[k] = float64(q.x[j]) * scale
	}
}

// Skip moves n points ahead, modulo the period.
func (q *Sequence) Skip(n int) {
	old := q.n ^ q.n>>1
	q.n += uint32(n)
	changed := old ^ q.n ^ q.n>>1
	for ; changed != 0; changed &= changed - 1 {
		q.flip(bits.TrailingZeros32(changed))
	}
}

// flip changes bit c of the Gray code of the point.
func (q *Sequence) flip(c int) {
	v := q.v.v[c][:q.dim]
	if q.scramble != nil {
		v = q.scramble.directions(c, v)
	}
	x := q.x[:len(v)]
	for j, w := range v {
		x[j] ^= w
	}
}
