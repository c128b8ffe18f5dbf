package space

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/internal/hint"
)

// axis maps the values of one parameter to its coordinates.
type axis interface {
	// width is the number of coordinates.
	width() int
	// decode returns the value at coordinates of [-1,1].
	decode(x []float64) any
	// encode writes the point that stands for a value, or says what was expected.
	encode(x []float64, value any) *valueError
}

// ladder is an axis of increasing numbers, one coordinate wide.
type ladder interface {
	axis
	steps() int
	level(i int) float64 // number i
	at(i int) float64    // its coordinate
	index(x float64) int // the number that coordinate x stands for
	below(v float64) int // the last i with level(i) <= v, or -1
}

func newAxis(p Param) axis {
	switch p.Kind {
	case KindFloat:
		if p.Step > 0 || p.Digits > 0 {
			return newGridAxis(p)
		}
		return floatAxis{p.Low, p.High}
	case KindLog:
		if p.Digits > 0 {
			return roundedLogAxis{logAxis{p.Low, p.High}, p.Digits}
		}
		return logAxis{p.Low, p.High}
	case KindInt:
		return intAxis{p.Low, p.High}
	case KindLogInt:
		return newLogIntAxis(p.Low, p.High)
	case KindOrdinal:
		return ordinalAxis(p.Levels)
	case KindBool:
		return boolAxis{}
	case KindChoice:
		return choiceAxis(p.Labels)
	}
	return fixedAxis{p.Value}
}

// between is low at x = -1 and high at x = 1, exactly. Bounds around 0 only scale, so that
// [-1,1] is the box itself, to the last digit.
func between(low, high, x float64) float64 {
	if low == -high {
		return high * x
	}
	return min(max(low*(0.5*(1-x))+high*(0.5*(1+x)), low), high)
}

// position is the inverse of between.
func position(low, high, v float64) float64 {
	if low == -high {
		return clip(v / high)
	}
	return clip(((v - low) - (high - v)) / (high - low))
}

func clip(x float64) float64 { return min(max(x, -1), 1) }

type floatAxis struct{ low, high float64 }

func (floatAxis) width() int { return 1 }

func (a floatAxis) decode(x []float64) any { return between(a.low, a.high, x[0]) }

func (a floatAxis) encode(x []float64, value any) *valueError {
	v, refused := within(value, a.low, a.high, "a number")
	if refused == nil {
		x[0] = position(a.low, a.high, v)
	}
	return refused
}

type logAxis struct{ low, high float64 }

func (logAxis) width() int { return 1 }

func (a logAxis) decode(x []float64) any {
	if x[0] == 1 {
		return a.high
	}
	// low (high/low)^((1+x)/2), which at 0 in [1e-4, 1] is 0.01 and not a digit more.
	return min(max(a.low*math.Pow(a.high/a.low, 0.5*(1+x[0])), a.low), a.high)
}

func (a logAxis) encode(x []float64, value any) *valueError {
	v, refused := within(value, a.low, a.high, "a number")
	if refused == nil {
		x[0] = clip(2*math.Log(v/a.low)/math.Log(a.high/a.low) - 1)
	}
	return refused
}

// cells divides [-1,1] in equal parts.
type cells int

// at is the centre of cell i: -1 + (2i+1)/n.
func (n cells) at(i int) float64 { return (2*float64(i) + 1 - float64(n)) / float64(n) }

// index is the cell of x.
func (n cells) index(x float64) int {
	return min(max(int(0.5*(x+1)*float64(n)), 0), int(n)-1)
}

type intAxis struct{ low, high float64 }

func (a intAxis) cells() cells { return cells(a.high - a.low + 1) }

func (intAxis) width() int { return 1 }

func (a intAxis) decode(x []float64) any { return int64(a.low) + int64(a.index(x[0])) }

func (a intAxis) encode(x []float64, value any) *valueError {
	v, refused := wholeWithin(value, a.low, a.high)
	if refused == nil {
		x[0] = a.cells().at(int(v - a.low))
	}
	return refused
}

func (a intAxis) steps() int          { return int(a.high-a.low) + 1 }
func (a intAxis) level(i int) float64 { return a.low + float64(i) }
func (a intAxis) index(x float64) int { return a.cells().index(x) }
func (a intAxis) at(i int) float64    { return a.cells().at(i) }
func (a intAxis) below(v float64) int {
	return int(math.Floor(min(max(v-a.low, -1), a.high-a.low)))
}

// logIntAxis has every integer at its logarithm. The box ends beyond the bounds, as far
// outside as the border to the neighbour is inside.
type logIntAxis struct{ low, high, logLow, logHigh float64 }

func newLogIntAxis(low, high float64) logIntAxis {
	return logIntAxis{
		low, high,
		math.Log(low) - 0.5*math.Log((low+1)/low),
		math.Log(high) + 0.5*math.Log(high/(high-1)),
	}
}

func (logIntAxis) width() int { return 1 }

func (a logIntAxis) decode(x []float64) any {
	u := between(a.logLow, a.logHigh, x[0])
	v := min(max(math.Floor(math.Exp(u)), a.low), a.high)
	// Neighbours meet at their geometric mean.
	if v < a.high && u >= 0.5*(math.Log(v)+math.Log(v+1)) {
		v++
	}
	return int64(v)
}

