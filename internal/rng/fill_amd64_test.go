package rng

import "testing"

// without leaves the kernels out that are false, those that the processor lacks in any case.
func without(t testing.TB, avx512, avx2 bool) {
	old512, old2 := hasAVX512, hasAVX2
	hasAVX512, hasAVX2 = hasAVX512 && avx512, hasAVX2 && avx2
	t.Cleanup(func() { hasAVX512, hasAVX2 = old512, old2 })
}

func TestFillerPathsAgreeWithoutAVX512(t *testing.T) {
	without(t, false, true)
	TestFillerPathsAgree(t)
	TestFillerIsUniform(t)
}

func BenchmarkFillerPaths(b *testing.B) {
	for _, path := range []struct {
		name         string
		avx512, avx2 bool
	}{{"portable", false, false}, {"avx2", false, true}, {"avx512", true, true}} {
		b.Run(path.name, func(b *testing.B) {
			without(b, path.avx512, path.avx2)
			BenchmarkFiller(b)
		})
	}
}
