package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// 8.2 is typed for 0.82.
func TestCorrectedMistakeLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	in := func(args string) []string {
		return append(words(args), "--store", "sqlite:"+filepath.Join(dir, "a.db"))
	}
	file := writeIn(t, dir, "space.yaml", "parameters:\n  x: {float: [0, 1]}\n  rate: {log: [0.001, 1]}\n")
	values := map[string]string{"wrong": "8.2", "right": "0.82"}
	for _, name := range []string{"wrong", "right"} {
		must(t, in("study create "+name+" --space "+file+" --goal maximize --init 3 --method adaptive")...)
		must(t, in("ask "+name+" --count 3")...)
		must(t, in("tell "+name+" 1 --value "+values[name])...)
		must(t, in("tell "+name+" 2 --value 0.5")...)
		must(t, in("tell "+name+" 3 --value 0.4")...)
	}
	must(t, in("correct wrong 1 --value 0.82")...)
	for _, args := range []string{"best %", "ask % --count 2", "ask % --count 2"} {
		wrong, right := must(t, in(strings.ReplaceAll(args, "%", "wrong"))...), must(t, in(strings.ReplaceAll(args, "%", "right"))...)
		if wrong != right {
			t.Errorf("%s printed\n%s, where 0.82 was told\n%s", args, wrong, right)
		}
	}
}

func TestCorrect(t *testing.T) {
	dir, in := rig(t, "--goal", "maximize")
	must(t, in("ask rig --count 3")...)
	must(t, in("tell rig 1 --value 8.2 --note typed")...)
	must(t, in("tell rig 2 --value 0.5 --param x=3.5 --param n=2")...)
	must(t, in("tell rig 3 --state failed --reason smoke")...)
	for _, c := range []struct{ args, want string }{
		{"correct rig 1 --value 0.82 --worker ana", "trial 1: value 8.2 -> 0.82\n"},
		{"correct rig 1 --value 0.82", "trial 1: is so already, nothing was changed\n"},
		{"best rig", "0.82 at trial 1\n"},
		{"trials rig", "(corrected)  (typed)"},
		{"correct rig 1 --exclude --delete-note 1", "trial 1: excluded; deleted note 1: \"typed\"\n"},
		{"best rig", "0.5 at trial 2\nx     3.5\nn     2\n"},
		{"trials rig", "(excluded)"},
		{"study show rig", "2 complete, 1 failed, 1 of them excluded"},
		{"correct rig 1 --include", "trial 1: included\n"},
		{"correct rig 2 --param x=4", "trial 2: x 3.5 -> 4\n"},
		{"correct rig 3 --value 0.1 --std 0.2", "trial 3: failed -> complete with value 0.1 ± 0.2; reason \"smoke\" -> \"\"\n"},
		{"trials rig --json", `"by": "ana"`},
	} {
		if got := must(t, in(c.args)...); !strings.Contains(got, c.want) {
			t.Errorf("%s printed %q, want %q", c.args, got, c.want)
		}
	}
	for args, want := range map[string]string{
		"correct rig 1":                        "nothing to correct: give --value",
		"correct rig 1 --value x":              `--value: "x" is not a number`,
		"correct rig 1 --std x":                `--std: "x" is not a number`,
		"correct rig 1 --delete-note -1":       "the first note is 1",
		"correct rig 1 --delete-note 3":        "has no note 3",
		"correct rig 9 --value 1":              "the study has 3",
		"correct rig 1 --param y=1":            `no parameter "y"`,
		"correct rig 1 --exclude --include":    "can't be used together",
		"tell rig 1 --value 7":                 "to mend a mistake, correct it",
		"correct rig 1 --state failed --std 2": "leave out value and std",
	} {
		refused(t, want, in(args)...)
	}
	must(t, in("correct rig 1 --exclude")...)
	file := filepath.Join(dir, "rig.csv")
	must(t, in("study export rig --out "+file)...)
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), "told,notes,excluded,cost,seconds\n") || strings.Count(string(data), ",true,,\n") != 1 {
		t.Errorf("the file is %s, %v", data, err)
	}
}
