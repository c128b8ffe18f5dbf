package command

import (
	"strings"
	"testing"

	"github.com/mahabo/mahabo/space"
)

func TestTemplate(t *testing.T) {
	v := space.ParamsOf(map[string]any{"a": 0.1, "layers": 3, "solver": "rk4 fast", "on": true})
	names := []string{"a", "layers", "solver", "on"}
	for arg, want := range map[string]string{
		"":                     "",
		"plain":                "plain",
		"{a}":                  "0.1",
		"--x={a},{layers}":     "--x=0.1,3",
		"{solver}":             "rk4 fast",
		"{on}":                 "true",
		"run-{trial}/out":      "run-7/out",
		"{{a}}":                "{a}",
		"{{{a}}}":              "{0.1}",
		"}}{{":                 "}{",
		"a{{b}}c{layers}d":     "a{b}c3d",
		"ünïcode {layers} ✓":   "ünïcode 3 ✓",
		"{layers}{layers}{{}}": "33{}",
	} {
		parsed, err := parseTemplate(arg, names)
		if err != nil {
			t.Errorf("%q: %v", arg, err)
			continue
		}
		if got, err := parsed.fill(7, v); err != nil || got != want {
			t.Errorf("%q became %q (%v), want %q", arg, got, err, want)
		}
	}
	for arg, says := range map[string]string{
		"{layer}":        `did you mean "layers"?`,
		"{trials}":       `did you mean "trial"?`,
		"{xyz}":          "the parameters are a, layers, solver, on",
		"{":              "write {{",
		"}":              "write }}",
		"{a":             "single {",
		"a}":             "single }",
		"{a{b}}":         "single {",
		"{}":             `named ""`,
		"awk {print $1}": `named "print $1"`,
	} {
		if _, err := parseTemplate(arg, names); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v lacks %q", arg, err, says)
		}
	}
}

func TestParameterNamedTrialWins(t *testing.T) {
	parsed, err := parseTemplate("{trial}", []string{"trial"})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := parsed.fill(7, space.ParamsOf(map[string]any{"trial": 0.5})); got != "0.5" {
		t.Errorf("got %q", got)
	}
	if _, err := parsed.fill(7, space.Params{}); err == nil {
		t.Error("a missing value was filled in")
	}
}

// A template is refused, or filled without losing what stands around its placeholders.
func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"--rate={rate}", "{{}}", "{trial}-{rate}", "{", "}{", "{rat}"} {
		f.Add(seed)
	}
	v := space.ParamsOf(map[string]any{"rate": 0.5})
	f.Fuzz(func(t *testing.T, arg string) {
		parsed, err := parseTemplate(arg, []string{"rate"})
		if err != nil {
			return
		}
		text, err := parsed.fill(7, v)
		if err != nil {
			t.Fatal(err)
		}
		plain := strings.NewReplacer("{{", "{", "}}", "}").Replace(arg)
		if !strings.ContainsAny(plain, "{}") && text != plain {
			t.Errorf("%q became %q", arg, text)
		}
	})
}
