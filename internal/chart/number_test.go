package chart

import "testing"

func TestNumber(t *testing.T) {
	for want, v := range map[string]float64{"0.333333": 1.0 / 3, "101325.2": 101325.2, "-1234567.125": -1234567.125, "1e+12": 1e12, "1.23457e-08": 1.2345678e-8, "0": 0} {
		if got := Number(v, 0); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
	for want, values := range map[int][]float64{6: {0.1, 0.2, 0.1 + 1e-17}, 9: {1.00000001, 1.00000002}, 11: {101325.00001, 101325.00002, 7}} {
		if got := Digits(values); got != want {
			t.Errorf("%v take %d digits, want %d", values, got, want)
		}
	}
}
