package hint

import (
	"encoding/json"
	"testing"
)

func TestDidYouMean(t *testing.T) {
	known := []string{"layers", "rate", "w0", "w1", "k"}
	for word, want := range map[string]string{
		"layer":  ` (did you mean "layers"?)`,
		"ratte":  ` (did you mean "rate"?)`,
		"w2":     ` (did you mean "w0"?)`,
		"speed":  "",
		"":       "",
		"lyaers": ` (did you mean "layers"?)`,
		"raet":   ` (did you mean "rate"?)`,
		"x":      "", // nothing in common with "k"
	} {
		if got := DidYouMean(word, known); got != want {
			t.Errorf("DidYouMean(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"same", "same", 0}, {"flaot", "float", 1}, {"ab", "ba", 1}, {"abcd", "badc", 2}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance(c.b, c.a); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestPoint(t *testing.T) {
	for text, want := range map[string]string{
		"0,83": ": write 0.83, with a point", "-1,5e-3": ": write -1.5e-3, with a point", " ,5 ": ": write .5, with a point",
		"0.83": "", "1,2,3": "",
		"1,200": ": write 1200 if the comma marks thousands, else 1.200", "-12,345,678": ": write -12345678, without marks of thousands",
		"0,125": ": write 0.125, with a point", "1234,567": ": write 1234.567, with a point", "1,200,5": "",
		"a,b": "", "1,": "", "1, 5": "", "1,e5": "", "nan,": "", ",": "", "": "", "0x1,8p3": "",
	} {
		if got := Point(text); got != want {
			t.Errorf("Point(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestNotFinite(t *testing.T) {
	for text, want := range map[string]string{
		`{"value": NaN}`: "NaN", `{"value": nan, "b": 1}`: "NaN", `{"value": -Infinity}`: "Infinity", `[1, inf]`: "Infinity", `NaN`: "NaN",
		`{"value": Nancy}`: "", `{"NaN": "NaN", x}`: "", `{"value": 3`: "", `{"value": 3}`: "", ``: "", `{"a": n`: "",
	} {
		var v any
		if got := NotFinite([]byte(text), json.Unmarshal([]byte(text), &v)); got != want {
			t.Errorf("NotFinite(%s) = %q, want %q", text, got, want)
		}
	}
}
