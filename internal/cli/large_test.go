//go:build unix

package cli

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var figures = flag.String("figures", "", "have TestLargeStudies measure studies of full size and write the table to this file")

// large is a study to be measured.
type large struct {
	name           string
	trials, params int
	digits         int // of its numbers in the table
}

// measured is what a command took: the least of several runs, as others use the machine too.
type measured struct {
	wall, cpu time.Duration
	memory    int64 // bytes
}

func (l large) files(t *testing.T, dir string) (space, table string) {
	t.Helper()
	space, table = filepath.Join(dir, "space.yaml"), filepath.Join(dir, "table.csv")
	if err := os.WriteFile(space, fmt.Appendf(nil, "parameters:\n  \"x[0:%d]\": {float: [-1, 1]}\n", l.params-1), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(table)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := bufio.NewWriter(f) // not in memory: a command would seem to have what this process has
	for k := range l.params {
		fmt.Fprintf(b, "x%d,", k)
	}
	fmt.Fprintln(b, "value")
	for i := range l.trials {
		for k := range l.params {
			fmt.Fprintf(b, "%.*f,", l.digits, math.Sin(float64(1+i*l.params+k)))
		}
		fmt.Fprintf(b, "%.6f\n", 2+math.Sin(float64(i)))
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	return space, table
}

func clocked(t *testing.T, times int, args ...string) (least measured) {
	t.Helper()
	for i := range times {
		c := exec.Command(binary, args...)
		start := time.Now()
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("mahabo %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		m := measured{time.Since(start), c.ProcessState.UserTime() + c.ProcessState.SystemTime(), c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10}
		if i == 0 {
			least = m
		}
		least = measured{min(least.wall, m.wall), min(least.cpu, m.cpu), min(least.memory, m.memory)}
	}
	return least
}

// firstPage is how long a new server needs for the page of a study.
func firstPage(t *testing.T, store, name string) (m measured) {
	t.Helper()
	address, stop := serve(t, "--store", store)
	defer func() { _ = stop() }()
	start := time.Now()
	answer, err := http.Get(address + "/studies/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the page: %s, %v", answer.Status, err)
	}
	m.wall = time.Since(start)
	return m
}

// Large studies are fluid: the figures of docs/results/large.md come from here,
//
//	go test ./internal/cli -run TestLargeStudies -timeout 60m -args -figures ../../docs/results/large.md
//
// and without the flag smaller studies guard them.
func TestLargeStudies(t *testing.T) {
	sizes, times := []large{{"wide", 800, 150, 4}}, 3
	if *figures != "" {
		sizes, times = []large{{"wide", 5200, 1000, 4}, {"long", 100_000, 20, 16}}, 9
	} else if testing.Short() {
		t.Skip("it takes seconds; make test runs it")
	}
	var page strings.Builder
	for _, l := range sizes {
		dir := t.TempDir()
		space, table := l.files(t, dir)
		path := filepath.Join(dir, "a.db")
		store := "sqlite:" + path
		clocked(t, 1, "study", "create", l.name, "--space", space, "--method", "sobol", "--store", store)
		fmt.Fprintf(&page, "\n%d trials of %d parameters, a table of %.1f MB, %.1f MB of numbers:\n\n| | seconds | CPU seconds | memory MB |\n|---|---:|---:|---:|\n",
			l.trials, l.params, float64(size(t, table))/1e6, float64(8*l.trials*(l.params+1))/1e6)
		took := map[string]measured{}
		for _, c := range []struct {
			name  string
			times int
			args  []string
		}{
			{"study import", 1, []string{"study", "import", l.name, table}},
			{"study list", times, []string{"study", "list"}},
			{"best", times, []string{"best", l.name}},
			{"trials", times, []string{"trials", l.name}},
			{"ask", 1, []string{"ask", l.name}},
			{"tell", times, []string{"tell", l.name, fmt.Sprint(l.trials + 1), "--value", "3"}},
		} {
			took[c.name] = clocked(t, c.times, append(c.args, "--store", store)...)
			m := took[c.name]
			fmt.Fprintf(&page, "| `%s` | %.3f | %.3f | %.0f |\n", c.name, m.wall.Seconds(), m.cpu.Seconds(), float64(m.memory)/1e6)
		}
		took["page"] = firstPage(t, store, l.name)
		fmt.Fprintf(&page, "| first page of a new server | %.3f | | |\n", took["page"].wall.Seconds())
		ratio := float64(size(t, path)) / float64(size(t, table))
		fmt.Fprintf(&page, "\nThe database has %.1f MB, %.2f times the table.\n", float64(size(t, path))/1e6, ratio)
		if ratio > 1.5 {
			t.Errorf("%s: the database is %.2f times as large as the table", l.name, ratio)
		}
		for name, most := range map[string]time.Duration{"study list": time.Second, "best": time.Second, "tell": time.Second} {
			if cmp.Or(took[name].cpu, took[name].wall) > most {
				t.Errorf("%s: %s took %v", l.name, name, took[name])
			}
		}
	}
	if *figures == "" {
		return
	}
	text := `# Large studies

    go test ./internal/cli -run TestLargeStudies -timeout 60m -args -figures ../../docs/results/large.md

The commands of a user on a study that was imported from a table, with SQLite; the shortest of nine runs of a new process each, on two cores of a virtual machine that
others used too. The table of the first study has numbers of four decimals, the other all digits. The same test runs with smaller studies among the others.
` + page.String()
	if err := os.WriteFile(*figures, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
