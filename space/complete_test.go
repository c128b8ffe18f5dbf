package space_test

import (
	"encoding/json"
	"testing"

	"github.com/mahabo/mahabo/space"
)

func TestComplete(t *testing.T) {
	s, err := space.New(
		space.Float("z", -5, 5), space.Int("n", 0, 9), space.Log("rate", 1, 100), space.Ordinal("o", 1, 2.5),
		space.Choice("c", "a", "b"), space.Bool("on"), space.Fixed("g", 9.81), space.LogInt("w", 1, 64),
	)
	if err != nil {
		t.Fatal(err)
	}
	// 0.1 has no exact point between -5 and 5, and must stay 0.1.
	v, err := s.Complete(space.ValuesOf(map[string]any{"c": "b", "n": 3.0, "o": 1, "on": true, "rate": 10, "w": 8.0, "z": 0.1}))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if want := `{"z":0.1,"n":3,"rate":10,"o":1,"c":"b","on":true,"g":9.81,"w":8}`; err != nil || string(text) != want {
		t.Errorf("Complete returned %s, %v, want %s", text, err, want)
	}
	for name, want := range map[string]any{"n": int64(3), "w": int64(8), "rate": 10.0, "o": 1.0} {
		if got, _ := v.Get(name); got != want {
			t.Errorf("%s is %T %v, want %T", name, got, got, want)
		}
	}
	if _, err := s.Complete(space.ValuesOf(map[string]any{"z": 0.1})); err == nil {
		t.Error("missing values were not refused")
	}
}
