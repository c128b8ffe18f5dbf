package bench

import (
	stdcmp "cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// small is a grid that takes milliseconds.
func small(methods ...string) Grid {
	return Grid{Methods: methods, Problems: []string{"branin"}, Dims: []int{5}, Batches: []int{2}, Evals: 6, Init: 3, Trials: 2}
}

func runIn(t *testing.T, dir string, grids ...Grid) error {
	t.Helper()
	return Run(t.Context(), Options{Grids: grids, Dir: dir, Jobs: 1, Version: "test"})
}

func readFile(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeTrials(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, trialsFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRunningAgainKeepsFinishedTrials(t *testing.T) {
	dir := t.TempDir()
	if err := runIn(t, dir, small("sobol")); err != nil {
		t.Fatal(err)
	}
	first, summary := readFile(t, dir, trialsFile), readFile(t, dir, summaryFile)
	if err := runIn(t, dir, small("sobol")); err != nil {
		t.Fatal(err)
	}
	if again := readFile(t, dir, trialsFile); again != first {
		t.Errorf("the second run changed the trials:\n%s", cmp.Diff(first, again))
	}
	if again := readFile(t, dir, summaryFile); again != summary {
		t.Errorf("the second run changed the summary:\n%s", cmp.Diff(summary, again))
	}

	more := small("sobol", "random")
	more.Trials = 3
	if err := runIn(t, dir, more); err != nil {
		t.Fatal(err)
	}
	if grown := readFile(t, dir, trialsFile); !strings.HasPrefix(grown, first) || strings.Count(grown, "\n") != 6 {
		t.Errorf("want the first two lines and four more, got\n%s", grown)
	}
}

func TestTornLastLine(t *testing.T) {
	whole := t.TempDir()
	if err := runIn(t, whole, small("sobol")); err != nil {
		t.Fatal(err)
	}
	text := readFile(t, whole, trialsFile)
	want, err := Read(whole)
	if err != nil {
		t.Fatal(err)
	}
	secondLine := strings.Index(text, "\n") + 1
	for _, c := range []struct {
		name string
		keep int
		note string
	}{
		{"one byte", secondLine + 1, "torn"},
		{"half a line", (secondLine + len(text)) / 2, "torn"},
		{"all but the last brace", len(text) - 2, "torn"},
		{"only the newline is missing", len(text) - 1, "no end"},
		{"between lines", secondLine, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			writeTrials(t, dir, text[:c.keep])
			if got, err := Read(dir); err != nil || len(got) < 1 {
				t.Errorf("reading gave %d trials, %v", len(got), err)
			}
			if readFile(t, dir, trialsFile) != text[:c.keep] {
				t.Error("reading changed the file")
			}
			var notes []string
			err := Run(t.Context(), Options{Grids: []Grid{small("sobol")}, Dir: dir, Jobs: 1, Version: "test", OnNote: func(n string) { notes = append(notes, n) }})
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(notes, "\n"); (c.note == "") != (all == "") || !strings.Contains(all, c.note) {
				t.Errorf("notes are %q, want %q", all, c.note)
			}
			got, err := Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(valuesOf(want), valuesOf(got)); diff != "" {
				t.Errorf("after the repair (-want +got):\n%s", diff)
			}
			if after := readFile(t, dir, trialsFile); after[:secondLine] != text[:secondLine] {
				t.Error("the repair changed a whole line")
			}
		})
	}
}

// valuesOf drops what depends on the clock, and the order of the lines.
func valuesOf(trials []Trial) []Trial {
	out := slices.Clone(trials)
	for i := range out {
		out[i].Seconds, out[i].CPUSeconds = 0, 0
	}
	slices.SortFunc(out, func(a, b Trial) int {
		return stdcmp.Or(strings.Compare(a.String(), b.String()), stdcmp.Compare(a.Trial, b.Trial))
	})
	return out
}

func TestRefusedFolders(t *testing.T) {
	base := t.TempDir()
	if err := runIn(t, base, small("sobol")); err != nil {
		t.Fatal(err)
	}
	text := readFile(t, base, trialsFile)
	evals, init := small("sobol"), small("sobol")
	evals.Evals, init.Init = 7, 4
	for _, c := range []struct {
		name string
		text string
		grid Grid
		says []string
	}{
		{"other evals", text, evals, []string{trialsFile + ":1:", `"evals"`, "is 6", "asks for 7"}},
		{"other init", text, init, []string{trialsFile + ":1:", `"init"`, "is 3", "asks for 4"}},
		{"unreadable line", text + "garbage\n" + text[:10], small("sobol"), []string{trialsFile + ":3:", "JSON"}},
		{"not ours", "a file of another program", small("sobol"), []string{trialsFile + ":1:", "JSON"}},
		{"empty line", "\n" + text, small("sobol"), []string{trialsFile + ":1:", "JSON"}},
		{"field", strings.Replace(text, `"dim":5`, `"dim":-5`, 1), small("random"), []string{trialsFile + ":1:", `"dim"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			writeTrials(t, dir, c.text)
			err := runIn(t, dir, c.grid)
			var input *InputError
			if !errors.As(err, &input) {
				t.Fatalf("error is %v", err)
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%q does not say %q", err, s)
				}
			}
			if readFile(t, dir, trialsFile) != c.text {
				t.Error("the refused file was changed")
			}
			if _, err := os.Stat(filepath.Join(dir, summaryFile)); !errors.Is(err, os.ErrNotExist) {
				t.Error("a summary was written into a refused folder")
			}
		})
	}
}

func TestOneWriterAtATime(t *testing.T) {
	dir := t.TempDir()
	f, err := openFolder(dir, nil, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	var input *InputError
	if err := runIn(t, dir, small("sobol")); !errors.As(err, &input) || !errors.Is(err, errLocked) {
		t.Errorf("a second writer got %v", err)
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	if err := runIn(t, dir, small("sobol")); err != nil {
		t.Errorf("after the first writer left: %v", err)
	}
}

func TestFolderThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var input *InputError
	if err := runIn(t, filepath.Join(file, "results"), small("sobol")); !errors.As(err, &input) {
		t.Errorf("error is %v", err)
	}
	if _, err := Read(filepath.Join(file, "results")); !errors.As(err, &input) {
		t.Errorf("reading: error is %v", err)
	}
}

func TestNothingFollowsAFailedWrite(t *testing.T) {
	dir := t.TempDir()
	f, err := openFolder(dir, nil, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	whole := f.file
	if f.file, err = os.Open(whole.Name()); err != nil { // read-only
		t.Fatal(err)
	}
	if err := f.add(sample("sobol", 0)); err == nil {
		t.Fatal("a write to a read-only file succeeded")
	}
	_ = f.file.Close()
	f.file = whole
	if err := f.add(sample("sobol", 1)); err == nil {
		t.Error("a line was added after a failed one")
	}
	if len(f.trials) != 0 || readFile(t, dir, trialsFile) != "" {
		t.Error("something was kept")
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
}
