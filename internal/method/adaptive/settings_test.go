package adaptive

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/method/methodtest"
	"github.com/mahabo/mahabo/strategy"
)

// Every field of the settings is an option with its default and a meaning, and is what a
// specification makes of it.
func TestEverySettingIsAnOption(t *testing.T) {
	fields := reflect.TypeFor[settings]()
	byKey := map[string]strategy.Option{}
	for _, o := range Method().Options {
		if _, twice := byKey[o.Key]; twice || o.Meaning == "" || o.Default == "" {
			t.Errorf("option %+v is given twice, or has no meaning or default", o)
		}
		byKey[o.Key] = o
	}
	if len(byKey) != fields.NumField()+1 { // and without
		t.Errorf("%d options for %d settings", len(byKey), fields.NumField())
	}
	for i := range fields.NumField() {
		f := fields.Field(i)
		o, known := byKey[f.Tag.Get("option")]
		if !known {
			t.Errorf("setting %s has no option", f.Name)
			continue
		}
		if value := reflect.ValueOf(defaults).Field(i).Interface(); o.Default != fmt.Sprint(value) {
			t.Errorf("option %s has the default %s, the setting %v", o.Key, o.Default, value)
		}
		if same, err := read(strategy.Settings{o.Key: o.Default}); err != nil || same != defaults {
			t.Errorf("%s=%s: %+v, %v, want the defaults", o.Key, o.Default, same, err)
		}
		other := map[reflect.Kind]string{reflect.Bool: "false", reflect.Int: "77", reflect.Float64: "0.75"}[f.Type.Kind()]
		got, err := read(strategy.Settings{o.Key: other})
		if err != nil {
			t.Errorf("%s=%s: %v", o.Key, other, err)
			continue
		}
		for k := range fields.NumField() {
			want := reflect.ValueOf(defaults).Field(k).Interface()
			if k == i {
				if set := fmt.Sprint(reflect.ValueOf(got).Field(k).Interface()); set != other {
					t.Errorf("%s=%s sets it to %s", o.Key, other, set)
				}
			} else if v := reflect.ValueOf(got).Field(k).Interface(); v != want {
				t.Errorf("%s=%s sets %s to %v", o.Key, other, fields.Field(k).Name, v)
			}
		}
	}
	if s, err := read(nil); err != nil || s != defaults {
		t.Errorf("without options: %+v, %v", s, err)
	}
}

// A word of without is short for one setting; options beside it count too.
func TestWithout(t *testing.T) {
	same := map[string]strategy.Settings{
		"nothing": {},
		"log":     {"log": "false"},
		"ei":      {"improvement": "0"},
		"weights": {"weight-share": "0"},
		"local":   {"local-share": "0"},
		"matern":  {"matern": "false"},
		"ascent":  {"ascent": "false"},
		"turned":  {"turned-share": "0"},
		"cloud":   {"cloud-share": "0"},
		"middle":  {"middle-first": "false"},
		"near":    {"near-share": "0"},
	}
	for word := range without {
		want, err := read(same[word])
		if err != nil || same[word] == nil {
			t.Fatalf("without=%s is short for %v: %v", word, same[word], err)
		}
		if got, err := read(strategy.Settings{"without": word}); err != nil || got != want {
			t.Errorf("without=%s: %+v, %v, want %+v", word, got, err, want)
		}
		want.Starts = 3
		if got, err := read(strategy.Settings{"without": word, "starts": "3"}); err != nil || got != want {
			t.Errorf("without=%s,starts=3: %+v, %v, want %+v", word, got, err, want)
		}
		if !strings.Contains(parts, word) {
			t.Errorf("the description does not name %s: %s", word, parts)
		}
	}
	if got := strings.Count(parts, ",") + 1; got != len(without) {
		t.Errorf("the description names %d words, there are %d", got, len(without))
	}
}

// The fewest observations of fits and models are enough for all phases of a search.
func TestFewestObservations(t *testing.T) {
	for _, spec := range []string{"adaptive:most-fitted=16", "adaptive:most-model=48", "adaptive:most-fitted=16,most-model=48"} {
		s := newAdaptive(t, spec, strategy.Config{Domain: strategy.Box(3), Init: 4, Seed: 1})
		for _, n := range []int{4, 12, 2, 9, 5, 9, 9, 2, 9, 3, 30} {
			for _, x := range methodtest.Ask(t, s, n) {
				methodtest.Tell(t, s, x, x[0]*x[0]+x[1])
			}
			if err := s.LastAsk().Fallback; err != nil {
				t.Errorf("%s: %v", spec, err)
			}
		}
	}
}

// Every refusal names the option and what would be right.
func TestBadSettings(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"without", "luck", "choose one of " + parts},
		{"descents", "-1", "whole number from 0"},
		{"descents", "2.5", "whole number"},
		{"descents", "1000001", "1000000"},
		{"log", "maybe", "true or false"},
		{"theta", "-0.1", "number from 0"},
		{"theta", "NaN", "number from 0"},
		{"theta", "x", "number from 0"},
		{"theta", "0", "positive"},
		{"starts", "0", "positive"},
		{"descent-length", "0", "positive"},
		{"most-fitted", "2", "16 or more"},
		{"most-model", "2", "48 or more"},
	} {
		_, err := read(strategy.Settings{c.key: c.value})
		if err == nil || !strings.Contains(err.Error(), "option "+c.key) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v, want %q", c.key, c.value, err, c.want)
		}
	}
}
