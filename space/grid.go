package space

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// mostDigits is how many digits a parameter can be rounded to: more are no rounding.
const mostDigits = 12

// gridAxis is a float that is suggested in steps. Values between two steps can be told, and
// have points of their own. Its cells are as wide as each other, as those of whole numbers.
type gridAxis struct {
	low, high float64
	last      float64 // number of the last step
	power     float64 // ten to the number of decimals that all levels have
}

// newGridAxis returns the axis of a float with a step or digits.
func newGridAxis(p Param) gridAxis {
	a := gridAxis{low: p.Low, high: p.High, last: math.Round((p.High - p.Low) / p.step()), power: math.Pow(10, mostDigits)}
	if d := max(decimals(p.Low), decimals(p.step())); d < mostDigits {
		a.power = math.Pow(10, float64(d))
	}
	return a
}

// step is the distance of the values that are suggested of a float.
func (p Param) step() float64 {
	if p.Step > 0 {
		return p.Step
	}
	return 1 / math.Pow(10, float64(p.Digits)) // 0.1 as it is written, unlike 10^-1
}

// decimals is how many digits a number has behind the point when it is written.
func decimals(v float64) int {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if i := strings.IndexByte(text, '.'); i >= 0 {
		return len(text) - i - 1
	}
	return 0
}

func (gridAxis) width() int { return 1 }

func (a gridAxis) decode(x []float64) any { return a.level(a.index(x[0])) }

func (a gridAxis) encode(x []float64, value any) *valueError {
	v, refused := within(value, a.low, a.high, "a number")
	if refused == nil {
		x[0] = a.place((v - a.low) / (a.high - a.low) * a.last)
	}
	return refused
}

// place is the coordinate of a number between steps.
func (a gridAxis) place(i float64) float64 { return (2*i - a.last) / (a.last + 1) }

func (a gridAxis) steps() int { return int(a.last) + 1 }

func (a gridAxis) level(i int) float64 {
	v := a.low + float64(i)/a.last*(a.high-a.low)
	return min(max(math.Round(v*a.power)/a.power, a.low), a.high)
}

func (a gridAxis) at(i int) float64 {
	x := [1]float64{}
	_ = a.encode(x[:], a.level(i)) // it is within the bounds
	return x[0]
}

func (a gridAxis) index(x float64) int { return cells(a.steps()).index(x) }

func (a gridAxis) below(v float64) int {
	i := int(math.Floor(min(max((v-a.low)/(a.high-a.low)*a.last, -1), a.last)))
	if i < int(a.last) && a.level(i+1) <= v { // a step that rounding has put a little lower
		i++
	}
	return i
}

// roundedLogAxis is a log parameter of which few digits are suggested.
type roundedLogAxis struct {
	logAxis
	digits int
}

func (a roundedLogAxis) decode(x []float64) any {
	v := a.logAxis.decode(x).(float64)
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', a.digits-1, 64), 64)
	if err != nil || rounded < a.low || rounded > a.high {
		return v // at the ends
	}
	return rounded
}

// checkRounding says what is wrong with the step or the digits.
func (p Param) checkRounding() error {
	switch {
	case p.Step == 0 && p.Digits == 0:
		return nil
	case p.Kind == KindLog && p.Step != 0:
		return fmt.Errorf("step: on a logarithmic scale there are no equal steps: use digits, the number of digits that count")
	case p.Kind != KindFloat && p.Kind != KindLog:
		return fmt.Errorf("step and digits are for float, and digits for log, not for %s", p.Kind)
	case p.Step != 0 && p.Digits != 0:
		return fmt.Errorf("both step and digits are given: keep one")
	case p.Digits < 0 || p.Digits > mostDigits:
		return fmt.Errorf("digits is %d: write 1 to %d, or use int for whole numbers", p.Digits, mostDigits)
	case p.Kind == KindLog:
		return nil
	case !finite(p.Step) || p.Step < 0 || p.Step > p.High-p.Low:
		return fmt.Errorf("step is %s: it must be positive, and not larger than the distance of the bounds %s", formatFloat(p.Step), p.bounds())
	}
	steps := (p.High - p.Low) / p.step()
	if steps > maxInt {
		return fmt.Errorf("there are more than %g steps between the bounds %s: leave out step or digits", maxInt, p.bounds())
	}
	if p.Digits > 0 && max(decimals(p.Low), decimals(p.High)) > p.Digits {
		return fmt.Errorf("the bounds %s have more than %d digits behind the point: round them, or raise digits", p.bounds(), p.Digits)
	}
	if math.Abs(steps-math.Round(steps)) > 1e-6 {
		high := p.Low + math.Floor(steps)*p.step()
		return fmt.Errorf("the step %s does not lead from %s to %s: use the bounds [%s, %s], or another step",
			formatFloat(p.Step), formatFloat(p.Low), formatFloat(p.High), formatFloat(p.Low), formatFloat(math.Round(high*1e9)/1e9))
	}
	return nil
}