func (a logIntAxis) encode(x []float64, value any) *valueError {
	v, refused := wholeWithin(value, a.low, a.high)
	if refused == nil {
		x[0] = position(a.logLow, a.logHigh, math.Log(v))
	}
	return refused
}

type ordinalAxis []float64

func (a ordinalAxis) cells() cells { return cells(len(a)) }

func (ordinalAxis) width() int { return 1 }

func (a ordinalAxis) decode(x []float64) any { return a[a.index(x[0])] }

func (a ordinalAxis) encode(x []float64, value any) *valueError {
	v, ok := number(value)
	i := a.below(v)
	if ok && i >= 0 && a[i] == v {
		x[0] = a.at(i)
		return nil
	}
	refused := &valueError{Expected: "one of " + a.list()}
	if ok && finite(v) {
		i = max(i, 0)
		if i+1 < len(a) && a[i+1]-v < v-a[i] {
			i++
		}
		refused.Fix = "use " + formatFloat(a[i]) + ", the nearest"
	}
	refused.point(value)
	return refused
}

func (a ordinalAxis) list() string {
	texts := make([]string, len(a))
	for i, v := range a {
		texts[i] = formatFloat(v)
	}
	return enumerate(texts)
}

func (a ordinalAxis) steps() int          { return len(a) }
func (a ordinalAxis) level(i int) float64 { return a[i] }
func (a ordinalAxis) index(x float64) int { return a.cells().index(x) }
func (a ordinalAxis) at(i int) float64    { return a.cells().at(i) }
func (a ordinalAxis) below(v float64) int {
	return sort.Search(len(a), func(i int) bool { return a[i] > v }) - 1
}

type boolAxis struct{}

func (boolAxis) width() int { return 1 }

func (a boolAxis) decode(x []float64) any { return a.index(x[0]) == 1 }

func (boolAxis) encode(x []float64, value any) *valueError {
	v, ok := value.(bool)
	if !ok {
		return &valueError{Expected: "true or false"}
	}
	x[0] = -1
	if v {
		x[0] = 1
	}
	return nil
}

func (boolAxis) steps() int          { return 2 }
func (boolAxis) level(i int) float64 { return float64(i) }
func (boolAxis) at(i int) float64    { return float64(2*i - 1) }
func (boolAxis) index(x float64) int {
	if x < 0 {
		return 0
	}
	return 1
}
func (boolAxis) below(v float64) int { return int(math.Floor(min(max(v, -1), 1))) }

// choiceAxis has one coordinate per label, or a single one for two labels.
type choiceAxis []string

func (a choiceAxis) width() int {
	if len(a) == 2 {
		return 1
	}
	return len(a)
}

// decode takes the largest coordinate: the nearest one-hot corner.
func (a choiceAxis) decode(x []float64) any {
	if len(a) == 2 {
		if x[0] < 0 {
			return a[0]
		}
		return a[1]
	}
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return a[best]
}

func (a choiceAxis) encode(x []float64, value any) *valueError {
	label, ok := value.(string)
	at := slices.Index(a, label)
	if !ok || at < 0 {
		return &valueError{Expected: "one of " + enumerate(a) + hint.DidYouMean(label, a)}
	}
	if len(a) == 2 {
		x[0] = float64(2*at - 1)
		return nil
	}
	for i := range x {
		x[i] = -1
	}
	x[at] = 1
	return nil
}

type fixedAxis struct{ value any }

func (fixedAxis) width() int { return 0 }

func (a fixedAxis) decode([]float64) any { return a.value }

func (a fixedAxis) encode(_ []float64, value any) *valueError {
	if value == a.value {
		return nil
	}
	v, ok1 := number(value)
	w, ok2 := number(a.value)
	if ok1 && ok2 && v == w {
		return nil
	}
	return &valueError{Expected: "the fixed value " + text(a.value), Fix: "leave it out or use that"}
}

// within returns a number of [low, high].
func within(value any, low, high float64, what string) (float64, *valueError) {
	v, ok := number(value)
	if ok && v >= low && v <= high {
		return v, nil
	}
	refused := &valueError{Expected: fmt.Sprintf("%s in [%s, %s]", what, formatFloat(low), formatFloat(high))}
	if ok && finite(v) {
		refused.Fix = "use " + formatFloat(min(max(v, low), high)) + " or widen the bounds"
	}
	refused.point(value)
	return 0, refused
}

// wholeWithin returns a whole number of [low, high].
func wholeWithin(value any, low, high float64) (float64, *valueError) {
	v, refused := within(value, low, high, "a whole number")
	if refused == nil && v != math.Trunc(v) {
		_, refused = within(math.Inf(1), low, high, "a whole number")
		refused.Fix = "use " + formatFloat(math.Round(v))
	}
	return v, refused
}

// number returns a value as float64.
func number(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// enumerate lists texts, the middle of a long list left out.
func enumerate(texts []string) string {
	if n := len(texts); n > 12 {
		texts = slices.Concat(texts[:8], []string{"... (" + strconv.Itoa(n) + " in all) ..."}, texts[n-2:])
	}
	return strings.Join(texts, ", ")
}
