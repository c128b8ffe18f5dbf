package cmaes

import "math"

// rates are the constants that follow from n and lambda (Table 1, alpha_cov = 2).
type rates struct {
	w         []float64 // by rank, best first
	mu        int       // number of positive weights
	muEff     float64
	sum       float64 // of all weights
	cs, ds    float64
	cc        float64
	c1, cmu   float64
	eigenStep int // generations between two decompositions
}

// DefaultPopulation is 4 + floor(3 ln n) (eq. 48).
func DefaultPopulation(n int) int { return 4 + int(3*math.Log(float64(n))) }

func newRates(n, lambda int) rates {
	N := float64(n)
	r := rates{w: make([]float64, lambda)}
	// w'_i = ln((lambda+1)/2) - ln i                                   (eq. 49)
	var plus, plus2, minus, minus2 float64
	for i := range r.w {
		v := math.Log(float64(lambda+1)/2) - math.Log(float64(i+1))
		r.w[i] = v
		if i < lambda/2 {
			plus, plus2 = plus+v, plus2+v*v
		} else {
			minus, minus2 = minus-v, minus2+v*v
		}
	}
	r.mu = lambda / 2
	r.muEff = plus * plus / plus2
	muEffMinus := minus * minus / minus2

	r.cs = (r.muEff + 2) / (N + r.muEff + 5)                                // eq. 55
	r.ds = 1 + 2*max(0, math.Sqrt((r.muEff-1)/(N+1))-1) + r.cs              // eq. 55
	r.cc = (4 + r.muEff/N) / (N + 4 + 2*r.muEff/N)                          // eq. 56
	r.c1 = 2 / ((N+1.3)*(N+1.3) + r.muEff)                                  // eq. 57
	r.cmu = min(1-r.c1, 2*(0.25+r.muEff+1/r.muEff-2)/((N+2)*(N+2)+r.muEff)) // eq. 58

	// The negative weights sum to the smallest of three bounds; the last keeps C
	// positive definite                                              (eq. 50-53)
	alpha := min(1+r.c1/r.cmu, 1+2*muEffMinus/(r.muEff+2), (1-r.c1-r.cmu)/(N*r.cmu))
	for i := range r.w {
		if i < r.mu {
			r.w[i] /= plus
		} else {
			r.w[i] *= alpha / minus
		}
		r.sum += r.w[i]
	}
	r.eigenStep = max(1, int(1/(10*N*(r.c1+r.cmu))))
	return r
}
