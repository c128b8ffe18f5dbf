package chart

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/insight"
)

// What users write stays text, whatever it is.
func TestFigure(t *testing.T) {
	figure, err := Figure("slice", map[string]any{"param": `</script><b onclick="x">`}, "a < b", `/studies/"x"/trials/`)
	if err != nil {
		t.Fatal(err)
	}
	text := string(figure)
	for _, part := range []string{`data-chart="slice"`, `data-trials="/studies/&#34;x&#34;/trials/"`, `\u003c/script\u003e`, "a &lt; b"} {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %s", text, part)
		}
	}
	if strings.Count(text, "</script>") != 1 {
		t.Errorf("%s ends its script early", text)
	}
	if _, err := Figure("slice", func() {}, "", ""); err == nil {
		t.Error("what is no data was taken")
	}
}

func TestSpan(t *testing.T) {
	for want, r := range map[string]insight.Range{
		"–": {}, "a, b": {Labels: []string{"a", "b"}}, "3": {Numbers: []float64{3, 3}}, "0.3333 to 2": {Numbers: []float64{1.0 / 3, 2}},
	} {
		if got := Span(r); got != want {
			t.Errorf("%v is %q, want %q", r, got, want)
		}
	}
}

// The script loads nothing, and every kind that Go names is one that it knows.
func TestScript(t *testing.T) {
	for _, bad := range []string{"http:", "https:", "innerHTML", "eval(", "</script"} {
		if strings.Contains(Script, bad) {
			t.Errorf("chart.js has %q", bad)
		}
	}
	if strings.Contains(Unpacked(), "</script") || len(Unpacked()) < 100000 {
		t.Error("the library cannot be part of a page")
	}
	for _, kind := range regexp.MustCompile(`figure\("(\w+)"`).FindAllStringSubmatch(readSources(t), -1) {
		if !strings.Contains(Script, "kinds."+kind[1]+" = ") {
			t.Errorf("chart.js has no kind %s", kind[1])
		}
	}
}

func readSources(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("figure.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
