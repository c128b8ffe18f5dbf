package problem

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/internal/linalg"
	"github.com/mahabo/mahabo/internal/rng"
)

// Option is one key of a problem specification `name:key=value,...`.
type Option struct {
	Key, Default, Meaning string
}

// Options lists what every problem accepts.
func Options() []Option {
	return []Option{
		{"embed", dense, "dense (every coordinate in every direction), axis (one coordinate each) or sparse (sqrt(D/d) coordinates each)"},
		{"noise", "0", "standard deviation of Gaussian noise, as a fraction of the function's range"},
		{"design-noise", "0", "the same as a fraction of the range of ten random points, far smaller where many parameters hide few"},
	}
}

// The kinds of embeddings.
const (
	dense  = "dense"
	axis   = "axis"
	sparse = "sparse"
)

// spec is a specification taken apart.
type spec struct {
	name, embed string
	noise       float64
	designNoise float64
}

// parse reads `name` or `name:key=value,...`.
func parse(text string) (spec, error) {
	name, rest, hasOptions := strings.Cut(text, ":")
	s := spec{name: name, embed: dense}
	if _, known := find(name); !known {
		return spec{}, fmt.Errorf("unknown problem %q: the problems are %s; ackley, levy and rosenbrock take other numbers of parameters too, as in levy8", name, strings.Join(Names(), ", "))
	}
	if !hasOptions {
		return s, nil
	}
	given := map[string]bool{}
	for pair := range strings.SplitSeq(rest, ",") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" || value == "" {
			return spec{}, fmt.Errorf("problem %q: option %q is not of the form key=value", text, pair)
		}
		if given[key] {
			return spec{}, fmt.Errorf("problem %q: option %q is given twice", text, key)
		}
		given[key] = true
		if err := s.set(key, value); err != nil {
			return spec{}, fmt.Errorf("problem %q: %w", text, err)
		}
	}
	if s.noise > 0 && s.designNoise > 0 {
		return spec{}, fmt.Errorf("problem %q: options noise and design-noise are both given, choose one", text)
	}
	return s, nil
}

func (s *spec) set(key, value string) (err error) {
	switch key {
	case "embed":
		if !slices.Contains([]string{dense, axis, sparse}, value) {
			return fmt.Errorf("option embed is %q: choose one of %s, %s, %s", value, dense, axis, sparse)
		}
		s.embed = value
	case "noise":
		s.noise, err = fraction(key, value)
	case "design-noise":
		s.designNoise, err = fraction(key, value)
	default:
		err = fmt.Errorf("unknown option %q, there are embed, noise, design-noise", key)
	}
	return err
}

// fraction reads a part of a range.
func fraction(key, value string) (float64, error) {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("option %s is %q: write a fraction of the range, as in 0.01", key, value)
	}
	return v, nil
}

// String writes the specification without options that repeat a default.
func (s spec) String() string {
	var kept []string
	if s.embed != dense {
		kept = append(kept, "embed="+s.embed)
	}
	if s.noise > 0 {
		kept = append(kept, "noise="+strconv.FormatFloat(s.noise, 'g', -1, 64))
	}
	if s.designNoise > 0 {
		kept = append(kept, "design-noise="+strconv.FormatFloat(s.designNoise, 'g', -1, 64))
	}
	if len(kept) == 0 {
		return s.name
	}
	return s.name + ":" + strings.Join(kept, ",")
}

// Canonical checks a specification and writes it with its options in the order
// of Options, without those that repeat a default.
func Canonical(text string) (string, error) {
	s, err := parse(text)
	if err != nil {
		return "", err
	}
	return s.String(), nil
}

// hide embeds p in dim dimensions; the embedding depends on (kind, seed, dim,
// native dimension) alone.
func (s spec) hide(p Problem, dim int, seed uint64) (Problem, error) {
	stream := func(purpose string) []uint64 { return []uint64{rng.Purpose(purpose), uint64(dim), uint64(p.Dim)} }
	switch s.embed {
	case axis:
		return EmbedSparse(p, dim, 1, rng.New(seed, stream("axis embedding")...))
	case sparse:
		// Between one coordinate each and, with D/d, all of them.
		entries := int(math.Sqrt(float64(dim) / float64(p.Dim)))
		return EmbedSparse(p, dim, entries, rng.New(seed, stream("sparse embedding")...))
	}
	return Embed(p, dim, rng.New(seed, stream("embedding")...))
}

// valueRange is the distance of the 10 % and 90 % quantiles of the values at
// uniform points of the native box: the highest walls do not count.
func valueRange(p Problem) float64 {
	values := uniformValues(p)
	slices.SortFunc(values, cmp.Compare[float64])
	return values[450] - values[50]
}

// designRange is the mean range of the values at ten uniform points.
func designRange(p Problem) float64 {
	const design = 10
	var sum, count float64
	for ten := range slices.Chunk(uniformValues(p), design) {
		sum += slices.Max(ten) - slices.Min(ten)
		count++
	}
	return sum / count
}

// uniformValues returns the values at 500 uniform points of the box.
func uniformValues(p Problem) []float64 {
	width := p.Dim
	if p.Space != nil {
		width = p.Space.Dim()
	}
	points := linalg.New(500, width)
	rng.NewFiller(rng.New(0, rng.Purpose("range"))).Uniform(points.Data)
	values := make([]float64, points.Rows)
	for i := range values {
		values[i] = p.Value(points.Row(i))
	}
	return values
}
