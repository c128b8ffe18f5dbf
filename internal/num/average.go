package num

import "math"

// Average is the mean of values, each weighed by its precision 1/std², and the mean's own std,
// from the sum of the precisions; a std of 0 is not known. A value without a std weighs as much as the others do on
// average; the mean of such values alone has none. Weights are relative to the highest and means are
// convex combinations, so that nothing overflows.
func Average(values, stds []float64) (mean, std float64) {
	if len(values) == 1 {
		return values[0], stds[0]
	}
	least := math.Inf(1)
	for _, std := range stds {
		if std > 0 {
			least = min(least, std)
		}
	}
	weights := make([]float64, len(stds))
	var sum, known float64
	for i, std := range stds {
		if std > 0 {
			weights[i] = least / std * (least / std)
			sum += weights[i]
			known++
		}
	}
	usual := 1.0
	if known > 0 {
		usual = sum / known
	}
	total := 0.0
	for i, y := range values {
		w := weights[i]
		if stds[i] == 0 {
			w = usual
		}
		if w == 0 { // beside another that is incomparably more precise
			continue
		}
		total += w
		mean = mean*(1-w/total) + y*(w/total)
	}
	if known > 0 {
		std = least / math.Sqrt(total)
	}
	return mean, std
}
