package space

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"
)

// FuzzFlatJSON wants the fast reader to agree with the careful one wherever it says yes.
func FuzzFlatJSON(f *testing.F) {
	for _, s := range []string{
		`{}`, ` { "a" : 1 , "b":-2.5e-3,"c":"x","d":true,"e":false } `, `{"a":1,"a":2}`, `{"a":01}`, `{"a":-0}`, `{"a":1.}`,
		`{"a":.5}`, `{"a":1e400}`, `{"a":99999999999999999999}`, `{"a":"\u0041"}`, `{"a":null}`, `{"a":[1]}`, `{"a":1,}`, `{"a":1e}`,
		`{"a":1}x`, `{"a" 1}`, `{"a":1 2}`, `{"a":0.5,"b":0}`, `{"a":1-2}`, `[1]`, "{\"a\":\"\xff\"}", `{"a":--1}`, `{"a":1E+5}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fast, ok := readFlat(data)
		if !ok {
			return
		}
		careful, err := readValues(data)
		if err != nil {
			t.Fatalf("%q is taken for %v but %v", data, fast, err)
		}
		if !slices.Equal(fast.names, careful.names) || !slices.Equal(fast.values, careful.values) || !maps.Equal(fast.index, careful.index) {
			t.Errorf("%q is read as %#v, carefully as %#v", data, fast, careful)
		}
	})
}

// What is written is read the fast way.
func TestWrittenValuesAreFlat(t *testing.T) {
	v := ParamsOf(map[string]any{"a": 1, "b": 0.25, "c": "x y", "d": true, "e": 1e-300, "f": -3})
	data, err := v.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	read, ok := readFlat(data)
	if !ok || !reflect.DeepEqual(read, v) {
		t.Errorf("%s is read as %#v, %v", data, read, ok)
	}
}

// What is written is what encoding/json writes.
func FuzzAppendJSON(f *testing.F) {
	for _, n := range []float64{0, math.Copysign(0, -1), 0.1, 1e-6, 9.99e-7, 1e20, 1e21, -1e-300, math.MaxFloat64, 5e-324} {
		f.Add(n, int64(n), "a b<\u2028\"\\&\x7f\xff")
	}
	f.Add(1.0, int64(math.MinInt64), "plain")
	f.Fuzz(func(t *testing.T, number float64, whole int64, text string) {
		for _, v := range []any{number, whole, text, true} {
			got, gotErr := appendJSON([]byte("x"), v)
			want, wantErr := json.Marshal(v)
			if string(got) != "x"+string(want) || (gotErr == nil) != (wantErr == nil) {
				t.Errorf("%#v is written as %q, %v; by encoding/json as %q, %v", v, got[1:], gotErr, want, wantErr)
			}
		}
	})
}
