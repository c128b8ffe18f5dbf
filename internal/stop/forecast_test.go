package stop

import (
	"math"
	"math/rand/v2"
	"testing"
)

// random makes complete trials of twelve steps whose outcomes depend on the value after four of them, on where they are, and on noise.
func random(r *rand.Rand, n int) []Curve {
	list := make([]Curve, n)
	for i := range list {
		at := []float64{2*r.Float64() - 1, 2*r.Float64() - 1}
		early := 5 + 4*r.Float64()
		final := early/3 + 0.5*at[0] + 0.1*r.NormFloat64()
		list[i] = Curve{Number: i + 1, At: at, Steps: []int64{2, 4, 12}, Values: []float64{early + 1, early, final}, Done: true, Final: final}
	}
	return list
}

// stopped is the trial after its second report.
func (c Curve) stopped() Curve {
	c.Steps, c.Values, c.Done, c.Final = c.Steps[:2], c.Values[:2], false, 0
	return c
}

// Estimates are nearer to the outcomes than the values alone can tell, and say how near.
func TestEstimate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const studies, trials = 30, 10
	var missed float64
	inside := 0
	for range studies {
		all := random(r, 30+trials)
		for _, c := range all[30:] {
			value, std, ok := Estimate(c.stopped(), all[:30])
			if !ok {
				t.Fatal("there is no estimate")
			}
			missed += (value - c.Final) * (value - c.Final) / (studies * trials)
			if math.Abs(value-c.Final) < 2*std {
				inside++
			}
		}
	}
	if rms := math.Sqrt(missed); rms > 0.2 { // 0.1 is noise, and where a trial is makes 0.29
		t.Errorf("estimates are off by %.3g", rms)
	}
	if share := inside * 100 / (studies * trials); share < 85 || share > 99 {
		t.Errorf("%d %% of the outcomes are within two deviations", share)
	}
}

func TestEstimateOfFew(t *testing.T) {
	all := random(rand.New(rand.NewPCG(3, 4)), 12)
	one := all[11].stopped()
	elsewhere := all[3]
	elsewhere.At = []float64{0} // of another space
	same := make([]Curve, 9)
	for i := range same {
		same[i] = all[i]
		same[i].Final = 1
	}
	large := make([]Curve, 9)
	for i := range large {
		large[i] = all[i]
		large[i].Final *= 1e300
	}
	endless := make([]Curve, 9)
	for i := range endless {
		endless[i] = all[i]
		endless[i].Values = []float64{-math.MaxFloat64, float64(i), 1}
	}
	least := one
	least.Values = []float64{1, -math.MaxFloat64}
	nowhere := one
	nowhere.At = nil
	for _, c := range []struct {
		name   string
		one    Curve
		others []Curve
		ok     bool
	}{
		{"three", one, all[:3], true},
		{"two", one, all[:2], false},
		{"two, and one of another space", one, append(all[:2:2], elsewhere), false},
		{"none that came as far", all[11], []Curve{one, one, one}, false},
		{"no report", Curve{At: one.At}, all[:9], false},
		{"no point", nowhere, all[:9], false},
		{"huge outcomes", one, large, true},
		{"values without end", one, endless, true},
		{"a value without end", least, all[:9], true},
	} {
		value, std, ok := Estimate(c.one, c.others)
		if ok != c.ok || math.IsNaN(value) || math.IsNaN(std) || math.IsInf(value, 0) || std < 0 {
			t.Errorf("%s: %v ± %v, %v", c.name, value, std, ok)
		}
	}
	if value, std, ok := Estimate(one, same); !ok || value != 1 || std != 0 {
		t.Errorf("where all come to 1 it is %v ± %v, %v", value, std, ok)
	}
}

// Of a trial that is behind at a rung, another that was as far behind, won late and is near it says that it may win, too.
func TestGainKnowsTheSpace(t *testing.T) {
	r := rule(t, "gain")
	var others []Curve
	add := func(at float64, c Curve) {
		c.At = []float64{at}
		others = append(others, ended(c))
	}
	for i := range 9 {
		add(-1+0.1*float64(i), line(i+1, 10+0.1*float64(i), 1, 6, 12))
	}
	add(-0.7, line(10, 15, 1, 6, 12))
	add(-0.3, line(11, 15, 1, 6, 12))
	add(1, line(12, 15, 1, 12, 12))
	for at, want := range map[float64]bool{-0.5: true, 0.98: false} {
		one := line(13, 14.9, 0.98, 4, 4)
		one.At = []float64{at}
		if why := r.Decide(one, 3, others); (why != "") != want {
			t.Errorf("at %v: %q, want a stop: %v", at, why, want)
		}
	}
}

func BenchmarkEstimate(b *testing.B) {
	all := random(rand.New(rand.NewPCG(5, 6)), MostComplete+1)
	for b.Loop() {
		Estimate(all[MostComplete].stopped(), all[:MostComplete])
	}
}
