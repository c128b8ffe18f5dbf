package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// byHand runs minimize at a prompt with answers from a reader.
func byHand(ctx context.Context, t *testing.T, in io.Reader, store string) (result optimiseResult, said string, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "space.yaml")
	text := "parameters:\n  temperature: {float: [20, 80], unit: °C}\n  solvent: {choice: [water, ethanol, DMSO]}\n  stir: {fixed: 300}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	three := 3
	c := minimizeCmd{Space: file, Method: "sobol", Batch: 2, Init: &three, Evals: 2, Parallel: 1, Maximize: true, JSON: true, storeFlags: storeFlags{store}}
	var stdout, stderr bytes.Buffer
	err = c.optimise(ctx, streams{in, &stdout, &stderr, methods.BuiltIn()})
	if stdout.Len() > 0 {
		if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
			t.Fatal(err)
		}
	}
	return result, stderr.String(), err
}

func TestPrompt(t *testing.T) {
	store := "sqlite:" + filepath.Join(t.TempDir(), "studies.db")
	got, said, err := byHand(t.Context(), t, strings.NewReader("0.5\n\nwhat\nnan\n 0.75 \nfail spilled it\ninfeasible  phase separation \n0.25\n"), store)
	if err != nil {
		t.Fatal(err)
	}
	if got.Best != 0.75 || got.Trial != 2 || got.Trials != 5 || got.Failed != 1 || got.Infeasible != 1 || got.Params.Len() != 3 {
		t.Errorf("result is %+v", got)
	}
	for _, want := range []string{
		"batch 1           trial 1", "trial 3\n", "temperature (°C)  ", "batch 2           trial 4", "stir              300", "trial 2, value: ", "best 0.75 after 5 of 5 trials",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, said)
		}
	}
	if n := strings.Count(said, "enter a number as"); n != 3 {
		t.Errorf("%d answers were not understood, want 3", n)
	}
	var kept []study.Trial
	for line := range strings.Lines(must(t, "study", "export", "space", "--format", "jsonl", "--store", store)) {
		kept = append(kept, decode[study.Trial](t, line))
	}
	if len(kept) != 5 || kept[2].Reason != "spilled it" || kept[3].State != evaluate.Infeasible || kept[3].Reason != "phase separation" {
		t.Errorf("kept %+v", kept)
	}
}

// The table of a large batch fits a terminal, every trial in it once.
func TestTableOfALargeBatch(t *testing.T) {
	var out bytes.Buffer
	sp, err := space.New(space.Float("temperature", 20, 80), space.Float("ph", 3, 9))
	if err != nil {
		t.Fatal(err)
	}
	var trials []evaluate.Trial
	for number := 1; number <= 24; number++ {
		trials = append(trials, evaluate.Trial{Number: number, Batch: 3, Params: space.ParamsOf(map[string]any{"temperature": 20.123 + float64(number), "ph": 3.5})})
	}
	p := prompt{space: sp, out: &out}
	if err := p.table(trials); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if utf8.RuneCountInString(line) > lineWidth+1 {
			t.Errorf("the line is too wide: %s", line)
		}
	}
	if n := strings.Count(out.String(), "trial "); n != 24 || strings.Count(out.String(), "44.123") != 1 {
		t.Errorf("the table has %d trials:\n%s", n, out.String())
	}
}

func TestAnswers(t *testing.T) {
	for line, want := range map[string]string{
		"2±0.1": "2 0.1 <nil>", " 3 +- 0.2 ": "3 0.2 <nil>", "-4": "-4 0 <nil>",
		"0,82":   `"0,82" is not a number: write 0.82, with a point; enter`,
		"2±0,1":  `"0,1" is not a number: write 0.1, with a point; enter`,
		"2±-0.1": "std", "nan": "finite", "2 3": `"2 3" is not a number; enter`,
	} {
		o, err := parseAnswer(line)
		if got := fmt.Sprint(o.Value, o.Std, err); !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

func TestQuitAndContinue(t *testing.T) {
	for name, ending := range map[string]string{"quit": "quit\n", "end of input": ""} {
		store := "sqlite:" + filepath.Join(t.TempDir(), "studies.db")
		got, _, err := byHand(t.Context(), t, strings.NewReader("0.5\n0.75\n"+ending), store)
		if err != nil || got.Trials != 2 || got.Best != 0.75 {
			t.Errorf("%s: result %+v, error %v", name, got, err)
		}
		got, said, err := byHand(t.Context(), t, strings.NewReader("1\n2\n3\n"), store)
		if err != nil || got.Trials != 5 || got.Best != 3 || got.Trial != 5 {
			t.Errorf("%s: result %+v, error %v", name, got, err)
		}
		if !strings.Contains(said, "continuing study space") || !strings.Contains(said, "3 trials, 2 complete") || !strings.Contains(said, "batch 1           trial 3\n") {
			t.Errorf("%s: the second session says\n%s", name, said)
		}
	}
}

// Ctrl-C ends a question that nobody answers.
func TestCtrlCAtThePrompt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	go func() {
		_, _ = io.WriteString(w, "0.5\n")
		cancel()
	}()
	_, _, err := byHand(ctx, t, r, "memory:")
	var stopped interrupted
	if !errors.As(err, &stopped) || !strings.HasPrefix(string(stopped), "stopped after 1 of 5 trials") && !strings.HasPrefix(string(stopped), "stopped after 0 of 5 trials") {
		t.Errorf("error is %v", err)
	}
}

// An answer is understood as a finite value or a state, or refused.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{"0.5", "nan", "fail spilled", "infeasible", "quit", " 1e999 ", "0x1p-2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if o, err := parseAnswer(line); err == nil && o.Validate() != nil {
			t.Errorf("%q became %+v", line, o)
		}
	})
}
