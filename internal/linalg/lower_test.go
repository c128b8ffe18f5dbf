package linalg

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A factor that grew has the bytes of one made at once, whatever the steps, and so have products.
func TestFactorGrows(t *testing.T) {
	onEveryPath(t, func(t *testing.T) {
		for _, steps := range [][]int{{1}, {23, 24, 25}, {50, 96, 97, 200}, {700, 767, 768, 770}, {100, 1560}} {
			t.Run(fmt.Sprint(steps), func(t *testing.T) {
				n := steps[len(steps)-1]
				if n > 1000 && (testing.Short() || active.path == portable) {
					t.Skip("it takes seconds; make test runs it with the faster kernels")
				}
				a := gram(n)
				l := New(n, n)
				if _, err := CholeskyJitter(l, a, nil); err != nil {
					t.Fatal(err)
				}
				li := New(n, n)
				for i := range n {
					copy(li.Row(i)[:i+1], l.Row(i)[:i+1])
				}
				InvertLower(li)
				f := NewFactor(0)
				for _, m := range steps {
					f.Reserve(m)
					for i := f.Start(); i < m; i++ {
						copy(f.L.Row(i), a.Row(i)[:i+1])
					}
					if err := f.Extend(2, m, 0); err != nil {
						t.Fatal(err)
					}
				}
				for i := range n {
					if !slices.Equal(f.L.Row(i), l.Row(i)[:i+1]) {
						t.Fatalf("row %d of L differs", i)
					}
					if !slices.Equal(f.Inverse.Row(i), li.Row(i)[:i+1]) {
						t.Fatalf("row %d of the inverse differs", i)
					}
				}
				r := rand.New(rand.NewPCG(3, 4))
				for _, rows := range []int{1, 2, 8, 30, 128} {
					k, want, got := New(rows, n), New(rows, n), New(rows, n)
					for i := range k.Data {
						k.Data[i] = r.NormFloat64()
					}
					GemmTB(want, 0, 1, k, li)
					MulLowerTrans(2, got, k, f.Inverse)
					if !slices.Equal(got.Data, want.Data) {
						t.Errorf("%d rows times the transpose differ", rows)
					}
					Gemm(want, 0, 1, k, li)
					MulLower(2, got, k, f.Inverse)
					if !slices.Equal(got.Data, want.Data) {
						t.Errorf("%d rows times the factor differ", rows)
					}
				}
			})
		}
	})
}

// A matrix that is not positive definite leaves an empty factor.
func TestFactorFails(t *testing.T) {
	f := NewFactor(2)
	f.L.Row(0)[0] = 1
	copy(f.L.Row(1), []float64{2, 1})
	if f.Extend(1, 2, 0) == nil || f.Len() != 0 {
		t.Error("a matrix with a negative eigenvalue has a factor")
	}
}
