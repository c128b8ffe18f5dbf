package design

import (
	"fmt"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/sobol"
)

// MaxSobolDim is the largest D that has a Sobol sequence.
const MaxSobolDim = sobol.MaxDim

// blockRows is the size of the Latin hypercubes that stand in for the Sobol
// sequence beyond MaxSobolDim.
const blockRows = 16

// Sobol fills dst with the first points of a scrambled Sobol sequence. Beyond
// MaxSobolDim columns it uses Latin hypercubes of 16 points, one after another.
// The first k rows are the same whatever the number of rows.
func Sobol(dst linalg.Matrix, r *rand.Rand) {
	if dst.Rows == 0 || dst.Cols == 0 {
		return
	}
	s, err := NewSequence(dst.Cols, r)
	if err != nil {
		panic(err) // only a build with a damaged table comes here
	}
	for i := range dst.Rows {
		s.Next(dst.Row(i))
	}
}

// Sequence hands out the rows of Sobol one by one. It is not safe for
// concurrent use.
type Sequence struct {
	points *sobol.Sequence // nil beyond MaxSobolDim
	block  linalg.Matrix   // the current Latin hypercube, beyond MaxSobolDim
	used   int             // rows of block handed out
	r      *rand.Rand      // its own generator
}

// NewSequence starts a sequence of points of [-1,1]^dim. Everything it needs of
// r is drawn at once: r can serve others while the sequence lives.
func NewSequence(dim int, r *rand.Rand) (*Sequence, error) {
	if dim > MaxSobolDim {
		return &Sequence{
			block: linalg.New(blockRows, dim), used: blockRows,
			r: rand.New(rand.NewPCG(r.Uint64(), r.Uint64())),
		}, nil
	}
	points, err := sobol.NewScrambled(dim, r)
	if err != nil {
		return nil, fmt.Errorf("design: %w", err)
	}
	return &Sequence{points: points}, nil
}

// Next stores the next point.
func (s *Sequence) Next(dst []float64) {
	if s.points == nil {
		s.nextOfBlock(dst)
		return
	}
	s.points.Next(dst)
	centre(dst)
}

// Peek stores some coordinates of the next point and stays before it.
func (s *Sequence) Peek(dst []float64, coords []int) {
	if s.points == nil {
		s.refill()
		row := s.block.Row(s.used)
		for k, j := range coords {
			dst[k] = row[j]
		}
		return
	}
	s.points.Peek(dst, coords)
	centre(dst[:len(coords)])
}

// centre maps [0,1) to [-1,1]. Half a cell of the 32-bit grid centres it: no point
// lies on the border.
func centre(dst []float64) {
	for j, u := range dst {
		dst[j] = 2*u - (1 - 0x1p-32)
	}
}

// Skip moves n points ahead, n >= 0.
func (s *Sequence) Skip(n int) {
	if s.points != nil {
		s.points.Skip(n)
		return
	}
	for range n {
		s.advance()
	}
}

func (s *Sequence) nextOfBlock(dst []float64) {
	copy(dst, s.block.Row(s.advance()))
}

// advance returns the row of block to use now.
func (s *Sequence) advance() int {
	s.refill()
	s.used++
	return s.used - 1
}

// refill draws a new block when all rows are used.
func (s *Sequence) refill() {
	if s.used == blockRows {
		LatinHypercube(s.block, s.r)
		s.used = 0
	}
}
