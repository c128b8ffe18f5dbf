package space

import (
	"maps"
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
	v := ValuesOf(map[string]any{"a": 1, "b": 0.25, "c": "x y", "d": true, "e": 1e-300, "f": -3})
	data, err := v.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	read, ok := readFlat(data)
	if !ok || !reflect.DeepEqual(read, v) {
		t.Errorf("%s is read as %#v, %v", data, read, ok)
	}
}
