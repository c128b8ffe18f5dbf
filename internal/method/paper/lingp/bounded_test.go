package lingp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/mahabo/mahabo/internal/fdcheck"
	"github.com/mahabo/mahabo/internal/gp"
	"github.com/mahabo/mahabo/internal/linalg"
)

// relatives returns points that descend from a few random ones by changing some
// coordinates, with one exact repetition.
func relatives(n, dim, roots, changes int, r *rand.Rand) (*Inputs, []float64) {
	in, y := NewInputs(dim), make([]float64, n)
	for i := range n {
		x := make([]float64, dim)
		switch {
		case i < roots:
			for j := range x {
				x[j] = r.Float64()
			}
		default:
			copy(x, in.At(r.IntN(i)))
			for range changes {
				x[r.IntN(dim)] = r.Float64()
			}
		}
		if i == n-1 {
			copy(x, in.At(i/2))
		}
		in.Append(x)
		y[i] = r.NormFloat64()
	}
	return in, y
}

func ardHyper(dim int, r *rand.Rand) Hyper {
	scales := make([]float64, dim)
	for j := range scales {
		scales[j] = 0.3 + 1.5*r.Float64()
	}
	return Hyper{Kernel: Matern52ARD(scales), OutputScale: 1.3, NoiseVariance: 0.02, Mean: 0.2}
}

// The recursion over parents gives the likelihood and the gradients of the
// general code, whatever the points share.
func TestLineageLikelihood(t *testing.T) {
	for _, c := range []struct {
		name                   string
		n, dim, roots, changes int
	}{
		{"few changes", 40, 60, 5, 3}, {"strangers", 12, 30, 12, 0}, {"one input", 9, 1, 3, 1},
		{"many changes", 30, 20, 4, 12}, {"two points", 2, 25, 1, 2}, {"one point", 1, 3, 1, 0},
	} {
		for _, profile := range []gp.Profile{gp.RBF, gp.Matern52} {
			r := stream(uint64(c.n))
			in, y := relatives(c.n, c.dim, c.roots, c.changes, r)
			h := ardHyper(c.dim, r)
			h.Profile = profile
			want, grad, _, err := LogMarginal(h, in, y)
			if err != nil {
				t.Fatal(err)
			}
			dLength := make([]float64, c.dim)
			ev, err := newARDLikelihood(NewLineage(in), 1).evaluate(dLength, h, y)
			if err != nil {
				t.Fatal(err)
			}
			checkClose(t, c.name+": value", []float64{ev.value}, []float64{want})
			checkClose(t, c.name+": scalars", []float64{ev.dLogScale, ev.dNoise * h.NoiseVariance, ev.dMean},
				[]float64{grad.LogOutputScale, grad.LogNoise, grad.Mean})
			checkClose(t, c.name+": length-scales", dLength, grad.Map)
		}
	}
}

func TestLineageMatchesGPyTorch(t *testing.T) {
	for _, f := range fixtures(t) {
		if len(f.LengthScales) == 0 {
			continue
		}
		h := f.hyper(t)
		dLength := make([]float64, len(f.LengthScales))
		ev, err := newARDLikelihood(NewLineage(inputsOf(f.X)), 1).evaluate(dLength, h, f.Y)
		if err != nil {
			t.Fatal(err)
		}
		for j, l := range f.LengthScales {
			dLength[j] *= l
		}
		checkClose(t, f.Kernel+" value", []float64{ev.value}, []float64{f.LogMarginal})
		checkClose(t, f.Kernel+" length-scales", dLength, f.DLogLength)
		checkClose(t, f.Kernel+" scalars", []float64{ev.dLogScale, ev.dNoise * h.NoiseVariance, ev.dMean},
			[]float64{f.DLogScale, f.DLogNoise, f.DMean})
	}
}

// Parents share the most coordinates, and strangers have none.
func TestParents(t *testing.T) {
	in := NewInputs(5)
	for _, x := range [][]float64{
		{1, 2, 3, 4, 5}, {9, 9, 9, 9, 9}, {1, 2, 3, 4, 0}, {1, 2, 3, 7, 0}, {1, 2, 3, 4, 5}, {1, 2, 0, 0, 6},
	} {
		in.Append(x)
	}
	l := NewLineage(in.First(4))
	l.extend()
	l.in = in // two points more
	l.extend()
	for i, want := range []int{-1, -1, 0, 2, 0, -1} {
		if l.parent[i] != want {
			t.Errorf("point %d has parent %d, want %d", i, l.parent[i], want)
		}
	}
	if len(l.differ[4]) != 0 || len(l.differ[3]) != 1 || l.differ[3][0] != 3 {
		t.Errorf("differences %v", l.differ)
	}
}

var testBounds = Bounds{
	LengthScale: Interval{0.005, 2}, OutputScale: Interval{0.05, 20}, NoiseVariance: Interval{5e-4, 0.2},
}

