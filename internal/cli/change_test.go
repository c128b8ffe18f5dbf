package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestStudyChange(t *testing.T) {
	dir := t.TempDir()
	in := func(args ...string) []string { return append(args, "--store", "sqlite:"+filepath.Join(dir, "a.db")) }
	file := writeIn(t, dir, "space.yaml", "parameters:\n  x: {float: [0, 10], unit: °C}\n  \"w[0:3]\": {float: [0, 1]}\n  mode: {choice: [slow, fast]}\n")
	must(t, in("study", "create", "rig", "--space", file, "--method", "sobol")...)
	must(t, in("study", "import", "rig", writeIn(t, dir, "old.csv", "x,w0,w1,w2,w3,mode,value\n2,0,0,0,0,slow,1\n8,0,0,0,0,fast,2\n"))...)

	out := must(t, in("study", "change", "rig", "--bounds", "x=0,5")...)
	for _, want := range []string{"x: float [0, 10] °C -> float [0, 5] °C", "trial 2 does not count: parameter \"x\" is 8", "would change study rig: 1 of its 2 trials count"} {
		if !strings.Contains(out, want) {
			t.Errorf("the preview says\n%s\nwant %s", out, want)
		}
	}
	if out := must(t, in("best", "rig", "--json")...); !strings.Contains(out, `"number": 1`) && !strings.Contains(out, `"number":1`) {
		t.Errorf("best is %s", out)
	}
	refused(t, "the 2 trials so far had, as in --value NAME=VALUE", in("study", "change", "rig", "--add", "ph={float: [3, 9]}")...)
	refused(t, "mahabo correct rig 1 --help", in("tell", "rig", "1", "--value", "5")...)
	must(t, in("study", "change", "rig", "--bounds", "x=0,5", "--digits", "x=1", "--bounds", "w[0:3]=0,2", "--label", "mode=off",
		"--add", "ph={float: [3, 9], step: 0.5}", "--value", "ph=7", "--yes", "--worker", "ana")...)
	if out := must(t, in("ask", "rig", "--count", "2")...); !strings.Contains(out, "ph=") || strings.Contains(out, "00000") {
		t.Errorf("ask says %s", out)
	}
	must(t, in("study", "change", "rig", "--fix", "mode=slow", "--yes")...)
	if out := must(t, in("trials", "rig")...); !strings.Contains(out, "outside") {
		t.Errorf("trials says\n%s", out)
	}
	if out := must(t, in("study", "show", "rig")...); !strings.Contains(out, "excluded or outside of the parameters") {
		t.Errorf("study show says\n%s", out)
	}
	for _, c := range []struct{ flag, value, want string }{
		{"--bounds", "y=1,2", `parameter "y" is not in the space`},
		{"--bounds", "w1=1,2", "declared together with others"},
		{"--bounds", "x=1", "two numbers"},
		{"--bounds", "ph=3,9.2", "the step 0.5 does not lead"},
		{"--label", "x=a", "not a choice"},
		{"--add", "q=3", "expected {kind: ...}"},
	} {
		refused(t, c.want, in("study", "change", "rig", c.flag, c.value)...)
	}
	again := in("minimize", "--space", file, "--study", "rig", "--evals", "1")
	for _, want := range []string{"x: float [0, 5] with 1 digit °C -> float [0, 10] °C", "ph is gone", "mahabo study change rig --space " + file} {
		refused(t, want, append(again, "--", "true")...)
	}
}

// A parameter is fixed at a value that it can have, or, if it is fixed already, at one of the same type.
func TestFix(t *testing.T) {
	dir := t.TempDir()
	in := func(args ...string) []string { return append(args, "--store", "sqlite:"+filepath.Join(dir, "a.db")) }
	file := writeIn(t, dir, "space.yaml", `parameters:
  x: {float: [0, 5], step: 0.5}
  n: {int: [1, 12]}
  mode: {choice: [slow, fast, off]}
  on: bool
  k: {fixed: 4}
  "w[0:3]": {float: [0, 1]}
`)
	must(t, in("study", "create", "rig", "--space", file, "--method", "sobol")...)
	must(t, in("study", "import", "rig", writeIn(t, dir, "old.csv", "x,n,mode,on,w0,w1,w2,w3,value\n2,3,slow,true,0,0,0,0,1\n"))...)
	for _, c := range []struct{ flag, value, want string }{
		{"--fix", "mode=quick", `mode has no label "quick": it has slow, fast, off; add it with --label mode=quick first`},
		{"--fix", "mode=fasst", `mode has no label "fasst" (did you mean "fast"?): it has`},
		{"--fix", "x=50", "expected a number in [0, 5]: use 5 or widen the bounds with --bounds x=LOW,HIGH first"},
		{"--fix", "x=2,5", "write 2.5, with a point"},
		{"--fix", "n=50", "expected a whole number in [1, 12]: use 12 or widen the bounds with --bounds n=LOW,HIGH first"},
		{"--fix", "n=2.5", "expected a whole number in [1, 12]: use 3"},
		{"--fix", "on=maybe", "expected true or false"},
		{"--fix", "k=often", "k is fixed at 4: write a number"},
		{"--fix", "w[0:3]=1", "name one parameter"},
	} {
		refused(t, c.want, in("study", "change", "rig", c.flag, c.value)...)
	}
	refused(t, "bounds [9, 1] are in the wrong order", in("study", "change", "rig", "--fix", "n=3", "--bounds", "n=9,1")...)
	for _, args := range [][]string{{"--fix", "x=2.25"}, {"--fix", "n=50", "--bounds", "n=1,50"}, {"--fix", "mode=quick", "--label", "mode=quick"}, {"--fix", "on=true"}, {"--fix", "k=5.5"}} {
		out := must(t, in(append([]string{"study", "change", "rig"}, args...)...)...)
		if !strings.Contains(out, "would change study rig") || strings.Contains(out, "leave it out") {
			t.Errorf("%v says\n%s", args, out)
		}
	}
}
