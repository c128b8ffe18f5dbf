package strategy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/mahabo/mahabo/internal/num"
)

// proposer chooses n points with a model.
type proposer func(ctx context.Context, n int, pending []Point) ([]Point, error)

// askModel surrounds a proposer with the initial design and the fallback.
func (h *history) askModel(ctx context.Context, cfg Config, report *AskReport, n int, pending []Point, propose proposer) ([]Point, error) {
	if err := h.checkAsk(n, pending); err != nil {
		return nil, err
	}
	*report = AskReport{}
	h.modelled, h.forecast = false, nil
	seen := len(h.x) + len(pending)
	if seen < cfg.Init || len(h.x) == 0 {
		return initialDesign(cfg, seen, n), nil
	}
	points, err := propose(ctx, n, pending)
	if err != nil && ctx.Err() == nil {
		report.Fallback = err
		return uniformAfterDesign(cfg, seen, n), nil
	}
	h.modelled = err == nil
	if report.Note == "" {
		report.Note = h.oddValues(cfg.Init)
	}
	// A corner of a small box can stay the best choice although it is taken.
	for i, x := range points {
		same := func(p Point) bool { return coincide(p, x) }
		if slices.ContainsFunc(pending, same) || slices.ContainsFunc(points[:i], same) {
			points[i] = uniformAfterDesign(cfg, seen+i, 1)[0]
		}
	}
	return points, err
}

// farOut is the distance from the lowest value, in those of the initial design's median, from
// which on a value looks made up.
const farOut = 1e4

// oddValues tells of values that hide what the others show, as penalties for trials that went
// wrong do. It is empty when there are none.
func (h *history) oddValues(design int) string {
	low := slices.Min(h.y)
	usual := num.Median(h.y[:min(design, len(h.y))]) - low
	count := 0
	for _, v := range h.y {
		if v/farOut-low/farOut > usual {
			count++
		}
	}
	if count == 0 || usual <= 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d values are so far from all others that they hide what those show: "+
		"tell trials that went wrong as failed or infeasible, not with a made-up value, and give the logarithm of values that span so much", count, len(h.y))
}

// coincide says whether two points are the same up to rounding.
func coincide(p, q Point) bool {
	for j, v := range p {
		if math.Abs(v-q[j]) > 1e-9 {
			return false
		}
	}
	return true
}

func squaredDistance(p, q Point) (sum float64) {
	for j, v := range p {
		sum += (v - q[j]) * (v - q[j])
	}
	return sum
}

// lowest returns the numbers of the n lowest values, the lowest first, of equal ones the
// earlier first; all of them when there are fewer.
func lowest(values []float64, n int) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	return order[:min(n, len(order))]
}

// fitCount is the number of observations that the fit for n of them uses: all below
// 2^exact, then a multiple of 2, from 2^(exact+1) on of 4, and so forth. Such a fit is a
// function of the first observations, whenever it is asked for.
func fitCount(n, exact int) int {
	return n &^ (1<<max(bits.Len(uint(n))-exact, 0) - 1)
}
