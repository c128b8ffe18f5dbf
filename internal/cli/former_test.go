package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A new study learns from a former one and from a table of unknown origin.
func TestFromFormerStudies(t *testing.T) {
	dir := t.TempDir()
	in := func(args ...string) []string { return append(args, "--store", "sqlite:"+filepath.Join(dir, "a.db")) }
	var old, notebook strings.Builder
	old.WriteString("a,b,k,value\n")
	notebook.WriteString("when;a;who;value\n")
	for i := range 20 {
		a, b := float64(i*7%20)/2, float64(i*11%20)/10
		fmt.Fprintf(&old, "%g,%g,p,%g\n", a, b, -(a-4)*(a-4)-(b-1)*(b-1))
		fmt.Fprintf(&notebook, "day %d;%s;ana;%s\n", i, strings.Replace(fmt.Sprint(a), ".", ",", 1), strings.Replace(fmt.Sprint(3*(a-4)*(a-4)), ".", ",", 1))
	}
	file := writeIn(t, dir, "old.yaml", "parameters:\n  a: {float: [0, 10]}\n  b: {float: [0, 2]}\n  k: {choice: [p, q]}\n")
	must(t, in("study", "create", "old", "--space", file, "--goal", "maximize", "--method", "sobol")...)
	must(t, in("study", "import", "old", writeIn(t, dir, "old.csv", old.String()))...)
	table := writeIn(t, dir, "notebook.csv", notebook.String())
	space := writeIn(t, dir, "new.yaml", "parameters:\n  a: {float: [1, 12]}\n  b: {float: [-1, 3]}\n  c: {float: [0, 1]}\n")
	if out := must(t, in("study", "create", "new", "--space", space, "--from", "old,"+table)...); !strings.Contains(out, "learning from old and ") {
		t.Errorf("it says %s", out)
	}
	if out := must(t, in("ask", "new")...); !strings.HasPrefix(out, "1  a=4 b=") {
		t.Errorf("the first point is %s", out)
	}
	if out := must(t, in("study", "show", "new")...); !strings.Contains(out, "former  notebook: 20 of 20 trials are used") || !strings.Contains(out, "former  old: 20 of 20") {
		t.Errorf("the study shows\n%s", out)
	}
	must(t, append(in("minimize", "--space", space, "--study", "run", "--from", "old", "--evals", "2", "--init", "2", "--keep-output", "none", "-q"), "--", "sh", "-c", "echo {a}")...)
	if out := must(t, in("study", "show", "run", "--json")...); !strings.Contains(out, `"run"`) {
		t.Errorf("the study shows %s", out)
	}
	refused(t, "there is no study of this name", in("study", "create", "x", "--space", space, "--from", "nowhere")...)
	refused(t, `there is no column "value"`, in("study", "create", "x", "--space", space, "--from", writeIn(t, dir, "none.csv", "a,b\n1,2\n"))...)
	refused(t, "none of the parameters", in("study", "create", "x", "--space", writeIn(t, dir, "z.yaml", "parameters:\n  z: {float: [0, 1]}\n"), "--from", "old")...)
}
