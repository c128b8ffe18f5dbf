package candidate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mahabo/mahabo/internal/acquire"
	"github.com/mahabo/mahabo/internal/design"
	"github.com/mahabo/mahabo/internal/lbfgsb"
	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/method/paper/acquisition"
)

// Options of Minimize; a zero field takes its default.
type Options struct {
	Starts  int // runs of the optimiser (5)
	Samples int // Sobol samples from which the starts are chosen (100)
	MaxIter int // iterations of a run (200)
	// Race gives every start so many iterations and only the lowest of them the rest (0:
	// all go to the end). In many dimensions most starts lead to the same few ends.
	Race int
	// Extra are points of the box beside the Sobol samples, one per row.
	Extra linalg.Matrix
	// Joint minimises the sum of f over all starts in one run, as BoTorch does. The
	// starts then share step lengths: a step that lowers the sum may throw a good
	// start far across the box. The result is the lowest end, even if a sample was
	// lower. Maha-BO lives on these jumps.
	Joint bool
}

// WithDefaults fills the fields left zero.
func (o Options) WithDefaults() Options {
	if o.Starts == 0 {
		o.Starts = 5
	}
	if o.Samples == 0 {
		o.Samples = 100
	}
	if o.MaxIter == 0 {
		o.MaxIter = 200
	}
	return o
}

// Validate names the first field that cannot be used.
func (o Options) Validate() error {
	for _, f := range []struct {
		name  string
		value int
	}{{"Starts", o.Starts}, {"Samples", o.Samples}, {"MaxIter", o.MaxIter}} {
		if f.value < 1 {
			return fmt.Errorf("%s is %d: it must be at least 1", f.name, f.value)
		}
	}
	if o.Race < 0 {
		return fmt.Errorf("Race is %d: it must be at least 0", o.Race)
	}
	return nil
}

// ErrNotFinite is returned when the acquisition function is finite at no sample.
var ErrNotFinite = errors.New("acquisition function is not finite at any sample: check the model's predictions")

// Minimize returns the lowest point of f over [-1,1]^dim found by L-BFGS-B from several
// starts; of equal ends the one of the earlier start. Should every run fail, the best
// sample is returned. When ctx ends, the result is the best point so far and the error
// that of ctx; x is nil when there is none.
func Minimize(ctx context.Context, f acquisition.Function, dim int, o Options, r *rand.Rand) (x []float64, value float64, err error) {
	o = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return nil, 0, err
	}
	if dim < 1 {
		return nil, 0, fmt.Errorf("dim is %d: a box needs at least one dimension", dim)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, 0, err
	}
	if o.Extra.Rows > 0 && o.Extra.Cols != dim {
		return nil, 0, fmt.Errorf("Extra has points of %d coordinates: the box has %d", o.Extra.Cols, dim)
	}
	samples := linalg.New(o.Samples+o.Extra.Rows, dim)
	design.Sobol(samples.Slice(0, o.Samples, 0, dim), r)
	for i := range o.Extra.Rows {
		copy(samples.Row(o.Samples+i), o.Extra.Row(i))
	}
	values := make([]float64, samples.Rows)
	evaluate(values, f, samples)
	ends := linalg.New(o.Starts, dim)
	starts := acquire.Starts(values, o.Starts, r)
	for i, s := range starts {
		copy(ends.Row(i), samples.Row(s))
	}
	ends.Rows = len(starts)
	lows := make([]float64, len(starts))
	if o.Joint {
		err = descendTogether(ctx, lows, ends, f, o.MaxIter)
	} else {
		err = descend(ctx, lows, ends, f, o)
	}
	x, value = make([]float64, dim), math.Inf(1)
	take := func(v float64, at []float64) {
		if v < value && !math.IsInf(v, -1) {
			copy(x, at)
			value = v
		}
	}
	for i, v := range lows {
		take(v, ends.Row(i))
	}
	// Separate runs only go down: there a sample wins only where the gradient failed.
	if !o.Joint || math.IsInf(value, 1) {
		for i, v := range values {
			take(v, samples.Row(i))
		}
	}
	if math.IsInf(value, 1) {
		x, value = nil, 0
		if err == nil {
			err = ErrNotFinite
		}
	}
	return x, value, err
}

// descend minimises f from every row of x, one run each; runs that did not start because
// ctx ended have the value +Inf.
func descend(ctx context.Context, values []float64, x linalg.Matrix, f acquisition.Function, o Options) (err error) {
	var workspace lbfgsb.Workspace
	run := func(i, maxIter int) {
		if err != nil {
			return
		}
		var res lbfgsb.Result
		res, err = workspace.Minimize(ctx, x.Row(i), []float64{-1}, []float64{1}, f.ValueGrad, lbfgsb.Options{MaxIter: maxIter})
		values[i] = min(values[i], res.F) // a run cancelled before its first step has +Inf
	}
	for i := range values {
		values[i] = math.Inf(1)
	}
	first := o.MaxIter
	if o.Race > 0 {
		first = min(first, o.Race)
	}
	winner := 0
	for i := range values {
		run(i, first)
		if values[i] < values[winner] || math.IsNaN(values[winner]) {
			winner = i
		}
	}
	if first < o.MaxIter {
		run(winner, o.MaxIter-first)
	}
	return err
}

// descendTogether minimises the sum of f over the rows of x in one run.
func descendTogether(ctx context.Context, values []float64, x linalg.Matrix, f acquisition.Function, maxIter int) error {
	row := func(v []float64, i int) []float64 { return v[i*x.Cols : (i+1)*x.Cols] }
	sum := func(grad, all []float64) (total float64) {
		for i := range values {
			total += f.ValueGrad(row(grad, i), row(all, i))
		}
		return total
	}
	_, err := lbfgsb.Minimize(ctx, x.Data[:x.Rows*x.Cols], []float64{-1}, []float64{1}, sum, lbfgsb.Options{MaxIter: maxIter})
	for i := range values {
		values[i] = f.Value(x.Row(i))
	}
	return err
}

// evaluate fills dst with f at the rows of x, at once when f can.
func evaluate(dst []float64, f acquisition.Function, x linalg.Matrix) {
	if batch, ok := f.(acquisition.BatchFunction); ok {
		batch.Values(dst, x)
		return
	}
	for i := range dst {
		dst[i] = f.Value(x.Row(i))
	}
}
