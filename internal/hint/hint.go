// Package hint finds the word that a misspelt one was meant to be.
package hint

import "fmt"

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

// distance is the Levenshtein distance of two words in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
