package method

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/mahabo/mahabo/internal/num"
	"github.com/mahabo/mahabo/strategy"
)

// Proposer chooses n points with a model.
type Proposer func(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error)

// AskModel surrounds a proposer with the initial design and the fallback.
func (h *History) AskModel(ctx context.Context, report *strategy.AskReport, n int, waiting []strategy.Suggestion, propose Proposer) ([]strategy.Suggestion, error) {
	return h.AskPoints(ctx, n, waiting, func(ctx context.Context, n int, pending []strategy.Point) ([]strategy.Point, error) {
		return h.askModel(ctx, report, n, pending, propose)
	})
}

// AskPoints checks the arguments of Ask and has points chosen that need no tags.
func (h *History) AskPoints(ctx context.Context, n int, pending []strategy.Suggestion, choose Proposer) ([]strategy.Suggestion, error) {
	if err := h.CheckAsk(n, pending); err != nil {
		return nil, err
	}
	points, err := choose(ctx, n, Points(pending))
	if err != nil {
		return nil, err
	}
	return Suggest(points), nil
}

func (h *History) askModel(ctx context.Context, report *strategy.AskReport, n int, pending []strategy.Point, propose Proposer) ([]strategy.Point, error) {
	cfg := h.Config
	*report = strategy.AskReport{}
	h.modelled, h.forecast = false, nil
	seen := len(h.X) + len(pending)
	if seen < cfg.Init || len(h.X) == 0 {
		return InitialDesign(cfg, seen, n), nil
	}
	points, err := propose(ctx, n, pending)
	if err != nil && ctx.Err() == nil {
		report.Fallback = err
		return UniformAfterDesign(cfg, seen, n), nil
	}
	h.modelled = err == nil
	if report.Note == "" {
		report.Note = h.oddValues(cfg.Init)
	}
	// A corner of a small box can stay the best choice although it is taken.
	for i, x := range points {
		same := func(p strategy.Point) bool { return Coincide(p, x) }
		if slices.ContainsFunc(pending, same) || slices.ContainsFunc(points[:i], same) {
			points[i] = UniformAfterDesign(cfg, seen+i, 1)[0]
		}
	}
	return points, err
}

// farOut is the distance from the lowest value, in those of the initial design's median, from
// which on a value looks made up.
const farOut = 1e4

// oddValues tells of values that hide what the others show, as penalties for trials that went
// wrong do. It is empty when there are none.
func (h *History) oddValues(design int) string {
	low := slices.Min(h.Y)
	usual := num.Median(h.Y[:min(design, len(h.Y))]) - low
	count := 0
	for _, v := range h.Y {
		if v/farOut-low/farOut > usual {
			count++
		}
	}
	if count == 0 || usual <= 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d values are so far from all others that they hide what those show: "+
		"tell trials that went wrong as failed or infeasible, not with a made-up value, and give the logarithm of values that span so much", count, len(h.Y))
}

// Coincide says whether two points are the same up to rounding.
func Coincide(p, q strategy.Point) bool {
	for j, v := range p {
		if math.Abs(v-q[j]) > 1e-9 {
			return false
		}
	}
	return true
}

// SquaredDistance is |p - q|².
func SquaredDistance(p, q strategy.Point) (sum float64) {
	for j, v := range p {
		sum += (v - q[j]) * (v - q[j])
	}
	return sum
}

// Lowest returns the numbers of the n lowest values, the lowest first, of equal ones the
// earlier first; all of them when there are fewer.
func Lowest(values []float64, n int) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	return order[:min(n, len(order))]
}

// FitCount is the number of observations that the fit for n of them uses: all below
// 2^exact, then a multiple of 2, from 2^(exact+1) on of 4, and so forth. Such a fit is a
// function of the first observations, whenever it is asked for.
func FitCount(n, exact int) int {
	return n &^ (1<<max(bits.Len(uint(n))-exact, 0) - 1)
}
