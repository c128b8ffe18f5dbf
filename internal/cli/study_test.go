package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const spaceFile = `
parameters:
  x: {float: [0, 10]}
  n: {int: [1, 5]}
  mode: {choice: ["1", "2", fast]}
`

// rig creates a study and returns a function that adds its store to a command.
func rig(t *testing.T, flags ...string) (dir string, in func(args string) []string) {
	t.Helper()
	dir = t.TempDir()
	in = func(args string) []string {
		return append(words(args), "--store", "sqlite:"+filepath.Join(dir, "my studies.db"))
	}
	file := writeIn(t, dir, "space.yaml", spaceFile)
	must(t, append(in("study create rig --space "+file+" --method sobol"), flags...)...)
	return dir, in
}

// decode reads the JSON that a command printed.
func decode[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

type askedBatch struct {
	Batch  int `json:"batch_id"`
	Model  struct{ Method string }
	Trials []struct {
		Number int
		State  string
		Params map[string]any
		Expiry string `json:"lease_expires"`
	}
}

func TestAskTellBest(t *testing.T) {
	_, in := rig(t, "--goal", "maximize")
	first := must(t, in("ask rig --count 3 --request-id r --worker w --lease 2h --json")...)
	b := decode[askedBatch](t, first)
	if b.Batch != 1 || b.Model.Method != "sobol" || len(b.Trials) != 3 || b.Trials[2].Number != 3 || b.Trials[0].Expiry == "" || len(b.Trials[0].Params) != 3 {
		t.Fatalf("asking printed %s", first)
	}
	if again := must(t, in("ask rig --count 3 --request-id r --json")...); again != first {
		t.Errorf("the same request printed\n%s, then\n%s", first, again)
	}
	for range 2 {
		must(t, in("tell rig 1 --value -0.5 --std 0.1 --note hot")...)
	}
	must(t, in("tell rig 2 --value -2.5")...)
	must(t, in("tell rig 3 --state infeasible --reason melted")...)
	if text := must(t, in("best rig")...); !strings.HasPrefix(text, "-0.5 at trial 1\nx ") {
		t.Errorf("the best is %q", text)
	}
	best := decode[struct {
		Number int
		Mean   float64
		Notes  []string
	}](t, must(t, in("best rig --json")...))
	if best.Number != 1 || best.Mean != -0.5 || len(best.Notes) != 1 {
		t.Errorf("the best in JSON is %+v", best)
	}
	fixed := decode[askedBatch](t, must(t, in("ask rig --fixed mode=2 --fixed n=4 --json")...))
	if p := fixed.Trials[0].Params; p["mode"] != "2" || p["n"] != 4.0 {
		t.Errorf("fixed parameters came out as %v", p)
	}
	if text := must(t, in("ask rig")...); !strings.HasPrefix(text, "5  x=") {
		t.Errorf("asking for people printed %q", text)
	}
	show := must(t, in("study show rig")...)
	for _, want := range []string{"sobol", "maximize", "5 in 3 batches", "2 complete", "2 running", "1 infeasible", "-0.5", "trial 1"} {
		if !strings.Contains(show, want) {
			t.Errorf("%q is missing in\n%s", want, show)
		}
	}
	numbers := func(args string) (list []int) {
		t.Helper()
		for _, one := range decode[[]struct{ Number int }](t, must(t, in("trials rig --json "+args)...)) {
			list = append(list, one.Number)
		}
		return list
	}
	for args, want := range map[string][]int{
		"": {5, 4, 3, 2, 1}, "--limit 2": {5, 4}, "--best": {1, 2, 3, 4, 5}, "--state running,infeasible": {5, 4, 3}, "--search melt": {3},
	} {
		if got := numbers(args); !slices.Equal(got, want) {
			t.Errorf("trials %s lists %v, want %v", args, got, want)
		}
	}
	trials := must(t, in("trials rig")...)
	for _, want := range []string{"trial  state", "infeasible", "(melted)", "-0.5 ± 0.1", "(hot)"} {
		if !strings.Contains(trials, want) {
			t.Errorf("%q is missing in\n%s", want, trials)
		}
	}
}

func TestStudyList(t *testing.T) {
	dir, in := rig(t)
	must(t, in("study create b.2 --method random --space "+filepath.Join(dir, "space.yaml"))...)
	text := must(t, in("study list")...)
	if lines := strings.Split(strings.TrimSpace(text), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[1], "b.2") || !strings.HasPrefix(lines[2], "rig") {
		t.Errorf("the list is\n%s", text)
	}
	list := decode[[]struct {
		Config struct{ Name, Method string }
		Trials int
	}](t, must(t, in("study list --json")...))
	if len(list) != 2 || list[0].Config.Name != "b.2" || list[1].Config.Method != "sobol" {
		t.Errorf("the list in JSON is %+v", list)
	}
	must(t, in("study delete rig --yes")...)
	if list := must(t, in("study list")...); strings.Contains(list, "rig") {
		t.Errorf("the deleted study is in\n%s", list)
	}
}

func TestStudyImportExport(t *testing.T) {
	dir, in := rig(t)
	file := writeIn(t, dir, "past.csv", "x,count,mode,loss\n1,2,fast,0.5\n99,2,fast,1\n3,4,1,0.25\n")
	imported := "study import rig " + file + " --column n=count --column value=loss"
	stdout, stderr, code := call(t, in(imported+" --dry-run")...)
	if code != 0 || stdout != "would import 2 rows, left out 1\n" || !strings.Contains(stderr, file+":3: ") || !strings.Contains(stderr, "99") {
		t.Errorf("the dry run printed %q, %q, code %d", stdout, stderr, code)
	}
	for _, want := range []string{"imported 2 rows, left out 1\n", "imported 0 rows, left out 1; 2 rows are in the study already (see --repeats)\n"} {
		if text := must(t, in(imported)...); text != want {
			t.Errorf("importing printed %q, want %q", text, want)
		}
	}
	writeIn(t, dir, "past.csv", "x,count,mode,loss\n1,2,fast,0.5\n9,2,fast,1\n3,4,1,0.25\n")
	for _, c := range []struct{ flag, want string }{
		{" --dry-run", "would import 1 row, left out 0; 2 rows are in the study already (see --repeats)\n"},
		{" --dry-run --repeats", "would import 3 rows, left out 0\n"},
		{"", "imported 1 row, left out 0; 2 rows are in the study already (see --repeats)\n"},
	} {
		if text := must(t, in(imported+c.flag)...); text != c.want {
			t.Errorf("importing the mended file%s printed %q, want %q", c.flag, text, c.want)
		}
	}
	if text := must(t, in("best rig")...); !strings.HasPrefix(text, "0.25 at trial 2") {
		t.Errorf("the best is %q", text)
	}
	none := writeIn(t, dir, "none.csv", "x,n,mode,value\n99,2,fast,1\n")
	if stdout, stderr, code := call(t, in("study import rig "+none)...); code != exitFailed || stdout != "imported 0 rows, left out 1\n" || !strings.Contains(stderr, "no row of "+none) {
		t.Errorf("importing nothing printed %q, %q, code %d", stdout, stderr, code)
	}
	byName := filepath.Join(dir, "trials.jsonl")
	must(t, in("study export rig --out "+byName)...)
	if text := readText(t, byName); !strings.HasPrefix(text, `{"number":1,`) {
		t.Errorf("a file of JSON lines has\n%s", text)
	}
	table := must(t, in("study export rig")...)
	if !strings.HasPrefix(table, "number,state,value,std,x,n,mode,") || !strings.Contains(table, "\n2,complete,0.25,,3,4,1,") {
		t.Errorf("the export is\n%s", table)
	}
	out := filepath.Join(dir, "trials.jsonl")
	must(t, in("study export rig --format jsonl --out "+out)...)
	must(t, in("study create copy --space "+filepath.Join(dir, "space.yaml"))...)
	if text := must(t, in("study import copy "+out)...); text != "imported 3 rows, left out 0\n" {
		t.Errorf("importing the export printed %q", text)
	}
}

func TestStudyUsageErrors(t *testing.T) {
	dir, in := rig(t)
	space := filepath.Join(dir, "space.yaml")
	bad := writeIn(t, dir, "bad.yaml", "parameters:\n  x: {flot: [0, 1]}\n")
	data := writeIn(t, dir, "data.csv", "x,n\n1,2\n")
	header := writeIn(t, dir, "header.csv", "x,n,mode,value\n")
	must(t, in("ask rig")...)
	must(t, in("tell rig 1 --value 1.5")...)
	for _, c := range []struct{ args, says string }{
		{"study create rig --space " + space, "exists"},
		{"study create a/b --space " + space, "name"},
		{"study create b", "--space"},
		{"study create b --space " + bad, "bad.yaml"},
		{"study create b --space " + dir + "/none.yaml", "none.yaml"},
		{"study create b --method sobl --space " + space, `did you mean "sobol"?`},
		{"study create b --goal best --space " + space, "--goal"},
		{"study create b --init 0 --space " + space, "--init is 0"},
		{"study create b --budget=-1 --space " + space, "budget is -1"},
		{"study show rog", `study "rog"`},
		{"study delete rig", "--yes"},
		{"study export rig --format xls", `--format must be auto, csv, jsonl or parquet, got "xls"`},
		{"study export rig --out " + dir + "/x.xlsx", "x.xlsx does not end in .csv, .jsonl or .parquet: use one of these, or say with --format"},
		{"study create b --goal maximise --space " + space, `--goal must be minimize or maximize, got "maximise" (did you mean "maximize"?)`},
		{"study create b --cost yes --space " + space, `--cost must be aware, got "yes" (see`},
		{"correct rig 1 --state complte", `--state must be complete, failed or infeasible, got "complte" (did you mean "complete"?)`},
		{"ask rig --count 2.5", `--count: expected a whole number but got "2.5"`},
		{"ask rig --lease soon", "--lease: expected a time as 90s or 2h but got"},
		{"tell rig 1 --value 0,83", `--value: "0,83" is not a number: write 0.83, with a point`},
		{"tell rig 1 --value 1 --std 0,5", `--std: expected a number but got "0,5": write 0.5, with a point`},
		{"tell rig 1 a=0,5±0.1", `"0,5" is not a number: write 0.5`},
		{"tell rig 1 a=0.5±0,1", `"0,1" is not a number: write 0.1`},
		{"correct rig 1 --value 0,5", "write 0.5, with a point"},
		{"step rig 1 3 0,5", "write 0.5, with a point"},
		{"enqueue rig x=0,1 n=1 mode=fast", `parameter "x" is "0,1", expected a number in [0, 10]: write 0.1, with a point`},
		{"enqueue rig", "name=value"},
		{"enqueue rig x", `"x" is not of the form`},
		{"enqueue rig x=1 y=2", `no parameter "y"`},
		{"enqueue rig x=1 n=1 mode=fast x=2", `parameter "x" is given twice`},
		{"tell rig 1 --value 1 --value 2", "--value is given twice"},
		{"tell rig 1 --value 1 --param x=1 --param n=2 --param x=3", "--param is given twice for one name"},
		{"enqueue rig x=1 n=2", `"mode" has no value`},
		{"enqueue rig --file " + data, "data.csv:1"},
		{"retry rig 1", "only a failed or stopped one"},
		{"heartbeat rig 1", "the lease is lost"},
		{"note rig 9 hello", "the study has 1"},
		{"study export rig --out " + dir + "/none/x", "--out"},
		{"study import rig " + data, `no column`},
		{"study import rig " + header, "header.csv: the file has no rows"},
		{"study import rig " + space, "--format"},
		{"study import rig " + dir + "/none.csv", "none.csv"},
		{"study import rig " + data + " --column speed=x", `"speed"`},
		{"ask rog", `study "rog"`},
		{"ask rig --count 0", "--count is 0"},
		{"ask rig --lease -1s", "lease"},
		{"trials rig --limit -1", "--limit"},
		{"trials rig --state done", "--state"},
		{"ask rig --fixed y=1", `"y"`},
		{"ask rig --fixed x=11", "[0, 10]"},
		{"tell rig 1 --value 2.5", "1.5"},
		{"tell rig 2 --value 1", "the study has 1"},
		{"tell rig 1", "--value is missing"},
		{"tell rig 1 --value high", `"high" is not a number`},
		{"tell rig 1 --value NaN", "only finite"},
		{"tell rig 1 --value 1 --state failed", "no value"},
		{"tell rig 1 --std 1 --state failed", "--std: a trial that is failed has no value"},
		{"tell rig 1 --value 1 --reason late", "--reason: a complete trial has none"},
		{"tell rig 1 a=1 --std 0.5", "write NAME=VALUE±STD"},
		{"tell rig 1 --value 1 --state done", "--state"},
	} {
		t.Run(c.args, func(t *testing.T) { refused(t, c.says, in(c.args)...) })
	}
	t.Run("store", func(t *testing.T) {
		none := filepath.Join(dir, "none.db")
		refused(t, "mahabo study create makes it", "study", "list", "--store", "sqlite:"+none)
		refused(t, "mysql", "study", "list", "--store", "mysql:x")
		refused(t, "unknown method", "study", "create", "a", "--method", "xyz", "--space", space, "--store", "sqlite:"+none)
		if _, err := os.Stat(none); err == nil {
			t.Error("a refused command left a file behind")
		}
	})
}

// refused runs a command that has a mistake in it.
func refused(t *testing.T, says string, args ...string) {
	t.Helper()
	stdout, stderr, code := call(t, args...)
	if code != exitUsage || stdout != "" {
		t.Errorf("%v: exit code %d, want %d; standard output %q", args, code, exitUsage, stdout)
	}
	if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, says) {
		t.Errorf("%v: want one line with %q, got %q", args, says, stderr)
	}
}

