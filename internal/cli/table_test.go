package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestStudyImportLeavesOut(t *testing.T) {
	dir := t.TempDir()
	in := func(args string) []string {
		return append(words(args), "--store", "sqlite:"+filepath.Join(dir, "studies.db"))
	}
	space := writeIn(t, dir, "space.yaml", "parameters:\n  acid: {float: [0, 1]}\n  base: {float: [0, 1]}\nconstraints:\n  - acid + base <= 1\n")
	must(t, in("study create mix --method sobol --space "+space)...)

	rows := "acid;base;value\n0,5;0,25;3,5\n"
	for range 30 {
		rows += "0,9;0,9;-7\n"
	}
	file := writeIn(t, dir, "past.csv", rows)
	const broken = `it breaks the constraint "acid + base <= 1" by 0.8`
	stdout, stderr, code := call(t, in("study import mix "+file+" --strict")...)
	if code != exitUsage || stdout != "" || !strings.Contains(stderr, "30 of 31 rows cannot be used, the first in line 3: "+broken) || !strings.Contains(stderr, "without --strict") {
		t.Errorf("a strict import printed %q, %q, code %d", stdout, stderr, code)
	}
	stdout, _, code = call(t, in("study import mix "+file+" --strict --json")...)
	if report := decode[struct{ Bad []json.RawMessage }](t, stdout); code != exitUsage || len(report.Bad) != 30 {
		t.Errorf("a strict import printed %q, code %d", stdout, code)
	}
	for _, flag := range []string{" --dry-run", ""} {
		stdout, stderr, code = call(t, in("study import mix "+file+flag)...)
		if lines := strings.Split(strings.TrimSpace(stderr), "\n"); code != 0 || len(lines) != mostShown+1 || lines[0] != file+":3: "+broken || !strings.HasSuffix(lines[mostShown], "10 more rows cannot be used (--json lists all)") {
			t.Errorf("import%s printed %q, code %d", flag, stderr, code)
		}
		if !strings.HasSuffix(stdout, "1 rows, left out 30\n") && !strings.HasSuffix(stdout, "1 row, left out 30\n") {
			t.Errorf("import%s printed %q", flag, stdout)
		}
	}
	if text := must(t, in("best mix")...); !strings.HasPrefix(text, "3.5 at trial 1") {
		t.Errorf("the best is %q", text)
	}

	missing := writeIn(t, dir, "missing.csv", "acid,lye,value\n0.1,0.2,3\n")
	refused(t, `the file has no column "base" for the parameter base: name the right one with --column base=COLUMN; the file has the columns acid, lye, value`, in("study import mix "+missing)...)
	unclear := writeIn(t, dir, "unclear.csv", "acid;base;value\n0;0;1,250\n")
	refused(t, "--decimal comma or --decimal point", in("study import mix "+unclear)...)
	must(t, in("study import mix --decimal comma "+unclear)...)
	if text := must(t, in("best mix")...); !strings.HasPrefix(text, "1.25 at trial 2") {
		t.Errorf("the best is %q", text)
	}
}

// record is a progress that keeps what it is told.
type record struct {
	mu     sync.Mutex
	told   []string
	closed bool
}

func (r *record) update(done, total int, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, fmt.Sprintf("%d/%d %s", done, total, text))
}

func (r *record) close() { r.closed = true }

// last waits until something else was told last.
func (r *record) last(not string) string {
	for {
		r.mu.Lock()
		if n := len(r.told); n > 0 && r.told[n-1] != not {
			defer r.mu.Unlock()
			return r.told[n-1]
		}
		r.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
}

func TestImportProgress(t *testing.T) {
	var out record
	p := newImportProgress()
	p.update(3, 10)
	go p.show(&out, 0, time.Millisecond)
	reading := out.last("")
	p.update(10, 10)
	storing := out.last(reading)
	p.close()
	if end := out.told[len(out.told)-1]; reading != "3/10 reading" || storing != "9/10 storing the trials" || end != "10/10 " || !out.closed {
		t.Errorf("the progress is %q, then %q and %q", reading, storing, end)
	}

	var quick record
	p = newImportProgress()
	go p.show(&quick, time.Hour, time.Minute)
	p.update(1, 10)
	p.close()
	if len(quick.told) > 0 {
		t.Errorf("a quick import showed %q", quick.told)
	}
}
