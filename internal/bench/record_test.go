package bench

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample is a valid trial.
func sample(method string, trial int) Trial {
	return Trial{
		Cell: Cell{method, "branin", 5, 2}, Evals: 3, Init: 2, Trial: trial, Seed: uint64(trial),
		Best: 1.5 + float64(trial), Seconds: 0.25, CPUSeconds: 0.125,
		Curve:   []float64{9 + float64(trial), 4 + float64(trial), 4 + float64(trial), 1.5 + float64(trial), 1.5 + float64(trial)},
		Version: "v1",
	}
}

func encodeAll(t testing.TB, trials ...Trial) []byte {
	var b []byte
	for _, tr := range trials {
		line, err := encodeTrial(tr)
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, line...)
	}
	return b
}

func TestLineFormat(t *testing.T) {
	got := string(encodeAll(t, sample("maha:d=1", 3)))
	want := `{"method":"maha:d=1","problem":"branin","dim":5,"batch":2,"evals":3,"init":2,"trial":3,"seed":3,` +
		`"best":4.5,"seconds":0.25,"cpu_seconds":0.125,"curve":[12,7,7,4.5,4.5],"version":"v1"}` + "\n"
	if got != want {
		t.Errorf("line is\n%swant\n%s", got, want)
	}
	if !strings.HasPrefix(got, lineStart) {
		t.Errorf("a line does not begin with %s", lineStart)
	}
}

func TestBadLines(t *testing.T) {
	good := string(encodeAll(t, sample("sobol", 0)))
	for _, c := range []struct{ name, old, new, field, says string }{
		{"not JSON", `{"method"`, `"method"`, "", "JSON"},
		{"array", good, "[1]\n", "", "JSON"},
		{"missing", `"best":1.5,`, ``, "best", "missing"},
		{"null", `"best":1.5`, `"best":null`, "best", "missing"},
		{"wrong type", `"dim":5`, `"dim":"5"`, "dim", `"5"`},
		{"fraction", `"evals":3`, `"evals":3.5`, "evals", "3.5"},
		{"no method", `"method":"sobol"`, `"method":""`, "method", "empty"},
		{"no problem", `"problem":"branin"`, `"problem":""`, "problem", "empty"},
		{"dim 0", `"dim":5`, `"dim":0`, "dim", "below 1"},
		{"batch 0", `"batch":2`, `"batch":0`, "batch", "below 1"},
		{"negative evals", `"evals":3`, `"evals":-3`, "evals", "below 0"},
		{"init 0", `"init":2`, `"init":0`, "init", "below 1"},
		{"negative trial", `"trial":0`, `"trial":-1`, "trial", "below 0"},
		{"other seed", `"seed":0`, `"seed":7`, "seed", "its number"},
		{"negative time", `"seconds":0.25`, `"seconds":-1`, "seconds", "below 0"},
		{"negative CPU time", `"cpu_seconds":0.125`, `"cpu_seconds":-1`, "cpu_seconds", "below 0"},
		{"negative fallbacks", `"curve"`, `"fallbacks":-1,"curve"`, "fallbacks", "below 0"},
		{"short curve", `[9,4,4,1.5,1.5]`, `[9,4,1.5]`, "curve", "5"},
		{"rising curve", `[9,4,4,1.5,1.5]`, `[9,4,5,1.5,1.5]`, "curve", "rises at value 3"},
		{"other best", `"best":1.5`, `"best":1.25`, "best", "1.25"},
		{"huge number", `"best":1.5`, `"best":1e999`, "best", "1e999"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := strings.Replace(good, c.old, c.new, 1)
			if bad == good {
				t.Fatal("the line was not spoilt")
			}
			_, err := new(contents).add("f.jsonl", []byte(string(encodeAll(t, sample("random", 0)))+bad))
			var line *LineError
			if !errors.As(err, &line) {
				t.Fatalf("error is %v", err)
			}
			if line.Path != "f.jsonl" || line.Line != 2 || line.Field != c.field || !strings.Contains(line.Reason, c.says) {
				t.Errorf("error is %q, want line 2, field %q and %q", err, c.field, c.says)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the message has more than one line: %q", err)
			}
		})
	}
}

func TestLinesThatDisagree(t *testing.T) {
	other := sample("sobol", 1)
	other.Evals, other.Curve = 2, other.Curve[:4]
	for _, c := range []struct {
		name string
		b    Trial
		want string
	}{
		{"twice", sample("sobol", 0), `f.jsonl:2: field "trial" is 0, which line 1 has already for the same cell`},
		{"other evals", other, `f.jsonl:2: field "evals" is 2, line 1 has 3 for the same cell`},
	} {
		if _, err := new(contents).add("f.jsonl", encodeAll(t, sample("sobol", 0), c.b)); err == nil || err.Error() != c.want {
			t.Errorf("%s: error is %v, want %s", c.name, err, c.want)
		}
	}
}

func FuzzParseTrials(f *testing.F) {
	whole := encodeAll(f, sample("sobol", 0), sample("sobol", 1), sample("maha:d=1", 0))
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add(whole[:len(whole)-20])
	f.Add([]byte(lineStart))
	f.Add([]byte("{}\n"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c, again contents
		end, err := c.add("f.jsonl", data)
		if err != nil {
			var line *LineError
			if !errors.As(err, &line) || line.Line < 1 || line.Line > bytes.Count(data, []byte("\n"))+1 {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		if end.torn && end.open || end.size > int64(len(data)) || !end.torn && end.size != int64(len(data)) {
			t.Fatalf("torn %v, open %v, %d of %d bytes", end.torn, end.open, end.size, len(data))
		}
		// What is kept reads back the same after the repair.
		end, err = again.add("f.jsonl", encodeAll(t, c.trials...))
		if err != nil || end.torn || end.open || !cmp.Equal(again.trials, c.trials) {
			t.Fatalf("rewritten trials differ: %v", err)
		}
	})
}
