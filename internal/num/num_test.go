package num

import (
	"math"
	"testing"
)

// Values to 20 digits from mpmath 1.3.0 at 60 digits, at the float64 nearest x.
func TestAgainstHighPrecision(t *testing.T) {
	// Relative tolerance; the tails of the normal amplify the rounding of t.
	const ulp = 0x1p-52
	tolerance := map[string]func(x, want float64) float64{
		"Softplus": func(_, want float64) float64 { return 2 * ulp * want },
		// The result passes through 0 at log 2: absolute error there.
		"InvSoftplus": func(_, want float64) float64 { return 2 * ulp * max(math.Abs(want), 1) },
		"Sigmoid":     func(_, want float64) float64 { return 2 * ulp * want },
		"Log1mExp":    func(_, want float64) float64 { return 2 * ulp * math.Abs(want) },
		"NormPDF":     func(x, want float64) float64 { return ulp * (2 + x*x) * want },
		"NormCDF":     func(x, want float64) float64 { return ulp * (2 + x*x) * want },
		"LogNormCDF": func(x, want float64) float64 {
			if x > 0 {
				return ulp * (2 + x*x) * -want
			}
			return 4 * ulp * -want
		},
	}
	for _, c := range []struct {
		name    string
		f       func(float64) float64
		x, want float64
	}{
		{"Softplus", Softplus, -700, 9.8596765437597708567e-305},
		{"Softplus", Softplus, -40, 4.2483542552915889863e-18},
		{"Softplus", Softplus, -20, 2.0611536203143807032e-9},
		{"Softplus", Softplus, -1, 0.31326168751822283405},
		{"Softplus", Softplus, -1e-09, 0.69314718005994530954},
		{"Softplus", Softplus, 0, 0.69314718055994530942},
		{"Softplus", Softplus, 1e-09, 0.69314718105994530954},
		{"Softplus", Softplus, 0.5, 0.97407698418010668087},
		{"Softplus", Softplus, 1, 1.3132616875182228340},
		{"Softplus", Softplus, 20, 20.000000002061153620},
		{"Softplus", Softplus, 40, 40.000000000000000004},
		{"Softplus", Softplus, 700, 700.00000000000000000},
		{"Softplus", Softplus, 1000000.0, 1000000.0000000000000},
		{"Softplus", Softplus, 1e+300, 1.0000000000000000525e+300},
		{"InvSoftplus", InvSoftplus, 1e-300, -690.77552789821370518},
		{"InvSoftplus", InvSoftplus, 1e-20, -46.051701859880913735},
		{"InvSoftplus", InvSoftplus, 0.0001, -9.2102903715595160215},
		{"InvSoftplus", InvSoftplus, 0.1, -2.2521684610440907506},
		{"InvSoftplus", InvSoftplus, 0.5, -0.43275212956718857189},
		{"InvSoftplus", InvSoftplus, 0.6931, -0.000094363346000786359127},
		{"InvSoftplus", InvSoftplus, 0.7, 0.013658997191614802092},
		{"InvSoftplus", InvSoftplus, 1, 0.54132485461291810898},
		{"InvSoftplus", InvSoftplus, 2, 1.8545865421311409430},
		{"InvSoftplus", InvSoftplus, 5, 4.9932392505505114422},
		{"InvSoftplus", InvSoftplus, 20, 19.999999997938846375},
		{"InvSoftplus", InvSoftplus, 40, 39.999999999999999996},
		{"InvSoftplus", InvSoftplus, 700, 700.00000000000000000},
		{"InvSoftplus", InvSoftplus, 1000000.0, 1000000.0000000000000},
		{"Sigmoid", Sigmoid, -700, 9.8596765437597708567e-305},
		{"Sigmoid", Sigmoid, -40, 4.2483542552915889773e-18},
		{"Sigmoid", Sigmoid, -5, 0.0066928509242848555594},
		{"Sigmoid", Sigmoid, -1, 0.26894142136999512075},
		{"Sigmoid", Sigmoid, -1e-09, 0.49999999975000000000},
		{"Sigmoid", Sigmoid, 0, 0.50000000000000000000},
		{"Sigmoid", Sigmoid, 1e-09, 0.50000000025000000000},
		{"Sigmoid", Sigmoid, 1, 0.73105857863000487925},
		{"Sigmoid", Sigmoid, 5, 0.99330714907571514444},
		{"Sigmoid", Sigmoid, 40, 0.99999999999999999575},
		{"Sigmoid", Sigmoid, 700, 1.0000000000000000000},
		{"Log1mExp", Log1mExp, -1e-300, -690.77552789821370518},
		{"Log1mExp", Log1mExp, -1e-20, -46.051701859880913735},
		{"Log1mExp", Log1mExp, -1e-05, -11.512930464966061672},
		{"Log1mExp", Log1mExp, -0.1, -2.3521684610440907561},
		{"Log1mExp", Log1mExp, -0.5, -0.93275212956718857189},
		{"Log1mExp", Log1mExp, -0.69, -0.69630429714405670574},
		{"Log1mExp", Log1mExp, -0.7, -0.68634100280838515350},
		{"Log1mExp", Log1mExp, -1, -0.45867514538708189102},
		{"Log1mExp", Log1mExp, -5, -0.0067607494494885578259},
		{"Log1mExp", Log1mExp, -40, -4.2483542552915890044e-18},
		{"Log1mExp", Log1mExp, -700, -9.8596765437597708567e-305},
		{"NormPDF", NormPDF, -37, 2.1200065515246056269e-298},
		{"NormPDF", NormPDF, -10, 7.6945986267064193463e-23},
		{"NormPDF", NormPDF, -1, 0.24197072451914334980},
		{"NormPDF", NormPDF, 0, 0.39894228040143267794},
		{"NormPDF", NormPDF, 0.5, 0.35206532676429947777},
		{"NormPDF", NormPDF, 3, 0.0044318484119380071756},
		{"NormPDF", NormPDF, 20, 5.5209483621597631896e-88},
		{"NormPDF", NormPDF, 37, 2.1200065515246056269e-298},
		{"NormCDF", NormCDF, -37, 5.7255712225245768227e-300},
		{"NormCDF", NormCDF, -20, 2.7536241186062336951e-89},
		{"NormCDF", NormCDF, -10, 7.6198530241605260660e-24},
		{"NormCDF", NormCDF, -5, 2.8665157187919391167e-7},
		{"NormCDF", NormCDF, -2, 0.022750131948179207200},
		{"NormCDF", NormCDF, -1, 0.15865525393145705141},
		{"NormCDF", NormCDF, -0.1, 0.46017216272297101633},
		{"NormCDF", NormCDF, 0, 0.50000000000000000000},
		{"NormCDF", NormCDF, 0.1, 0.53982783727702898367},
		{"NormCDF", NormCDF, 1, 0.84134474606854294859},
		{"NormCDF", NormCDF, 2, 0.97724986805182079280},
		{"NormCDF", NormCDF, 5, 0.99999971334842812081},
		{"NormCDF", NormCDF, 8, 0.99999999999999937790},
		{"LogNormCDF", LogNormCDF, -10000000000.0, -50000000000000000024.},
		{"LogNormCDF", LogNormCDF, -10000.0, -50000010.129278915181},
		{"LogNormCDF", LogNormCDF, -1000, -500007.82669481218431},
		{"LogNormCDF", LogNormCDF, -100, -5005.5242086942050886},
		{"LogNormCDF", LogNormCDF, -50, -1254.8313611394199013},
		{"LogNormCDF", LogNormCDF, -38, -726.55721601882013010},
		{"LogNormCDF", LogNormCDF, -36.5, -670.64200000031370137},
		{"LogNormCDF", LogNormCDF, -36.001, -652.53925582848957329},
		{"LogNormCDF", LogNormCDF, -36, -652.50322759379839685},
		{"LogNormCDF", LogNormCDF, -35.999, -652.46720035833916494},
		{"LogNormCDF", LogNormCDF, -35, -616.97510126192251347},
		{"LogNormCDF", LogNormCDF, -20, -203.91715537109726394},
		{"LogNormCDF", LogNormCDF, -10, -53.231285150512470578},
		{"LogNormCDF", LogNormCDF, -5, -15.064998393988725736},
		{"LogNormCDF", LogNormCDF, -2, -3.7831843336820319488},
		{"LogNormCDF", LogNormCDF, -1, -1.8410216450092635058},
		{"LogNormCDF", LogNormCDF, -0.5, -1.1759117615936186089},
		{"LogNormCDF", LogNormCDF, -1e-09, -0.69314718135782987054},
		{"LogNormCDF", LogNormCDF, 0, -0.69314718055994530942},
		{"LogNormCDF", LogNormCDF, 1e-09, -0.69314717976206074893},
		{"LogNormCDF", LogNormCDF, 0.5, -0.36894641528865639307},
		{"LogNormCDF", LogNormCDF, 1, -0.17275377902344988953},
		{"LogNormCDF", LogNormCDF, 2, -0.023012909328963488465},
		{"LogNormCDF", LogNormCDF, 5, -2.8665161296376359338e-7},
		{"LogNormCDF", LogNormCDF, 10, -7.6198530241605260660e-24},
		{"LogNormCDF", LogNormCDF, 20, -2.7536241186062336951e-89},
		{"LogNormCDF", LogNormCDF, 37, -5.7255712225245768227e-300},
	} {
		if got := c.f(c.x); !(math.Abs(got-c.want) <= tolerance[c.name](c.x, c.want)) {
			t.Errorf("%s(%g) = %.17g, want %.17g: relative error %.2g", c.name, c.x, got, c.want, got/c.want-1)
		}
	}
}

func TestEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name    string
		f       func(float64) float64
		x, want float64
	}{
		{"Softplus", Softplus, inf, inf}, {"Softplus", Softplus, -inf, 0}, {"Softplus", Softplus, nan, nan},
		{"InvSoftplus", InvSoftplus, 0, -inf}, {"InvSoftplus", InvSoftplus, inf, inf},
		{"InvSoftplus", InvSoftplus, -1, nan}, {"InvSoftplus", InvSoftplus, nan, nan},
		{"Sigmoid", Sigmoid, inf, 1}, {"Sigmoid", Sigmoid, -inf, 0}, {"Sigmoid", Sigmoid, nan, nan},
		{"Log1mExp", Log1mExp, 0, -inf}, {"Log1mExp", Log1mExp, -inf, 0},
		{"Log1mExp", Log1mExp, 1, nan}, {"Log1mExp", Log1mExp, nan, nan},
		{"NormPDF", NormPDF, inf, 0}, {"NormPDF", NormPDF, -inf, 0}, {"NormPDF", NormPDF, nan, nan},
		{"NormCDF", NormCDF, inf, 1}, {"NormCDF", NormCDF, -inf, 0}, {"NormCDF", NormCDF, nan, nan},
		{"LogNormCDF", LogNormCDF, inf, 0}, {"LogNormCDF", LogNormCDF, -inf, -inf},
		{"LogNormCDF", LogNormCDF, -1e200, -inf}, {"LogNormCDF", LogNormCDF, nan, nan},
		{"LogNormSF", LogNormSF, inf, -inf}, {"LogNormSF", LogNormSF, -inf, 0}, {"LogNormSF", LogNormSF, nan, nan},
	} {
		if got := c.f(c.x); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s(%g) = %g, want %g", c.name, c.x, got, c.want)
		}
	}
}