// The loss in the raw parameters is that of the general code, its gradient the
// derivative, and Adam's first step has the size of the rate against its sign.
func TestBoundedLoss(t *testing.T) {
	r := stream(3)
	in, y := relatives(25, 8, 4, 2, r)
	h := ardHyper(8, r)
	theta, err := testBounds.toRaw(h)
	if err != nil {
		t.Fatal(err)
	}
	grad := make([]float64, len(theta))
	loss, err := newBounded(h, testBounds, NewLineage(in), y, 1).loss(grad, theta)
	if err != nil {
		t.Fatal(err)
	}
	value, _, _, err := LogMarginal(h, in, y)
	if err != nil {
		t.Fatal(err)
	}
	checkClose(t, "loss", []float64{loss}, []float64{-value / float64(in.Len())})
	fdcheck.Check(t, func(x []float64) float64 {
		v, err := newBounded(h, testBounds, NewLineage(in), y, 1).loss(make([]float64, len(x)), x)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}, grad, theta, 1e-7)

	after, report, err := FitBounded(context.Background(), h, testBounds, NewLineage(in), y, BoundedOptions{Steps: 1, Rate: 0.1})
	if err != nil || report.Loss != loss {
		t.Fatalf("the loss of the start is %g, the fit says %g (%v)", loss, report.Loss, err)
	}
	moved, err := testBounds.toRaw(after)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range grad {
		if want := theta[i] - math.Copysign(0.1, g); math.Abs(moved[i]-want) > 1e-4 {
			t.Errorf("parameter %d moved from %g to %g, want %g", i, theta[i], moved[i], want)
		}
	}
}

// Fifty steps lower the loss, stay inside the bounds and leave the start alone.
func TestFitBounded(t *testing.T) {
	r := stream(5)
	in, _ := relatives(60, 30, 10, 4, r)
	y := make([]float64, in.Len())
	for i := range y {
		x := in.At(i)
		y[i] = 3*(x[0]-0.5) + math.Sin(4*x[1])
	}
	h := ardHyper(30, r)
	scales := append([]float64(nil), h.LengthScales...)
	before, _, _, err := LogMarginal(h, in, y)
	if err != nil {
		t.Fatal(err)
	}
	got, report, err := FitBounded(context.Background(), h, testBounds, NewLineage(in), y, BoundedOptions{Steps: 50, Rate: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if after, _, _, err := LogMarginal(got, in, y); err != nil || !(after > before+10) {
		t.Errorf("log likelihood went from %g to %g (%v)", before, after, err)
	}
	checkClose(t, "start", h.LengthScales, scales)
	if _, err := testBounds.toRaw(got); err != nil || report.Evals != 50 {
		t.Errorf("%v after %d evaluations", err, report.Evals)
	}
	relevant := math.Max(got.LengthScales[0], got.LengthScales[1])
	for j, l := range got.LengthScales[2:] {
		if l < relevant {
			t.Errorf("irrelevant input %d has length-scale %g, the relevant ones %g", j+2, l, got.LengthScales[:2])
		}
	}
}

// The number of threads changes no bit.
func TestFitBoundedThreads(t *testing.T) {
	in, y := relatives(threadsFrom+30, 40, 10, 4, stream(7))
	h := ardHyper(40, stream(8))
	var fits []Hyper
	for _, threads := range []int{1, 2, 5} {
		got, _, err := FitBounded(context.Background(), h, testBounds, NewLineage(in), y, BoundedOptions{Steps: 10, Rate: 0.1, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		fits = append(fits, got)
	}
	for _, other := range fits[1:] {
		if !reflect.DeepEqual(other, fits[0]) {
			t.Errorf("several threads give %v, one gives %v", other, fits[0])
		}
	}
}

func TestFitBoundedRefuses(t *testing.T) {
	r := stream(6)
	in, y := relatives(5, 3, 5, 0, r)
	for name, spoil := range map[string]func(*Hyper){
		"a short length-scale": func(h *Hyper) { h.LengthScales[1] = 0.005 },
		"a large output scale": func(h *Hyper) { h.OutputScale = 20 },
		"a small noise":        func(h *Hyper) { h.NoiseVariance = 1e-4 },
	} {
		h := ardHyper(3, r)
		spoil(&h)
		if _, _, err := FitBounded(context.Background(), h, testBounds, NewLineage(in), y, BoundedOptions{Steps: 5, Rate: 0.1}); !errors.Is(err, ErrOutside) {
			t.Errorf("%s: %v", name, err)
		}
	}
	h := Hyper{Kernel: Mahalanobis(linalg.New(1, 3)), OutputScale: 1, NoiseVariance: 0.01}
	if _, _, err := FitBounded(context.Background(), h, testBounds, NewLineage(in), y, BoundedOptions{Steps: 5, Rate: 0.1}); err == nil {
		t.Error("a Mahalanobis kernel was accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := FitBounded(ctx, ardHyper(3, r), testBounds, NewLineage(in), y, BoundedOptions{Steps: 5, Rate: 0.1}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// BenchmarkFitBounded is the fit of one round of TuRBO in 1000 dimensions.
func BenchmarkFitBounded(b *testing.B) {
	for _, size := range []struct{ n, threads int }{{100, 1}, {500, 1}, {500, 2}} {
		n := size.n
		r := stream(1)
		in, y := relatives(n, 1000, 10, 20, r)
		scales := make([]float64, 1000)
		for j := range scales {
			scales[j] = 0.5
		}
		h := Hyper{Kernel: Matern52ARD(scales), OutputScale: 1, NoiseVariance: 0.005}
		points := NewLineage(in)
		b.Run(fmt.Sprintf("n=%d/threads=%d", n, size.threads), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := FitBounded(context.Background(), h, testBounds, points, y, BoundedOptions{Steps: 50, Rate: 0.1, Threads: size.threads}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
