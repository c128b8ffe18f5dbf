package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// binary is the program under test, built once by TestMain.
var binary string

// TestMain runs a NATS server when a test has started one, and else the tests.
func TestMain(m *testing.M) {
	if os.Getenv(brokerAddress) == "" {
		os.Exit(buildAndTest(m))
	}
	if err := runBroker(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func buildAndTest(m *testing.M) int {
	for _, s := range []os.Signal{syscall.SIGHUP, os.Interrupt} {
		// What nohup or a shell's & has us ignore, the programs that we start would ignore too.
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	flag.Parse()
	if flag.Lookup("test.fuzz").Value.String() != "" {
		return m.Run() // fuzz tests need no program, and each of their processes would build it
	}
	dir, err := os.MkdirTemp("", "mahabo")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "mahabo")
	build := exec.Command("go", "build", "-o", binary, "../../cmd/mahabo")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// call runs the program and returns what it wrote and its exit code.
func call(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	c := exec.CommandContext(t.Context(), binary, args...)
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

// must runs the program, which must succeed.
func must(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, code := call(t, args...)
	if code != 0 {
		t.Fatalf("%s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

func words(s string) []string { return strings.Fields(s) }

func TestUsageErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(dir, "wrong.yaml")
	if err := os.WriteFile(wrong, []byte("grid: []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	results := filepath.Join(dir, "results")
	const grid = "--method sobol --problem branin --dim 5 --init 3 --trials 1"
	must(t, words("bench run "+grid+" --evals 4 --out "+results)...)
	broken := filepath.Join(dir, "broken")
	if err := os.Mkdir(broken, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "trials.jsonl"), []byte("what is this\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(dir, "fresh")

	for _, c := range []struct{ args, says string }{
		{"", "minimize"},
		{"minimise --problem branin", "minimize"},
		{"minimize", "--problem"},
		{"minimize --problem brannin", `did you mean "branin"?`},
		{"minimize --problem xyz", "branin, colville"},
		{"minimize --problem branin --dims 5", `"--dim"`},
		{"minimize --problem branin --dim 1", "dim is 1"},
		{"minimize --problem branin --dim -3", "--dim is -3"},
		{"minimize --problem branin --dim x", "--dim"},
		{"minimize --problem branin --method moha", `did you mean "maha"?`},
		{"minimize --problem branin --method nothing-like-it", "sobol"},
		{"minimize --problem branin --method sobol:x=1", `unknown option "x"`},
		{"minimize --problem branin --method maha:d", "key=value"},
		{"minimize --problem branin --dim 5 --method maha:d=6", "d is 6"},
		{"minimize --problem branin --dim 5 --method maha:d=0", "d is 0"},
		{"minimize --problem branin --dim 5 --method maha:d=two", `d is "two"`},
		{"minimize --problem branin --batch 0", "--batch is 0"},
		{"minimize --problem branin --batch -1", "--batch is -1"},
		{"minimize --problem branin --evals -1", "--evals is -1"},
		{"minimize --problem branin --evals=-1", "--evals is -1"},
		{"minimize --problem branin --init 0", "--init is 0"},
		{"minimize --problem branin --seed -1", "--seed"},
		{"minimize --problem branin --method sobol --out " + file + "/x/best.json", "cannot be written"},
		{"minimize --problem branin --method sobol --out " + dir, "is a folder"},
		{"minimize --problem branin extra", "extra"},
		{"bench", "run"},
		{"bench rum", "run"},
		{"bench run", "--out"},
		{"bench run --out " + fresh, "--method is missing"},
		{"bench run --method sobol --out " + fresh, "--problem is missing"},
		{"bench run --suite smok --out " + fresh, `did you mean "smoke"?`},
		{"bench run --suite " + file + ".yaml --out " + fresh, "no such file"},
		{"bench run --suite " + wrong + " --out " + fresh, `wrong.yaml:1:1: unknown key "grid"`},
		{"bench run --suite smoke --problem rover --out " + fresh, "suite smoke has no problem rover: it has branin, hartmann6"},
		{"bench run --suite smoke --batch 3 --out " + fresh, "--suite"},
		{"bench run --suite smoke --evals 7 --out " + fresh, "--evals"},
		{"bench run --method sobl --problem branin --dim 5 --out " + fresh, `did you mean "sobol"?`},
		{"bench run --method sobol, --problem branin --dim 5 --out " + fresh, "empty entry"},
		{"bench run --method sobol,d=1 --problem branin --dim 5 --out " + fresh, "sobol:d=1"},
		{"bench run --method sobol:d=1 --problem branin --dim 5 --out " + fresh, `unknown option "d"`},
		{"bench run --method maha:d=6 --problem branin --dim 5 --out " + fresh, "d is 6"},
		{"bench run --method sobol --problem branin,brannin --dim 5 --out " + fresh, `did you mean "branin"?`},
		{"bench run --method sobol --problem branin:nois=1 --dim 5 --out " + fresh, `unknown option "nois"`},
		{"bench run --method sobol --problem branin,noise=1 --dim 5 --out " + fresh, "branin:noise=1"},
		{"bench run " + grid + " --batch 0 --out " + fresh, "batch is 0"},
		{"bench run " + grid + " --evals -4 --out " + fresh, "evals is -4"},
		{"bench run " + grid + " --first-trial -1 --out " + fresh, "first trial is -1"},
		{"bench run " + grid + " --jobs 0 --out " + fresh, "jobs is 0"},
		{"bench run --method sobol --problem branin --dim 5 --trials 0 --out " + fresh, "trials is 0"},
		{"bench run --method sobol --problem branin --dim 1 --out " + fresh, "dim is 1"},
		{"bench run " + grid + " --evals 4 --out " + file, "not a directory"},
		{"bench run " + grid + " --evals 5 --out " + results, `trials.jsonl:1: field "evals" is 4, this run asks for 5`},
		{"bench run " + grid + " --evals 4 --out " + broken, "trials.jsonl:1: "},
		{"bench table", "dir"},
		{"bench table " + fresh, "holds no benchmark results"},
		{"bench table " + broken, "trials.jsonl:1: "},
		{"bench table --format xml " + results, "--format"},
		{"bench table --method sobl " + results, "no trial with method sobl"},
		{"bench table " + results + " " + results, "trial 0 is in"},
		{"bench figure " + results, "--out"},
		{"bench figure " + results + " --out figure.jpg", ".png, .svg or .pdf"},
		{"bench figure " + results + " --out " + file + "/figure.png", "not a directory"},
		{"bench compare " + fresh, "holds no benchmark results"},
		{"bench compare " + results + " " + fresh, "holds no benchmark results"},
		{"bench compare " + results + " --methods sobol", "give two"},
		{"bench compare " + results + " --methods sobol,random", "no trial with method random"},
		{"bench compare " + results + " " + results + " --methods sobol,random", "not two of them"},
	} {
		t.Run(c.args, func(t *testing.T) {
			stdout, stderr, code := call(t, words(c.args)...)
			if code != 2 {
				t.Errorf("exit code %d, want 2", code)
			}
			if stdout != "" {
				t.Errorf("standard output: %q", stdout)
			}
			if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.says) {
				t.Errorf("want one line with %q, got %q", c.says, stderr)
			}
		})
	}
	if _, err := os.Stat(fresh); err == nil {
		t.Error("a refused run made its folder")
	}
}

func TestMinimize(t *testing.T) {
	out := filepath.Join(t.TempDir(), "best.json")
	args := words("minimize --problem branin --dim 40 --method random --batch 4 --evals 30 --init 5 --seed 7 --json --out " + out)
	text := must(t, args...)
	var got minimizeResult
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("standard output is not JSON: %v\n%s", err, text)
	}
	if got.Method != "random" || got.Problem != "branin" || got.Dim != 40 || got.Batch != 4 || got.Evals != 30 ||
		got.Init != 5 || got.Seed != 7 || got.Evaluated != 35 || len(got.X) != 40 || len(got.Curve) != 35 || got.Best != got.Curve[34] {
		t.Errorf("result is %+v", got)
	}
	saved, err := os.ReadFile(out)
	if err != nil || string(saved) != text {
		t.Errorf("--out and --json differ (%v)", err)
	}
	if left, _ := filepath.Glob(out + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}

	var again minimizeResult
	if err := json.Unmarshal([]byte(must(t, args...)), &again); err != nil {
		t.Fatal(err)
	}
	again.Seconds, again.MedianSecondsPerSuggestion = got.Seconds, got.MedianSecondsPerSuggestion
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("the same seed twice (-first +second):\n%s", diff)
	}
}

func TestMinimizeForPeople(t *testing.T) {
	stdout, stderr, code := call(t, words("minimize --problem branin --method sobol --evals 20")...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for _, s := range []string{"best value", "after 30 evaluations", "x0=", "x1=", "per suggestion"} {
		if !strings.Contains(stdout, s) {
			t.Errorf("standard output lacks %q:\n%s", s, stdout)
		}
	}
	if !strings.Contains(stderr, "30/30 evaluations") {
		t.Errorf("no progress on standard error: %q", stderr)
	}
	if strings.Contains(stdout, "largest") {
		t.Errorf("two coordinates were cut:\n%s", stdout)
	}
	if many := must(t, words("minimize --problem branin --dim 50 --method sobol --evals 5 -q")...); !strings.Contains(many, "the largest 8 of 50") {
		t.Errorf("50 coordinates:\n%s", many)
	}
	if _, stderr, _ := call(t, words("minimize --problem branin --method sobol --evals 20 -q")...); stderr != "" {
		t.Errorf("-q shows %q", stderr)
	}
}

func TestLists(t *testing.T) {
	methods, problems := must(t, "methods"), must(t, "problems")
	for _, name := range []string{"maha", "sobol", "random", "fit=adam"} {
		if !strings.Contains(methods, name) {
			t.Errorf("methods lacks %q", name)
		}
	}
	if one := must(t, "methods", "sobol", "maha"); !strings.HasPrefix(one, "sobol  ") || !strings.Contains(one, "\nmaha  ") || strings.Contains(one, "turbo") {
		t.Errorf("methods sobol maha prints\n%s", one)
	}
	if _, stderr, code := call(t, "methods", "bobol"); code != exitUsage || !strings.Contains(stderr, "choose one of adaptive, maha") {
		t.Errorf("methods bobol ends with %d and %q", code, stderr)
	}
	for _, name := range words("branin colville goldstein hartmann6 sixhump rover ackley10 lasso embed=dense noise=0") {
		if !strings.Contains(problems, name) {
			t.Errorf("problems lacks %q", name)
		}
	}
	for _, list := range []string{"methods", "problems", "bench list"} {
		var items []struct{ Name string }
		if err := json.Unmarshal([]byte(must(t, append(words(list), "--json")...)), &items); err != nil || len(items) < 3 {
			t.Errorf("%s --json: %d items, %v", list, len(items), err)
		}
		for _, item := range items {
			if item.Name == "" {
				t.Errorf("%s --json: an item has no name", list)
			}
		}
	}
	if suites := must(t, "bench", "list"); !strings.Contains(suites, "smoke") || !strings.Contains(suites, "--method sobol,random,cmaes --problem branin,hartmann6 --dim 100 --batch 1,5") {
		t.Errorf("suites:\n%s", suites)
	}
}

func TestVersionAndHelp(t *testing.T) {
	version := must(t, "version")
	if !strings.HasPrefix(version, "mahabo ") || strings.Count(version, "\n") != 1 {
		t.Errorf("version is %q", version)
	}
	for _, flag := range []string{"-v", "--version"} {
		if got := must(t, flag); got != version {
			t.Errorf("%s prints %q, version %q", flag, got, version)
		}
	}
	for command, says := range map[string]string{
		"": "minimize", "minimize": "--problem branin --dim 1000 --batch 5 --evals 200", "methods": "--json", "problems": "--json",
		"bench": "compare", "bench list": "--json", "bench run": "--suite smoke", "bench table": "--format", "bench figure": ".pdf", "bench report": "--title", "bench compare": "2.5",
	} {
		if help := must(t, append(words(command), "--help")...); !strings.Contains(help, says) {
			t.Errorf("%s --help lacks %q:\n%s", command, says, help)
		} else if again := must(t, append([]string{"help"}, words(command)...)...); again != help {
			t.Errorf("help %s is not %[1]s --help:\n%s", command, again)
		}
	}
}

func TestBench(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "results")
	run := words("bench run --method sobol,random --problem branin --dim 6 --batch 1,3 --evals 7 --init 3 --trials 2 --first-trial 4 --jobs 2 --out " + dir)
	if out := must(t, run...); !strings.Contains(out, "8 of them new") {
		t.Errorf("first run: %q", out)
	}
	trials, err := os.ReadFile(filepath.Join(dir, "trials.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if out := must(t, run...); !strings.Contains(out, "0 of them new") {
		t.Errorf("second run: %q", out)
	}
	if again, _ := os.ReadFile(filepath.Join(dir, "trials.jsonl")); !bytes.Equal(trials, again) {
		t.Error("the second run changed the trials")
	}
	summary, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got := must(t, "bench", "table", dir, "--format", "json"); got != string(summary) {
		t.Errorf("table --format json differs from summary.json:\n%s", cmp.Diff(string(summary), got))
	}
	if got := must(t, "bench", "table", dir); strings.Count(got, "\n") != 5 {
		t.Errorf("table:\n%s", got)
	}
	if got := must(t, "bench", "table", dir, "--format", "markdown"); strings.Count(got, "\n") != 6 || !strings.HasPrefix(got, "| method") {
		t.Errorf("Markdown table:\n%s", got)
	}
	if got := must(t, "bench", "compare", dir); strings.Count(got, "\n") != 5 {
		t.Errorf("comparison:\n%s", got)
	}
	if got := must(t, "bench", "compare", dir, "--methods", "sobol,random"); strings.Count(got, "\n") != 5 || !strings.Contains(got, "first: sobol, second: random") {
		t.Errorf("two methods:\n%s", got)
	}
	if got := must(t, "bench", "compare", dir, dir); strings.Count(got, "0/2/0") != 4 {
		t.Errorf("a folder with itself:\n%s", got)
	}
	if got := must(t, "bench", "compare", dir, "--all", "--format", "markdown"); strings.Count(got, "| turbo ") != 10+6 {
		t.Errorf("comparison with all cells:\n%s", got)
	}
}

func TestBenchReplayAndPack(t *testing.T) {
	dir := t.TempDir()
	must(t, words("bench run --method sobol,random --problem branin --dim 6 --batch 1,3 --evals 7 --init 3 --trials 2 -q --out "+dir)...)
	if got := must(t, "bench", "replay", dir, "--method", "sobol", "--trials", "1", "-q"); strings.Count(got, " equal ") != 2 {
		t.Errorf("replay:\n%s", got)
	}
	if got := must(t, "bench", "replay", dir, "--evals", "2", "--jobs", "2", "-q"); strings.Count(got, " equal ") != 4 {
		t.Errorf("replay of the beginning:\n%s", got)
	}
	packed := t.TempDir()
	if err := os.CopyFS(packed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if got := must(t, "bench", "pack", packed); !strings.Contains(got, "8 trials compressed") {
		t.Errorf("pack: %s", got)
	}
	if got, want := must(t, "bench", "table", packed), must(t, "bench", "table", dir); got != want {
		t.Errorf("the table of the compressed trials is\n%s, want\n%s", got, want)
	}

	file := filepath.Join(dir, "trials.jsonl")
	lines, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines = bytes.ReplaceAll(lines, []byte(`"method":"random"`), []byte(`"method":"halton"`))
	lines = bytes.ReplaceAll(lines, []byte(`"method":"sobol"`), []byte(`"method":"random"`))
	if err := os.WriteFile(file, lines, 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := call(t, "bench", "replay", dir, "-q")
	if code != 1 || !strings.Contains(stdout, `unknown method "halton"`) || !strings.Contains(stdout, "from value") || !strings.Contains(stderr, "not all trials") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestBenchNarrowedSuite(t *testing.T) {
	dir := t.TempDir()
	must(t, words("bench run --suite smoke --method random,sobol --problem branin --trials 1 -q --out "+dir)...)
	// Two batch sizes.
	if table := must(t, "bench", "table", dir); strings.Count(table, "branin") != 4 || strings.Contains(table, "hartmann6") || strings.Contains(table, "cmaes") {
		t.Errorf("table:\n%s", table)
	}
}

func TestBenchProblemOptions(t *testing.T) {
	dir := t.TempDir()
	must(t, words("bench run --method sobol --problem branin,branin:noise=0.1,embed=axis,levy5 --dim 20 --evals 3 --trials 1 --out "+dir)...)
	got := must(t, "bench", "table", dir, "--format", "csv", "--problem", "branin:noise=0.1,embed=axis")
	if strings.Count(got, "\n") != 2 || !strings.Contains(got, `"branin:embed=axis,noise=0.1"`) {
		t.Errorf("the noisy problem:\n%s", got)
	}
}

func TestBenchPictures(t *testing.T) {
	dir := t.TempDir()
	must(t, words("bench run --method sobol,random --problem branin --dim 6 --batch 1,3 --evals 7 --init 3 --trials 2 --out "+dir)...)
	for name, start := range map[string]string{"a.png": "\x89PNG", "b.svg": "<svg", "c.pdf": "%PDF"} {
		file := filepath.Join(dir, name)
		must(t, "bench", "figure", dir, "--batch", "3", "--out", file)
		if data, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(data, []byte(start)) {
			t.Errorf("%s begins with %.8q, %v", name, data, err)
		}
	}
	page := filepath.Join(dir, "report.html")
	must(t, "bench", "report", dir, "--title", "What we measured", "--out", page)
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<h1>What we measured</h1>", "mahabo bench run --method sobol,random", "mahabo bench report", "8 trials of 2 methods"} {
		if !strings.Contains(string(data), part) {
			t.Errorf("the page lacks %q", part)
		}
	}
	for _, kind := range []string{"rank", "profile"} {
		file := filepath.Join(dir, kind+".svg")
		must(t, "bench", "figure", dir, "--kind", kind, "--out", file)
		if data, err := os.ReadFile(file); err != nil || !bytes.Contains(data, []byte(">sobol<")) {
			t.Errorf("%s: %.40q, %v", kind, data, err)
		}
	}
	board := must(t, "bench", "table", dir, "--layout", "leaderboard", "--format", "json")
	if !strings.Contains(board, `"mean_rank"`) || !strings.Contains(board, `"left_out_methods": []`) {
		t.Errorf("leaderboard:\n%s", board)
	}
	if text := must(t, "bench", "table", dir, "--layout", "leaderboard"); !strings.Contains(text, "leaderboard of 2 methods on 2 tasks") {
		t.Errorf("leaderboard:\n%s", text)
	}
	for _, layout := range []string{"best", "minutes"} {
		if got := must(t, "bench", "table", dir, "--layout", layout, "--format", "latex"); strings.Count(got, `\begin{tabular}{lr}`) != 2 {
			t.Errorf("layout %s:\n%s", layout, got)
		}
	}
}

func TestBenchNativeDimension(t *testing.T) {
	dir := t.TempDir()
	must(t, words("bench run --method sobol --problem hartmann6 --evals 3 --trials 1 --out "+dir)...)
	if got := must(t, "bench", "table", dir, "--format", "json"); !strings.Contains(got, `"dim": 6,`) {
		t.Errorf("without --dim:\n%s", got)
	}
}

// interrupt starts a long command, stops it after its first line of progress
// and returns what it wrote.
func interrupt(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), binary, args...)
	var out bytes.Buffer
	c.Stdout = &out
	pipe, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	scan := bufio.NewScanner(pipe)
	for first := true; scan.Scan(); first = false {
		errs.WriteString(scan.Text() + "\n")
		if first {
			if err := c.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
	}
	var exit *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

func TestCtrlC(t *testing.T) {
	stdout, stderr, code := interrupt(t, words("minimize --problem branin --dim 20 --method random --evals 100000000 --json")...)
	var got minimizeResult
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("no best point after Ctrl-C: %v\n%s", err, stdout)
	}
	if code != 130 || got.Evaluated < 1 || len(got.X) != 20 || math.IsInf(got.Best, 0) || !strings.Contains(stderr, "stopped after") {
		t.Errorf("exit code %d, %d evaluations\n%s", code, got.Evaluated, stderr)
	}

	dir := t.TempDir()
	_, stderr, code = interrupt(t, words("bench run --method random --problem branin --dim 20 --evals 20 --trials 100000 --out "+dir)...)
	if code != 130 || !strings.Contains(stderr, "again to continue") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	must(t, "bench", "table", dir)
}

// write makes a file in a fresh folder, executable if it is a script.
func write(t *testing.T, name, text string) string {
	t.Helper()
	return writeIn(t, t.TempDir(), name, text)
}

func writeIn(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
