package turbo

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mahabo/mahabo/internal/method"
	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/internal/rng"
	"github.com/mahabo/mahabo/strategy"
)

// writeDigits is how versions without tags wrote what proposed a point: it changes the first
// coordinate by less than 2^-24.
func writeDigits(x strategy.Point, seed uint64, m int, p proposal) {
	const steps = 1 << (52 - digitBits)
	high := int64(math.Floor(x[0] * steps))
	high = min(max(high, -steps), steps-1)
	serial := uint64(p.round*m+p.region) % (1 << serialBits)
	check := rng.New(seed, serial, uint64(high), rng.Purpose("turbo label")).Uint64() & (1<<checkBits - 1)
	x[0] = math.Ldexp(float64(high<<digitBits|int64(serial<<checkBits|check)), -52)
}

func TestOldDigits(t *testing.T) {
	r := rng.New(1)
	for _, first := range []float64{-1, -0.3, -1e-20, 0, 1e-9, 0.7, 1} {
		for _, m := range []int{1, 5, 7} {
			for _, round := range []int{1, 510, 300_000} {
				x, want := strategy.Point{first, 0.5}, proposal{round, r.IntN(m)}
				writeDigits(x, 9, m, want)
				if math.Abs(x[0]-first) > 0x1p-23 || strategy.CheckPoint(x, 2) != nil {
					t.Errorf("%g became %g", first, x[0])
				}
				for _, late := range []int{0, 1, 100} {
					if got := readDigits(x, 9, m, round+late); got != want {
						t.Errorf("m=%d: wrote %+v, read %+v", m, want, got)
					}
				}
				if got := readDigits(x, 9, m, round-1); got == want {
					t.Errorf("%+v was read before it was asked for", got)
				}
			}
		}
	}
}

// Points from elsewhere have no such digits: random ones, round ones, other seeds'.
func TestForeignPointsHaveNoDigits(t *testing.T) {
	fill := rng.NewFiller(rng.New(5))
	wrong := 0
	for i := range 5000 {
		x := make(strategy.Point, 2)
		fill.Uniform(x)
		points := []strategy.Point{x, {float64(i)/2500 - 1, 0}, {rand.New(rand.NewPCG(1, uint64(i))).Float64(), 0}}
		writeDigits(x, 8, 5, proposal{100, 2})
		for _, p := range points {
			if readDigits(p, 9, 5, 500).round > 0 {
				wrong++
			}
		}
	}
	// Eight check bits let one of 256 points of another seed pass.
	if wrong > 40 {
		t.Errorf("%d of 15000 foreign points seemed to be proposed", wrong)
	}
}

// Every suggestion has a tag, which says where it comes from: its region's design or the round.
func TestTagsSayWhereAPointComesFrom(t *testing.T) {
	s := newTestTurbo(t, strategy.Config{Domain: strategy.Box(3), Init: 4, Seed: 2}, "2")
	design := methodtest.Suggest(t, s, 8)
	for i, p := range design {
		region := &s.regions[i/4]
		if k := region.designed(p.Tag, p.X); k != i%4 {
			t.Errorf("%q is place %d of the design of region %d, want %d", p.Tag, k, i/4, i%4)
		}
		if other := &s.regions[1-i/4]; other.designed(p.Tag, p.X) >= 0 {
			t.Errorf("%q is in the design of both regions", p.Tag)
		}
		if got := s.read(p.Tag, p.X, 8); got != notProposed {
			t.Errorf("%q says %+v", p.Tag, got)
		}
	}
	askTell(t, s, 8, func(x strategy.Point) float64 { return x[0] })
	for _, p := range methodtest.Suggest(t, s, 3) {
		for _, told := range []int{8, 9, 500} { // whenever it comes back
			if got := s.read(p.Tag, p.X, told); got.round != 8 || got.region < 0 || got.region > 1 {
				t.Errorf("%q says %+v, want round 8", p.Tag, got)
			}
		}
		if got := s.read(p.Tag, p.X, 7); got != notProposed {
			t.Errorf("%q was made before it can have been: %+v", p.Tag, got)
		}
	}
}

