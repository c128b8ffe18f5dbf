package insight

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

const (
	mostNamed  = 4   // coordinates in a sentence
	leastNamed = 0.3 // of the largest loading, of a coordinate that is named
)

// sentence says what moving along a direction means, by its main coordinates: those with
// a large loading that is clearly not zero.
func (a *analyst) sentence(loadings []Loading) string {
	order := make([]int, len(loadings))
	for j := range order {
		order[j] = j
	}
	size := func(j int) float64 { return math.Abs(loadings[j].Value) }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(size(j), size(i)) })
	main := order[:0:0]
	for _, j := range order {
		if size(j) >= leastNamed*size(order[0]) && size(j) > clearly*loadings[j].StdDev {
			main = append(main, j)
		}
	}
	if len(main) == 0 {
		return fmt.Sprintf("moves many of the %d coordinates a little; none stands out", len(loadings))
	}
	named := main[:min(mostNamed, len(main))]
	text := phrase(a.coords, loadings, named)
	if rest := len(main) - len(named); rest > 0 {
		text += fmt.Sprintf(", and move %d more", rest)
	}
	return text
}

// phrase names coordinates by what becomes of them.
func phrase(coords []coordinate, loadings []Loading, named []int) string {
	var raise, lower, set []string
	for _, j := range named {
		c, up := coords[j], loadings[j].Value > 0
		switch {
		case c.label != "" && up:
			set = append(set, "choose "+c.name+"="+c.label)
		case c.label != "":
			set = append(set, "avoid "+c.name+"="+c.label)
		case c.ends[0] != "" && up:
			set = append(set, "choose "+c.name+"="+c.ends[1])
		case c.ends[0] != "":
			set = append(set, "choose "+c.name+"="+c.ends[0])
		case up:
			raise = append(raise, c.name)
		default:
			lower = append(lower, c.name)
		}
	}
	text := ""
	switch {
	case len(raise) > 0 && len(lower) > 0:
		text = "raise " + enumerate(raise) + " while lowering " + enumerate(lower)
	case len(raise) > 0:
		text = "raise " + enumerate(raise)
	case len(lower) > 0:
		text = "lower " + enumerate(lower)
	}
	if len(set) > 0 {
		if text != "" {
			text += "; "
		}
		text += enumerate(set)
	}
	return text
}

// enumerate joins words as a sentence does.
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// inWords is a small number as a word.
func inWords(n int) string {
	if words := []string{"no", "one", "two", "three", "four", "five", "six"}; n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// verb returns the form that goes with a number.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
