package figure

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// Frame leaves a little room above and below.
func Frame(low, high float64, logarithmic bool) (bottom, top float64) {
	if logarithmic {
		room := math.Pow(high/low, 0.05)
		return low / room, high * room
	}
	room := 0.05 * (high - low)
	if largest := max(math.Abs(low), math.Abs(high)); room <= 1e-9*largest || room == 0 {
		room = max(1e-9, 0.05*largest)
	}
	return low - room, high + room
}

// LinearTicks labels four to nine multiples of 1, 2 or 5 times a power of ten.
func LinearTicks(low, high float64) []plot.Tick {
	step := math.Pow10(int(math.Floor(math.Log10((high - low) / 4))))
	for _, m := range []float64{5, 2} {
		if (high-low)/(m*step) >= 4 {
			step *= m
			break
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	label := func(v float64) string { return strconv.FormatFloat(v, 'f', decimals, 64) }
	if largest := max(math.Abs(low), math.Abs(high)); largest >= 1e6 || largest < 1e-4 {
		label = func(v float64) string { return fmt.Sprintf("%.6g", v) }
	}
	var ticks []plot.Tick
	for k := math.Ceil(low / step); k*step <= high; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: label(k*step + 0)})
	}
	return ticks
}

// LogTicks labels the powers of ten, and 2 and 5 times them when there are few.
func LogTicks(low, high float64) []plot.Tick {
	few := high < 300*low
	var ticks []plot.Tick
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for m := 1; m < 10; m++ {
			v := float64(m) * math.Pow10(e)
			if v < low || v > high {
				continue
			}
			tick := plot.Tick{Value: v}
			if m == 1 || few && (m == 2 || m == 5) {
				tick.Label = fmt.Sprintf("%g", v)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}
