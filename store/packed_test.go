package store

import (
	"slices"
	"testing"
)

func TestRangesOf(t *testing.T) {
	for _, c := range []struct {
		numbers []int
		want    [][2]int
	}{
		{nil, nil},
		{[]int{4}, [][2]int{{4, 4}}},
		{[]int{9, 3, 2, 3, 1, 8}, [][2]int{{1, 3}, {8, 9}}},
		{[]int{5, 3, 1}, [][2]int{{1, 1}, {3, 3}, {5, 5}}},
	} {
		if got := rangesOf(c.numbers); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.numbers, got, c.want)
		}
	}
}