// What was told is repeated with every digit, and tables tell near values apart.
func TestDigits(t *testing.T) {
	_, in := rig(t)
	must(t, in("ask rig --count 4")...)
	for number, c := range [][2]string{
		{"--value 12345678.5", "12345678.5"}, {"--value 1013.2541 --std 0.123456", "1013.2541 ± 0.123456"}, {"--value 1013.2547", "1013.2547"}, {"--value -1.5e-7", "-1.5e-07"},
	} {
		want := fmt.Sprintf("trial %d of rig is complete with value %s\n", number+1, c[1])
		if text := must(t, in(fmt.Sprintf("tell rig %d %s --param x=1 --param n=2", number+1, c[0]))...); text != want {
			t.Errorf("telling printed %q, want %q", text, want)
		}
	}
	text := must(t, in("trials rig")...) + must(t, in("study show rig")...)
	for _, want := range []string{" 12345678.5 ", " 1013.2541 ± 0.12 ", " 1013.2547 "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestBestOfNothing(t *testing.T) {
	_, in := rig(t)
	if _, stderr, code := call(t, in("best rig")...); code != exitFailed || !strings.Contains(stderr, "no complete trial that counts yet") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

func TestEnqueueRetryNote(t *testing.T) {
	dir, in := rig(t)
	if text := must(t, in("enqueue rig x=2.5 n=3 mode=fast --request-id one")...); text != "1  x=2.5 n=3 mode=fast\n" {
		t.Errorf("enqueueing printed %q", text)
	}
	must(t, in("enqueue rig x=2.5 n=3 mode=fast --request-id one")...)
	points := writeIn(t, dir, "points.jsonl", `{"x": 1, "n": 1, "mode": "1"}`+"\n\n"+`{"x": 2, "n": 1, "mode": "2"}`+"\n")
	must(t, in("enqueue rig --file "+points)...)
	b := decode[askedBatch](t, must(t, in("ask rig --count 3 --worker w --lease 1h --json")...))
	if len(b.Trials) != 3 || b.Trials[2].Number != 3 || b.Trials[2].Params["mode"] != "2" || b.Model.Method != "" {
		t.Fatalf("served %+v", b)
	}
	must(t, in("heartbeat rig 1 2 --worker w --lease 5h")...)
	must(t, in("tell rig 1 --state failed --reason spilled")...)
	must(t, in("retry rig 1")...)
	for args, says := range map[string]string{"3": "add --worker w", "3 --worker v": "asked for by w", "1 --worker w": "trial 1 is waiting", "9": "no such trial: the study has 3"} {
		refused(t, says, in("release rig "+args)...)
	}
	if text := must(t, in("release rig 3 --worker w")...); text != "released trial 3\n" {
		t.Errorf("releasing printed %q", text)
	}
	must(t, in("note rig 2 smells of almonds")...)
	list := must(t, in("study export rig --format jsonl")...)
	for _, want := range []string{`"number":1,"state":"waiting"`, `"number":2,"state":"running"`, `"number":3,"state":"waiting"`, `"notes":["smells of almonds"]`} {
		if !strings.Contains(list, want) {
			t.Errorf("%s is missing in\n%s", want, list)
		}
	}
}
