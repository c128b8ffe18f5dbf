package space

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestValuesJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := Params{index: map[string]int{}}
		for _, name := range rapid.SliceOfDistinct(rapid.StringMatching(`[a-zλ_][a-z0-9_.]{0,5}`), rapid.ID[string]).Draw(t, "names") {
			v.add(name, rapid.OneOf(
				rapid.Map(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), func(f float64) any { return f }),
				rapid.Map(rapid.Int64(), func(i int64) any { return i }),
				rapid.Map(rapid.String(), func(s string) any { return s }),
				rapid.Map(rapid.Bool(), func(b bool) any { return b }),
			).Draw(t, "value"))
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var back Params
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(back.names, v.names) {
			t.Fatalf("names %q, want %q", back.names, v.names)
		}
		for name, want := range v.All() {
			got, ok := back.Get(name)
			g, _ := number(got)
			w, numeric := number(want)
			// A whole float64 reads back as an int64.
			if !ok || numeric && g != w || !numeric && got != want {
				t.Fatalf("%s: %s reads back as %v, want %v", data, name, got, want)
			}
		}
	})
}

func TestValuesErrors(t *testing.T) {
	for text, want := range map[string]string{
		`[1]`:              "one JSON object",
		`{"a": 1, "a": 2}`: `parameter "a" has two values`,
		`{"a": [1]}`:       "got a list",
		`{"a": null}`:      "got nothing",
		`{"a": {"b": 1}}`:  "got a mapping",
		`{"a": 1`:          "unexpected end",
		`{"a": 1e999}`:     "does not fit a float64",
	} {
		var v Params
		if err := json.Unmarshal([]byte(text), &v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s says %v, want %q", text, err, want)
		}
	}
}

func TestValuesText(t *testing.T) {
	type label string
	v := ParamsOf(map[string]any{
		"f": 0.1, "big": 1e21, "i": uint8(3), "s": "a b", "b": true, "n": json.Number("12"), "x": json.Number("1.5"), "l": label("rk4"), "g": float32(0.5),
	})
	for name, want := range map[string]string{
		"f": "0.1", "big": "1e+21", "i": "3", "s": "a b", "b": "true", "n": "12", "x": "1.5", "l": "rk4", "g": "0.5",
	} {
		if got, ok := v.Text(name); !ok || got != want {
			t.Errorf("Text(%s) = %q, %v, want %q", name, got, ok, want)
		}
	}
	if _, ok := v.Text("none"); ok {
		t.Error("an unknown name has a text")
	}
	if _, ok := v.Get("none"); ok {
		t.Error("an unknown name has a value")
	}
	if v.Len() != 9 {
		t.Errorf("Len is %d, want 9", v.Len())
	}
	for name := range v.All() {
		if name != "b" { // sorted
			t.Errorf("the first name is %q", name)
		}
		break
	}
}

func TestFloatAndString(t *testing.T) {
	v := ParamsOf(map[string]any{"a": 0.1, "n": 3, "on": true, "s": "x"})
	for name, want := range map[string]float64{"a": 0.1, "n": 3, "on": 1} {
		if got := v.Float(name); got != want {
			t.Errorf("Float(%q) is %g, want %g", name, got, want)
		}
	}
	if got := v.Float("s"); !math.IsNaN(got) {
		t.Errorf("Float of a text is %g, want NaN", got)
	}
	if v.Int("n") != 3 || v.Int("on") != 1 || !v.Bool("on") {
		t.Errorf("n is %d, on is %v", v.Int("n"), v.Bool("on"))
	}
	for want, f := range map[string]func(){
		`there is no parameter "missing"`: func() { v.Float("missing") },
		"which is no whole number":        func() { v.Int("a") },
		"neither true nor false":          func() { v.Bool("n") },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("it says %s, want %s", got, want)
				}
			}()
			f()
		}()
	}
	if got, want := v.String(), `{"a":0.1,"n":3,"on":true,"s":"x"}`; got != want {
		t.Errorf("String is %s, want %s", got, want)
	}
	if got := ParamsOf(map[string]any{"a": math.NaN()}).String(); !strings.Contains(got, `"a"`) {
		t.Errorf("String of NaN is %s", got)
	}
}
