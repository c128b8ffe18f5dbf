package cmaes

import (
	"math"
	"slices"
)

// Status says whether a search can still make progress.
type Status int

// The states of a search.
const (
	Running        Status = iota
	FlatValues            // values stopped changing: TolFun
	SmallStep             // the distribution has shrunk to a point: TolX
	IllConditioned        // eigenvalues of C are 1e14 apart, or not positive
	Diverged              // the spread has grown beyond 1e4 times its start
)

func (s Status) String() string {
	return [...]string{"running", "values are flat", "step is small", "covariance is ill-conditioned", "step has exploded"}[s]
}

const (
	maxCondition = 1e14
	maxGrowth    = 1e4
)

// Status returns Running, or why to stop (appendix B.3 of the tutorial). Sample and
// Tell go on working in every state.
func (s *Search) Status() Status {
	s.decompose()
	largest, size := slices.Max(s.d), 0.0
	for j := range s.n {
		size = max(size, math.Sqrt(s.C.At(j, j)), math.Abs(s.pc[j]))
	}
	switch {
	case s.broken:
		return IllConditioned
	case !(s.sigma*largest <= maxGrowth*s.cfg.StdDev):
		return Diverged
	case s.sigma*size < s.cfg.TolX:
		return SmallStep
	case s.flat():
		return FlatValues
	}
	return Running
}

// flat compares the last generation and the best values of the last
// 10 + ceil(30 n/lambda) generations. The tolerance is relative to the values, so
// that scaling the objective changes nothing.
func (s *Search) flat() bool {
	if len(s.recent) < s.window {
		return false
	}
	low := min(slices.Min(s.recent), s.lowest)
	high := max(slices.Max(s.recent), s.highest)
	return high-low <= s.cfg.TolFun*max(math.Abs(high), math.Abs(low))
}

// remember stores the range of a generation and its best value.
func (s *Search) remember(lowest, highest float64) {
	s.lowest, s.highest = lowest, highest
	if len(s.recent) == s.window {
		copy(s.recent, s.recent[1:])
		s.recent = s.recent[:len(s.recent)-1]
	}
	s.recent = append(s.recent, lowest)
}
