package linalg

import "os"

// kernelPath names a set of kernels.
type kernelPath uint8

const (
	portable kernelPath = iota
	avx2
	avx512
	neon
)

func (p kernelPath) String() string {
	return [...]string{"portable", "avx2", "avx512", "neon"}[p]
}

// maxMR and maxNR are the largest tile sizes of all paths.
const (
	maxMR = 8
	maxNR = 24
)

// kernelSet is the chosen path and the register tile of its panel kernel.
type kernelSet struct {
	path   kernelPath
	mr, nr int
}

// active is written here and, to run every path, by tests.
var active = choose(os.Getenv("MAHABO_SIMD"), supported())

// choose returns the wanted path if it is supported, else the best one.
// supported lists paths from slow to fast and starts with portable.
func choose(want string, supported []kernelPath) kernelSet {
	best := supported[len(supported)-1]
	for _, p := range supported {
		if p.String() == want {
			best = p
		}
	}
	return best.set()
}

func (p kernelPath) set() kernelSet {
	switch p {
	case avx512:
		return kernelSet{avx512, 8, 24}
	case avx2:
		return kernelSet{avx2, 4, 12}
	case neon:
		return kernelSet{neon, 4, 12}
	default:
		return kernelSet{portable, portableMR, portableNR}
	}
}

// Path names the kernels in use: "avx512", "avx2", "neon" or "portable".
func Path() string { return active.path.String() }
