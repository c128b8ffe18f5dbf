// Package hint finds what a word or a number was meant to be.
package hint

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// DidYouMean returns ` (did you mean "word"?)` for the known word with the smallest edit
// distance, if at most a third of its letters differ but not all, and "" if there is none.
func DidYouMean(word string, known []string) string {
	best, bestDistance := "", 0
	for _, k := range known {
		if apart := len(word) - len(k); max(apart, -apart) > max(1, len(k)/3) {
			continue // so much the distance is at least
		}
		d := distance(word, k)
		if d <= max(1, len(k)/3) && d < max(len(word), len(k)) && (best == "" || d < bestDistance) {
			best, bestDistance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// distance is how many bytes have to be inserted, removed, replaced or swapped with the next
// to make one word the other.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// NotFinite returns NaN or Infinity if that is where JSON could not be read.
func NotFinite(data []byte, err error) string {
	var broken *json.SyntaxError
	if !errors.As(err, &broken) || broken.Offset < 1 || broken.Offset > int64(len(data)) {
		return ""
	}
	isLetter := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
	from, to := int(broken.Offset-1), int(broken.Offset-1)
	for from > 0 && isLetter(data[from-1]) {
		from--
	}
	for to < len(data) && isLetter(data[to]) {
		to++
	}
	switch strings.ToLower(string(data[from:to])) {
	case "nan":
		return "NaN"
	case "inf", "infinity":
		return "Infinity"
	}
	return ""
}

// commaNumber is a number with a decimal comma.
var commaNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[+-]?\d*,\d+([eE][+-]?\d+)?$`) })

// inThousands is a number whose commas can be marks of thousands.
var inThousands = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(,\d{3})+$`) })

// Point returns `: write 0.83, with a point` for a number with a decimal comma, says so where the comma may mark thousands,
// and returns "" for any other text.
func Point(text string) string {
	text = strings.TrimSpace(text)
	if inThousands().MatchString(text) {
		whole := ": write " + strings.ReplaceAll(text, ",", "")
		if strings.Count(text, ",") > 1 {
			return whole + ", without marks of thousands"
		}
		return whole + " if the comma marks thousands, else " + strings.Replace(text, ",", ".", 1)
	}
	if !commaNumber().MatchString(text) {
		return ""
	}
	return ": write " + strings.Replace(text, ",", ".", 1) + ", with a point"
}