func TestSoftplusRoundTrip(t *testing.T) {
	for x := -600.0; x <= 600; x += 0.37 {
		if got := InvSoftplus(Softplus(x)); math.Abs(got-x) > 4e-16*max(1, math.Abs(x)) {
			t.Errorf("InvSoftplus(Softplus(%g)) = %.17g", x, got)
		}
	}
}

func TestSigmoidIsTheSlopeOfSoftplus(t *testing.T) {
	const h = 1e-5
	for x := -30.0; x <= 30; x += 0.7 {
		slope := (Softplus(x+h) - Softplus(x-h)) / (2 * h)
		if s := Sigmoid(x); math.Abs(slope-s) > 1e-9*max(s, 1e-3) {
			t.Errorf("slope of Softplus at %g is %g, Sigmoid %g", x, slope, s)
		}
		if sum := Sigmoid(x) + Sigmoid(-x); math.Abs(sum-1) > 2e-16 {
			t.Errorf("Sigmoid(%g) + Sigmoid(-%g) = %.17g", x, x, sum)
		}
	}
}

// The tails grow without a step where LogNormCDF changes its formula.
func TestLogNormCDFIsMonotone(t *testing.T) {
	last := math.Inf(-1)
	for i := -4000; i <= 1000; i++ {
		x := float64(i) / 100
		v := LogNormCDF(x)
		if v < last || v > 0 {
			t.Fatalf("LogNormCDF(%g) = %g after %g", x, v, last)
		}
		if sf := LogNormSF(-x); sf != v {
			t.Errorf("LogNormSF(%g) = %g, LogNormCDF(%g) = %g", -x, sf, x, v)
		}
		last = v
	}
}

func BenchmarkLogNormCDF(b *testing.B) {
	for name, t := range map[string]float64{"centre": -1.3, "right": 4, "left": -50} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				LogNormCDF(t)
			}
		})
	}
}
