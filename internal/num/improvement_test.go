package num

import (
	"math"
	"testing"
)

// Values from mpmath 1.3.0 at 80 digits and more, at the float64 nearest u.
func TestLogImprovementAgainstHighPrecision(t *testing.T) {
	for _, c := range []struct{ u, value, slope float64 }{
		{-1e+100, -5.000000000000000159e+199, 1.0000000000000000159e+100},
		{-10000000000.0, -50000000000000000047.0, 10000000000.0},
		{-100000.0, -5000000023.9447894634, 100000.00001999999999},
		{-300, -45012.326536814554207, 300.0066664444617265},
		{-40, -808.29856835661996024, 40.049906657648518193},
		{-20, -206.91783850942509785, 20.099262811101281775},
		{-10, -55.553122036122355927, 10.194383033412553306},
		{-5, -16.744301162660990143, 5.3618162412880885298},
		{-3.5, -9.7468100377653867369, 3.977862956240945633},
		{-3.0000001, -7.8696864128367841035, 3.5323376056647391582},
		{-3, -7.8696860596030285171, 3.5323375176251605167},
		{-2.9, -7.5208464928878732151, 3.4445327294133315261},
		{-2, -4.7687835239171141569, 2.6794168839555859839},
		{-1, -2.4851210257126413368, 1.9042712333296918229},
		{-0.5, -1.6205162643873199193, 1.5598731483480796712},
		{0, -0.91893853320467274178, 1.2533141373155002512},
		{0.5, -0.35982768374506381859, 0.99092271800410996015},
		{1, 0.080026218849306940029, 0.77663872520173925975},
		{3, 1.0987396653277077727, 0.33284096845179523558},
		{10, 2.302585092994045684, 0.1},
		{40, 3.6888794541139363029, 0.025},
		{100000.0, 11.51292546497022842, 0.00001},
	} {
		// At the change of formula a cancellation by 12 remains.
		const tolerance = 3e-15
		value, slope := LogImprovement(c.u)
		if !(math.Abs(value-c.value) <= tolerance*max(1, math.Abs(c.value))) || !(math.Abs(slope-c.slope) <= 4*tolerance*c.slope) {
			t.Errorf("LogImprovement(%g) = %.17g, slope %.17g, want %.17g, %.17g", c.u, value, slope, c.value, c.slope)
		}
	}
}

func TestLogImprovementOfSpecialValues(t *testing.T) {
	inf := math.Inf(1)
	for u, want := range map[float64]float64{inf: inf, -inf: -inf, -1e200: -inf} {
		if got, _ := LogImprovement(u); got != want {
			t.Errorf("LogImprovement(%g) = %g, want %g", u, got, want)
		}
	}
	if got, slope := LogImprovement(math.NaN()); !math.IsNaN(got) || !math.IsNaN(slope) {
		t.Errorf("LogImprovement(NaN) = %g, slope %g", got, slope)
	}
}
