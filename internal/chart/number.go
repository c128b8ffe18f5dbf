package chart

import (
	"math"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/space"
)

// Fewest and most significant digits of a number.
const (
	fewestDigits = 6
	mostDigits   = 15
)

// Number writes a value with so many digits, at least six, and with four behind the point of one that is not very large.
func Number(v float64, digits int) string {
	digits = max(digits, fewestDigits)
	if size := math.Abs(v); size >= 1 && size < 1e12 {
		digits = max(digits, int(math.Log10(size))+5)
	}
	return strconv.FormatFloat(v, 'g', min(digits, mostDigits), 64)
}

// Digits is how many digits tell values apart, as far as that is possible.
func Digits(values []float64) int {
	apart := func(digits int) int {
		texts := map[string]bool{}
		for _, v := range values {
			texts[Number(v, digits)] = true
		}
		return len(texts)
	}
	digits, all := fewestDigits, apart(mostDigits)
	for apart(digits) < all {
		digits++
	}
	return digits
}

// Aim says what a study is after: its goal, or its objectives and how many limits they have.
func Aim(goal string, s *space.Space) string {
	var parts []string
	limits := 0
	for _, o := range s.Outcomes() {
		if o.Goal != "" {
			parts = append(parts, o.Goal+" "+o.Name)
		}
		if o.AtMost != nil || o.AtLeast != nil {
			limits++
		}
	}
	if len(parts) == 0 {
		return goal
	}
	switch text := strings.Join(parts, ", "); limits {
	case 0:
		return text
	case 1:
		return text + " within 1 limit"
	default:
		return text + " within " + strconv.Itoa(limits) + " limits"
	}
}
