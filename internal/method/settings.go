package method

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/strategy"
)

// Bool reads a true/false option.
func Bool(s strategy.Settings, key string) (bool, error) {
	v, given := s[key]
	if !given {
		return false, nil
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		return false, fmt.Errorf("option %s is %q: write true or false", key, v)
	}
	return b, nil
}

// Choice reads an option that takes one of a few words; the first is the default.
func Choice(s strategy.Settings, key string, words ...string) (string, error) {
	v, given := s[key]
	if !given {
		return words[0], nil
	}
	if !slices.Contains(words, v) {
		return "", fmt.Errorf("option %s is %q: choose one of %s", key, v, strings.Join(words, ", "))
	}
	return v, nil
}

// Count reads a whole number from 1 to most.
func Count(s strategy.Settings, key string, fallback, most int) (int, error) {
	v, given := s[key]
	if !given {
		return fallback, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("option %s is %q: write a whole number from 1 to %d", key, v, most)
	}
	return n, nil
}

// EmbeddingDim reads d, a number or the word true for the problem's own
// dimension, and checks it against D.
func EmbeddingDim(s strategy.Settings, cfg strategy.Config, fallback int) (int, error) {
	v, given := s["d"]
	if !given {
		return min(fallback, cfg.Domain.Dim()), nil
	}
	if v == "true" {
		if cfg.TrueDim == 0 {
			return 0, fmt.Errorf("option d=true: the true dimension of this problem is not known, give a number")
		}
		return cfg.TrueDim, nil
	}
	d, err := strconv.Atoi(v)
	if err != nil {
		return 0, fmt.Errorf("option d is %q: write a whole number, or true for the problem's own dimension", v)
	}
	if d < 1 || d > cfg.Domain.Dim() {
		return 0, fmt.Errorf("option d is %d: it must lie between 1 and the number of parameters, %d", d, cfg.Domain.Dim())
	}
	return d, nil
}
