package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A table of evaluations made elsewhere becomes a page.
func TestReportOfImportedStudy(t *testing.T) {
	dir, in := rig(t, "--goal", "maximize")
	var table strings.Builder
	table.WriteString("x,n,mode,value\n")
	for i := range 40 {
		x := float64(i*7%40) / 4
		fmt.Fprintf(&table, "%g,%d,%s,%g\n", x, 1+i%5, []string{"1", "2", "fast"}[i%3], x*x/10)
	}
	must(t, in("study import rig "+writeIn(t, dir, "old.csv", table.String()))...)
	file := filepath.Join(dir, "report.html")
	if out := must(t, in("report rig --out "+file)...); !strings.HasSuffix(out, file+"\n") {
		t.Errorf("the command printed %q", out)
	}
	page, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(page), "<title>Study rig</title>") || !strings.Contains(string(page), "Maximize over 3 parameters") || strings.Count(string(page), "data-chart=") < 5 {
		t.Errorf("%v, a page of %d bytes", err, len(page))
	}
	a := decode[struct {
		Points, Used int
		Verdict      string
		Best         struct {
			ID     int
			Value  float64
			Params map[string]any
		}
		Importances []struct{ Param string }
	}](t, must(t, in("report rig --json")...))
	if a.Points != 40 || a.Used != 40 || a.Verdict == "" || a.Best.Params["x"] != 9.75 || a.Importances[0].Param != "x" {
		t.Errorf("the analysis is %+v", a)
	}
}

func TestReportUsage(t *testing.T) {
	_, in := rig(t)
	for args, want := range map[string]string{
		"report rig":                        "--out",
		"report rig --json --out r.html":    "give one of them",
		"report rog --json":                 `no such study (did you mean "rig"?)`,
		"report rig --out /no/such/dir/a.x": "--out",
	} {
		if _, stderr, code := call(t, in(args)...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %q", args, code, stderr)
		}
	}
	if out := must(t, in("report rig --json")...); !strings.Contains(out, `"structure": "no-model"`) {
		t.Errorf("an empty study: %s", out)
	}
}
