package linalg

import (
	"math"
	"math/big"
	"testing"
)

func TestDotAxpy(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		r := newRand(1)
		for n := range 150 {
			x, y := randomVector(r, n+3)[3:], randomVector(r, n+1)[1:]
			want := 0.0
			for i := range x {
				want += x[i] * y[i]
			}
			if got := Dot(x, y); math.Abs(got-want) > 1e-13 {
				t.Errorf("Dot n=%d: %g, want %g", n, got, want)
			}
			z := append(append([]float64(nil), y...), guard)
			Axpy(z[:n], -1.5, x)
			for i := range x {
				if want := y[i] - 1.5*x[i]; math.Abs(z[i]-want) > 1e-15*(1+math.Abs(x[i])+math.Abs(y[i])) {
					t.Fatalf("Axpy n=%d i=%d: %g, want %g", n, i, z[i], want)
				}
			}
			if z[n] != guard {
				t.Fatalf("Axpy n=%d writes behind the end", n)
			}
		}
	})
}

// ulps is the distance of two positive finite numbers in units in the last place.
func ulps(a, b float64) float64 {
	return math.Abs(float64(int64(math.Float64bits(a)) - int64(math.Float64bits(b))))
}

// exactExp is exp(x) to 140 bits: Taylor's series at x/2^16, squared 16 times.
func exactExp(x float64) *big.Float {
	const prec, halvings = 140, 16
	y := new(big.Float).SetPrec(prec).SetFloat64(math.Ldexp(x, -halvings))
	sum := new(big.Float).SetPrec(prec).SetInt64(1)
	term := new(big.Float).SetPrec(prec).SetInt64(1)
	for i := int64(1); i < 25; i++ {
		term.Mul(term, y)
		term.Quo(term, new(big.Float).SetPrec(prec).SetInt64(i))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// ulpError is |got-want| in units of the last place of got.
func ulpError(got float64, want *big.Float) float64 {
	d := new(big.Float).SetPrec(140).SetFloat64(got)
	d.Sub(d, want)
	d.SetMantExp(d, 53-new(big.Float).SetFloat64(got).MantExp(nil))
	e, _ := d.Float64()
	return math.Abs(e)
}

func TestExpAccuracy(t *testing.T) {
	const n = 600
	r := newRand(2)
	var src []float64
	for _, span := range [][2]float64{{expMin, 709.78}, {-40, 5}, {-1, 1}, {-1e-3, 1e-3}, {-1e-9, 1e-9}, {700, 709.782712893384}, {-708.39, -700}} {
		for i := range n {
			src = append(src, span[0]+(span[1]-span[0])*(float64(i)+r.Float64())/n)
		}
	}
	want := make([]*big.Float, len(src))
	for i, x := range src {
		want[i] = exactExp(x)
	}
	onEveryPath(t, func(t *testing.T) {
		dst := make([]float64, len(src))
		Exp(dst, src)
		worst, at := 0.0, 0.0
		for i := range dst {
			if u := ulpError(dst[i], want[i]); u > worst {
				worst, at = u, src[i]
			}
		}
		t.Logf("largest error %.3f ulp at %g", worst, at)
		limit := 0.9
		if active.path == portable {
			limit = 1.5 // that of math.Exp
		}
		if worst > limit {
			t.Errorf("off by %g ulp at %g", worst, at)
		}
	})
}

// The dense grid, against the standard library; neither errs by more than 1.3 ulp.
func TestExpAgainstStandardLibrary(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		const n = 500000
		src, dst := make([]float64, n), make([]float64, n)
		for i := range src {
			src[i] = expMin + (709.4-expMin)*float64(i)/n
		}
		Exp(dst, src)
		for i, x := range src {
			if u := ulps(dst[i], math.Exp(x)); u > 2 {
				t.Fatalf("exp(%g) = %g is off by %g ulp", x, dst[i], u)
			}
		}
	})
}

func TestExpSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	cases := [][2]float64{
		{0, 1}, {math.Copysign(0, -1), 1}, {inf, inf}, {-inf, 0}, {nan, nan},
		{710, inf}, {709.7827128933841, inf}, {1e300, inf}, {-1e300, 0}, {-745, 0}, {-750, 0}, {-708.4, 0},
		{5e-324, 1}, {-5e-324, 1}, {math.MaxFloat64, inf}, {-math.MaxFloat64, 0},
		{expMin, math.Exp(expMin)}, {709.782712893384, 0x1.fffffffffff2ap+1023},
	}
	onEveryPath(t, func(t *testing.T) {
		for n := 1; n <= 19; n++ {
			for _, c := range cases {
				buf := make([]float64, n+1)
				for i := range buf {
					buf[i] = c[0]
				}
				buf[n] = guard
				Exp(buf[:n], buf[:n])
				for _, got := range buf[:n] {
					same := got == c[1] || math.IsNaN(got) && math.IsNaN(c[1]) || !math.IsInf(c[1], 0) && c[1] > 0 && ulps(got, c[1]) <= 1
					if !same {
						t.Fatalf("n=%d: exp(%g) = %g, want %g", n, c[0], got, c[1])
					}
				}
				if buf[n] != guard {
					t.Fatalf("n=%d: written behind the end", n)
				}
			}
		}
	})
}

func TestExpScaled(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		src := randomVector(newRand(4), 37)
		dst := make([]float64, 37)
		ExpScaled(dst, 2.5, -0.5, src)
		for i, x := range src {
			if want := 2.5 * math.Exp(-0.5*x); ulps(dst[i], want) > 2 {
				t.Errorf("%g: %g, want %g", x, dst[i], want)
			}
		}
	})
}

// The bytes do not depend on the path.
func TestColumnDistances(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		r := newRand(6)
		for n := range 75 {
			for _, d := range []int{0, 1, 2, 5} {
				z, intact := view(r, d, n)
				x, dst := randomVector(r, d), append(randomVector(r, n), guard)
				ColumnDistances(dst[:n], x, z)
				for j, got := range dst[:n] {
					want := 0.0
					for a, xa := range x {
						difference := z.At(a, j) - xa
						want += float64(difference * difference)
					}
					if got != want {
						t.Fatalf("%d coordinates, column %d of %d: %g, want %g", d, j, n, got, want)
					}
				}
				if err := intact(); err != nil || dst[n] != guard {
					t.Fatalf("n=%d d=%d: writes outside its result (%v)", n, d, err)
				}
			}
		}
	})
}

func TestSquaredDistances(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		r := newRand(8)
		for _, s := range shapes() {
			m, n, d := s[0], s[1], s[2]
			x, _ := view(r, m, d)
			y, _ := view(r, n, d)
			if m > 0 && n > 0 {
				copy(y.Row(0), x.Row(0))
			}
			dst, intact := view(r, m, n)
			SquaredDistances(dst, x, y)
			for i := range m {
				for j := range n {
					want := 0.0
					for k := range d {
						want += (x.At(i, k) - y.At(j, k)) * (x.At(i, k) - y.At(j, k))
					}
					if got := dst.At(i, j); math.Abs(got-want) > 1e-14*float64(d+10) || got < 0 {
						t.Fatalf("%v (%d,%d): %g, want %g", s, i, j, got, want)
					}
				}
			}
			if err := intact(); err != nil {
				t.Errorf("%v: %v", s, err)
			}
			same := New(m, m)
			SquaredDistances(same, x, x)
			for i := range m {
				if same.At(i, i) != 0 {
					t.Fatalf("distance to itself is %g", same.At(i, i))
				}
			}
		}
		x := New(2, 3)
		x.Set(1, 1, math.NaN())
		dst := New(2, 2)
		SquaredDistances(dst, x, New(2, 3))
		if !math.IsNaN(dst.At(1, 0)) || dst.At(0, 1) != 0 {
			t.Errorf("NaN input gives %v", dst.Data)
		}
	})
}
