package pareto

// Kept says whether all limits are kept.
func Kept(limits []float64) bool {
	for _, v := range limits {
		if v > 0 {
			return false
		}
	}
	return true
}

// Scales are what violations of limits are measured by, so that they can be added: of each the
// largest one seen, 1 when there is none.
func Scales(limits [][]float64) []float64 {
	if len(limits) == 0 {
		return nil
	}
	scales := make([]float64, len(limits[0]))
	for k := range scales {
		for _, y := range limits {
			scales[k] = max(scales[k], y[k])
		}
		if scales[k] == 0 {
			scales[k] = 1
		}
	}
	return scales
}

// Violation is the sum of the violations, each divided by its scale; 0 when all limits are kept.
func Violation(limits, scales []float64) (sum float64) {
	for k, v := range limits {
		if v > 0 {
			sum += v / scales[k]
		}
	}
	return sum
}

// Best returns the place of the point with the lowest value among those that keep all limits;
// without one the point that violates them least, and false. It is -1 without points.
func Best(values []float64, limits [][]float64) (at int, kept bool) {
	at = -1
	for i, v := range values {
		if Kept(limits[i]) && (at < 0 || v < values[at]) {
			at = i
		}
	}
	if at >= 0 {
		return at, true
	}
	scales, least := Scales(limits), 0.0
	for i := range values {
		v := Violation(limits[i], scales)
		if at < 0 || v < least || v == least && values[i] < values[at] {
			at, least = i, v
		}
	}
	return at, false
}
