// Package rng derives independent random streams from one seed.
//
// A stream is named by (seed, labels...), for instance (seed, number of
// observations, purpose). The same name gives the same stream on every
// machine and with every number of threads, so nothing random has to be stored
// to replay a study.
package rng

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// New returns the stream named by seed and labels.
func New(seed uint64, labels ...uint64) *rand.Rand {
	return rand.New(rand.NewPCG(hash(seed, labels, 1), hash(seed, labels, 2)))
}

// Purpose turns a word into a label (FNV-1a).
func Purpose(word string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * 1099511628211
	}
	return h
}

// hash folds the labels into 64 bits; salt separates the two halves of a PCG seed.
func hash(seed uint64, labels []uint64, salt uint64) uint64 {
	h := mix(seed + salt*golden)
	for _, l := range labels {
		h = mix(bits.RotateLeft64(h, 23) ^ mix(l+golden))
	}
	return h
}

const golden = 0x9e3779b97f4a7c15

// mix is the finaliser of SplitMix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Filler fills slices with uniform numbers several times faster than
// rand.Float64: one SplitMix64 step makes two numbers of 32 bits each.
type Filler struct{ state uint64 }

// NewFiller starts a filler from a stream.
func NewFiller(r *rand.Rand) *Filler { return &Filler{r.Uint64()} }

// Uniform fills dst with independent draws from [-1, 1). The numbers are the same
// on every processor.
func (f *Filler) Uniform(dst []float64) {
	done := fillVector(dst, f.state)
	f.state += golden * uint64(done/2)
	f.state = fillScalar(dst[done:], f.state)
}

// fillScalar fills dst from state s and returns the new state. 32 random bits below
// the exponent of [2,4) give a number of that interval; no conversion from
// integers is needed.
func fillScalar(dst []float64, s uint64) uint64 {
	const two = 0x4000000000000000
	for len(dst) >= 2 {
		s += golden
		z := mix(s)
		dst[0] = math.Float64frombits(two|z>>32<<20) - 3
		dst[1] = math.Float64frombits(two|z<<32>>12) - 3
		dst = dst[2:]
	}
	if len(dst) > 0 {
		s += golden
		dst[0] = math.Float64frombits(two|mix(s)>>32<<20) - 3
	}
	return s
}
