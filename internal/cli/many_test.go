//go:build linux

package cli

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	manyFigures = flag.String("many", "", "have TestManyObservations measure studies of full size and write the table to this file")
	manySizes   = flag.String("many.sizes", "1000x20,3000x20,3000x200,3000x1000,10000x20,10000x200,50000x20,50000x100,500x10000,300x50000", "sizes to measure, observations x parameters")
)

// crowded is a study to be measured, with what was measured.
type crowded struct {
	trials, params      int
	first, median, most time.Duration // of asks: the first of a new server, of those that follow a value
	memory              int64         // most of the server, bytes
	tell                time.Duration
}

// bowl is a function whose parameters matter differently, and are coupled.
func bowl(x []float64) (value float64) {
	for j, v := range x {
		d := v - 0.3*math.Sin(float64(j))
		value += d * d * (1 + 3*math.Abs(math.Sin(float64(7*j))))
		if j > 0 {
			value += 0.5 * v * x[j-1]
		}
	}
	return 20 * value / float64(len(x))
}

// tables writes trials that close in on the lowest point, as those of a search do, into files of at most
// ten million numbers.
func (c *crowded) tables(t *testing.T, dir string) (paths []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	perFile := min(c.trials, 9_000_000/(c.params+1))
	x := make([]float64, c.params)
	for first := 0; first < c.trials; first += perFile {
		path := filepath.Join(dir, fmt.Sprintf("table%d.csv", len(paths)))
		paths = append(paths, path)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		b := bufio.NewWriter(f)
		for k := range c.params {
			fmt.Fprintf(b, "x%d,", k)
		}
		fmt.Fprintln(b, "value")
		for i := first; i < min(first+perFile, c.trials); i++ {
			spread := 1 / (1 + 5*float64(i)/float64(c.trials))
			for j := range x {
				v := 0.3*math.Sin(float64(j)) + spread*r.NormFloat64()
				x[j] = math.Round(1e4*max(-1, min(1, v))) / 1e4
				b.WriteString(strconv.FormatFloat(x[j], 'g', -1, 64))
				b.WriteByte(',')
			}
			fmt.Fprintf(b, "%.6f\n", bowl(x))
		}
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// suggested is an answer to an ask.
type suggested struct {
	Model struct {
		Fallback string `json:"fallback"`
	} `json:"model"`
	Trials []struct {
		Number int                `json:"number"`
		Params map[string]float64 `json:"params"`
	} `json:"trials"`
}

// measure has a server suggest points.
func (c *crowded) measure(t *testing.T, asks int) {
	t.Helper()
	dir := t.TempDir()
	space := filepath.Join(dir, "space.yaml")
	if err := os.WriteFile(space, fmt.Appendf(nil, "parameters:\n  \"x[0:%d]\": {float: [-1, 1]}\n", c.params-1), 0o600); err != nil {
		t.Fatal(err)
	}
	store := "sqlite:" + filepath.Join(dir, "a.db")
	clocked(t, 1, "study", "create", "many", "--space", space, "--seed", "1", "--store", store)
	for _, path := range c.tables(t, dir) {
		clocked(t, 1, "study", "import", "many", path, "--store", store)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	server := exec.CommandContext(t.Context(), binary, "serve", "--addr", "127.0.0.1:0", "--store", store, "--patience", "9m")
	address, stop := listen(t, server)
	var got suggested
	ask := func() time.Duration {
		start := time.Now()
		status, text := post(t, address+"/v1/studies/many/ask", "", `{"count": 1}`)
		took := time.Since(start)
		got = suggested{}
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != 200 || got.Model.Fallback != "" {
			t.Fatalf("ask: %d, %v, %.300s", status, err, text)
		}
		return took
	}
	c.first = ask()
	var took []time.Duration
	for range asks {
		x := make([]float64, c.params)
		for name, v := range got.Trials[0].Params {
			j, _ := strconv.Atoi(name[1:])
			x[j] = v
		}
		start := time.Now()
		if status, text := post(t, fmt.Sprintf("%s/v1/studies/many/trials/%d/tell", address, got.Trials[0].Number), "", fmt.Sprintf(`{"value": %g}`, bowl(x))); status != 200 {
			t.Fatalf("tell: %d, %.300s", status, text)
		}
		c.tell = max(c.tell, time.Since(start))
		took = append(took, ask())
	}
	slices.Sort(took)
	c.median, c.most = took[len(took)/2], took[len(took)-1]
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", server.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_, _ = fmt.Sscan(rest, &c.memory)
			c.memory <<= 10
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// Suggestions come quickly with many observations and many parameters: the figures of
// docs/results/many.md come from here, on a machine that does nothing else,
//
//	go test ./internal/cli -run TestManyObservations -timeout 60m -args -many ../../docs/results/many.md
//
// and without the flag smaller studies guard them.
func TestManyObservations(t *testing.T) {
	if *manyFigures == "" {
		if testing.Short() {
			t.Skip("it takes seconds; make test runs it")
		}
		c := crowded{trials: 400, params: 500}
		if c.measure(t, 3); c.memory > 300<<20 {
			t.Errorf("a server with %d trials of %d parameters has %d MB", c.trials, c.params, c.memory>>20)
		}
		return
	}
	var page strings.Builder
	var logN, logT []float64
	for _, size := range strings.Split(*manySizes, ",") {
		var c crowded
		if _, err := fmt.Sscanf(size, "%dx%d", &c.trials, &c.params); err != nil {
			t.Fatal(err)
		}
		c.measure(t, 20)
		line := fmt.Sprintf("| %d | %d | %.2f | %.2f | %.1f | %d |\n", c.trials, c.params, c.median.Seconds(), c.most.Seconds(), c.first.Seconds(), c.memory/1e6)
		t.Log(line)
		page.WriteString(line)
		if c.params == 20 {
			logN, logT = append(logN, math.Log(float64(c.trials))), append(logT, math.Log(c.median.Seconds()))
		}
	}
	growth := ""
	if len(logN) > 1 {
		growth = fmt.Sprintf("\nWith 20 parameters the median grows as n to the power of %.2f from %.0f to %.0f observations, fitted by least squares to the logarithms.\n",
			steepness(logN, logT), math.Exp(logN[0]), math.Exp(logN[len(logN)-1]))
	}
	text := `# Many observations and many parameters

    go test ./internal/cli -run TestManyObservations -timeout 60m -args -many ../../docs/results/many.md

How long a server takes to choose one point by ` + "`adaptive`" + `, right after a value was told. The columns have the median and the longest of twenty such requests, the first request to a
new server, which has to fit all models, and the server's peak memory. The trials are imported from a table and approach the lowest point as those of a search do.

The machine was two cores of a virtual machine (Intel Xeon with AVX-512) that others used too.

| observations | parameters | median s | longest s | first s | memory MB |
|---:|---:|---:|---:|---:|---:|
` + page.String() + growth
	if err := os.WriteFile(*manyFigures, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// steepness is the slope of the line nearest to points.
func steepness(x, y []float64) float64 {
	var mx, my, xx, xy float64
	for i := range x {
		mx += x[i] / float64(len(x))
		my += y[i] / float64(len(y))
	}
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		xy += (x[i] - mx) * (y[i] - my)
	}
	return xy / xx
}

// Everything that users do works with thousands of parameters, and no step takes the square of their number.
func TestManyParameters(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds; make test runs it")
	}
	c := crowded{trials: 14, params: 3000}
	dir := t.TempDir()
	space := filepath.Join(dir, "space.yaml")
	if err := os.WriteFile(space, fmt.Appendf(nil, "parameters:\n  \"x[0:%d]\": {float: [-1, 1]}\n", c.params-1), 0o600); err != nil {
		t.Fatal(err)
	}
	store := "sqlite:" + filepath.Join(dir, "a.db")
	page := filepath.Join(dir, "report.html")
	for _, step := range [][]string{
		{"study", "create", "wide", "--space", space, "--seed", "1"},
		{"study", "import", "wide", c.tables(t, dir)[0]},
		{"ask", "wide", "--json"},
		{"tell", "wide", "15", "--value", "3"},
		{"best", "wide"},
		{"trials", "wide"},
		{"study", "export", "wide", "--format", "csv"},
		{"report", "wide", "--out", page},
	} {
		if m := clocked(t, 1, append(step, "--store", store)...); m.cpu > 12*time.Second {
			t.Errorf("%s takes %s of processor time", strings.Join(step[:2], " "), m.cpu)
		}
	}
	address, stop := serve(t, "--store", store)
	defer func() { _ = stop() }()
	for _, path := range []string{"/studies/wide", "/studies/wide/trials", "/studies/wide/trials/3", "/v1/studies/wide/best"} {
		start := time.Now()
		answer, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if took := time.Since(start); err != nil || answer.StatusCode != http.StatusOK || took > 10*time.Second {
			t.Errorf("%s: %s after %s, %v", path, answer.Status, took, err)
		}
		if count := strings.Count(string(text), "<option"); count > 1000 {
			t.Errorf("%s offers %d choices", path, count)
		}
	}
}