// A tag stays with a point that was moved to where it can be evaluated: rounding does not
// change to which region it counts, and in the design none is asked for again.
func TestTagsSurviveRounding(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(2), Init: 4, Seed: 4}
	exact, rounded := newTestTurbo(t, cfg, "2"), newTestTurbo(t, cfg, "2")
	var waiting []strategy.Suggestion
	for _, p := range methodtest.Suggest(t, rounded, 5) {
		p.X[0], p.X[1] = math.Round(2*p.X[0])/2, math.Round(p.X[1])
		waiting = append(waiting, p)
	}
	for _, p := range methodtest.Suggest(t, rounded, 3, waiting...) {
		if slices.ContainsFunc(waiting, func(w strategy.Suggestion) bool { return w.Tag == p.Tag }) {
			t.Errorf("%q is asked for while it is pending", p.Tag)
		}
	}
	for range 60 {
		for _, s := range []*turbo{exact, rounded} {
			p := methodtest.Suggest(t, s, 1)[0]
			if s == rounded {
				p.X[0], p.X[1] = math.Round(2*p.X[0])/2, math.Round(p.X[1])
			}
			if err := s.Tell(strategy.Observation{X: p.X, Tag: p.Tag, Y: []float64{1}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	settle(exact.regions, len(exact.X))
	settle(rounded.regions, len(rounded.X))
	// Values alone move the sides: on a flat function both are as far.
	for _, s := range []*turbo{exact, rounded} {
		lives, shortest := 0, 1.0
		for _, r := range s.regions {
			lives, shortest = lives+r.life, min(shortest, r.length)
		}
		if lives == 0 && shortest > turboLength/16 {
			t.Errorf("after 60 equal values no region has restarted, the shortest side is %g", shortest)
		}
	}
}

// A tag that no Ask can have made does no harm, nor do digits.
func TestForgedTags(t *testing.T) {
	digits := func(round int) strategy.Observation {
		x := strategy.Point{0.3, 0.3}
		writeDigits(x, 1, 2, proposal{round, 1})
		return strategy.Observation{X: x, Tag: method.OldTag, Y: []float64{5}}
	}
	for _, told := range []int{0, 30} {
		forged := []strategy.Observation{digits(0), digits(told)}
		for _, tag := range []string{
			"", "x", "round", "round 1", "round -1 region 0", "round 0 region 0", proposedTag(told, 1), proposedTag(told+100, 0),
			"round 1 region -1", "round 1 region 2", "round 99999999999999999999 region 0",
			"region 0 life 0 point -1", "region 0 life 0 point 2", "region 0 life 7 point 0", "region 9 life 0 point 0", "region 0 life 0 point",
		} {
			forged = append(forged, strategy.Observation{X: strategy.Point{0.3, 0.3}, Tag: tag, Y: []float64{5}})
		}
		for _, o := range forged {
			s := newTestTurbo(t, strategy.Config{Domain: strategy.Box(2), Init: 2, Seed: 1}, "2")
			for range told {
				askTell(t, s, 1, func(x strategy.Point) float64 { return x[0] })
			}
			for range 2 {
				if err := s.Tell(o); err != nil {
					t.Fatal(err)
				}
			}
			data := 0
			for _, r := range s.regions {
				data += len(r.y)
			}
			if lives := s.regions[0].life + s.regions[1].life; lives == 0 && data != told+2 {
				t.Errorf("%q: %d observations, the regions have %d", o.Tag, told+2, data)
			}
			askTell(t, s, 3, func(x strategy.Point) float64 { return x[0] })
		}
	}
}

// The log of an old version, whose points carry digits and no tags, moves the regions as the
// tags of the same proposals do.
func TestOldLogsMoveTheRegions(t *testing.T) {
	cfg := strategy.Config{Domain: strategy.Box(3), Init: 4, Seed: 2}
	tagged, old := newTestTurbo(t, cfg, "2"), newTestTurbo(t, cfg, "2")
	for round := range 30 {
		for _, p := range methodtest.Suggest(t, tagged, 3) {
			y := []float64{math.Round(2*math.Sin(5*p.X[0]) + p.X[1]*p.X[1])}
			if err := tagged.Tell(strategy.Observation{X: p.X, Tag: p.Tag, Y: y}); err != nil {
				t.Fatal(err)
			}
			x := slices.Clone(p.X)
			if name := tagged.read(p.Tag, p.X, len(old.X)); name != notProposed {
				writeDigits(x, cfg.Seed, 2, name)
			}
			if err := old.Tell(strategy.Observation{X: x, Tag: method.OldTag, Y: y}); err != nil {
				t.Fatal(err)
			}
		}
		for r := range tagged.regions {
			a, b := &tagged.regions[r], &old.regions[r]
			if a.resizing != b.resizing || a.life != b.life || !slices.Equal(a.y, b.y) {
				t.Fatalf("round %d, region %d: %+v in life %d with tags, %+v in life %d with digits", round, r, a.resizing, a.life, b.resizing, b.life)
			}
		}
	}
	if tagged.regions[0].resizing == (resizing{length: turboLength}) && tagged.regions[0].life == 0 {
		t.Error("region 0 did not move at all")
	}
}
