package cli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/internal/hint"
)

// plain puts what the parser of the command line refuses in plain words, with the word that may have been meant.
func plain(text string) string {
	if m := regexp.MustCompile(`^(.*) must be one of ("[^"]*"(?:,"[^"]*")*) but got (".*")$`).FindStringSubmatch(text); m != nil {
		var known []string
		for word := range strings.SplitSeq(m[2], ",") {
			if word = strings.Trim(word, `"`); word != "" {
				known = append(known, word)
			}
		}
		got, _ := strconv.Unquote(m[3])
		return fmt.Sprintf("%s must be %s, got %s%s", m[1], either(known), m[3], hint.DidYouMean(got, known))
	}
	if m := regexp.MustCompile(`^(.*expected a )float but got (".*") \(\w+\)$`).FindStringSubmatch(text); m != nil {
		got, _ := strconv.Unquote(m[2])
		return m[1] + "number but got " + m[2] + hint.Point(got)
	}
	text = regexp.MustCompile(`expected a valid \d+ bit int but`).ReplaceAllString(text, "expected a whole number but")
	text = regexp.MustCompile(`expected a valid \d+ bit uint but`).ReplaceAllString(text, "expected a whole number from 0 on but")
	return strings.Replace(text, "expected duration but got", "expected a time as 90s or 2h but got", 1)
}

// either lists words of which one is wanted.
func either(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// counted is a number of things: 1 trial, 2 trials.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func batches(n int) string {
	if n == 1 {
		return "1 batch"
	}
	return fmt.Sprintf("%d batches", n)
}
