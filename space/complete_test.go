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
	v, err := s.Complete(space.ParamsOf(map[string]any{"c": "b", "n": 3.0, "o": 1, "on": true, "rate": 10, "w": 8.0, "z": 0.1}))
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
	if _, err := s.Complete(space.ParamsOf(map[string]any{"z": 0.1})); err == nil {
		t.Error("missing values were not refused")
	}
}

func TestReadText(t *testing.T) {
	for _, c := range []struct {
		param space.Param
		text  string
		want  any
	}{
		{space.Float("x", 0, 1), "0.5", 0.5},
		{space.Float("x", 0, 1), " 1 ", int64(1)},
		{space.Float("x", 0, 1), "much", "much"},
		{space.Int("n", 0, 9), "3", int64(3)},
		{space.Int("n", 0, 9), "3e0", 3.0},
		{space.Choice("c", "1", "2"), "1", "1"},
		{space.Choice("c", " a", "b"), " a", " a"},
		{space.Bool("on"), "true", true},
		{space.Bool("on"), "0", false},
		{space.Bool("on"), "maybe", "maybe"},
		{space.Fixed("g", "7"), "7", "7"},
		{space.Fixed("g", true), "true", true},
		{space.Fixed("g", 9.81), "9.81", 9.81},
	} {
		if got := c.param.ReadText(c.text); got != c.want {
			t.Errorf("%s %q is read as %T %v, want %T %v", c.param.Kind, c.text, got, got, c.want, c.want)
		}
	}
}
