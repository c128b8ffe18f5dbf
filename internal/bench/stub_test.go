package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The test program plays the programs that benchmarks talk to: bench.test problem KIND FILE,
// bench.test method KIND FILE. FILE is for what outlives the process.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 {
		switch os.Args[1] {
		case "problem":
			playProblem(os.Args[2], os.Args[3])
			return
		case "method":
			playMethod(os.Args[2], os.Args[3])
			return
		case "bench":
			playBench(os.Args[2], os.Args[3])
			return
		}
	}
	os.Exit(m.Run())
}

// stub is the specification of a program that this test program plays.
func stub(t *testing.T, name, role, kind string) string {
	t.Helper()
	return fmt.Sprintf(`exec:%s="%s" %s %s "%s"`, name, os.Args[0], role, kind, filepath.Join(t.TempDir(), "file"))
}

// firstTime says whether a file does not exist, and makes it.
func firstTime(file string) bool {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_ = f.Close()
	}
	return err == nil
}

// spoil misbehaves at the fifth line, if the kind says so.
func spoil(kind, file string, n int) (done bool) {
	if n != 5 {
		return false
	}
	switch kind {
	case "crash":
		fmt.Fprintln(os.Stderr, "Segmentation fault")
		os.Exit(7)
	case "crash-once":
		if firstTime(file) {
			os.Exit(1)
		}
	case "hang":
		if err := os.WriteFile(file, fmt.Append(nil, os.Getpid()), 0o644); err != nil {
			panic(err)
		}
		time.Sleep(time.Hour)
	case "garbage":
		fmt.Println("step 5 of 10")
		return true
	}
	return false
}

func playProblem(kind, file string) {
	outcomes := ""
	switch kind {
	case "maximize":
		outcomes = `,"outcomes":{"reward":"maximize","weight":"record"},"minimum":7`
	case "limits":
		outcomes = `,"outcomes":{"mass":"minimize","stress":{"at_most":3}}`
	case "silent":
		return
	}
	fmt.Printf(`{"name":"a bowl","space":{"parameters":{"x":{"float":[-2,2]},"n":{"int":[0,5]},"kind":{"choice":["a","b","c"]},"c":{"fixed":1}}}%s}`+"\n", outcomes)
	lines := bufio.NewScanner(os.Stdin)
	for n := 1; lines.Scan(); n++ {
		var q struct {
			Params struct {
				X    float64
				N    int
				Kind string
				C    *float64
			}
			Seed uint64
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil || q.Params.C == nil {
			panic(fmt.Sprint(lines.Text(), err))
		}
		if spoil(kind, file, n) {
			continue
		}
		p := q.Params
		y := p.X*p.X + float64(p.N) + float64(strings.Index("abc", p.Kind)) + float64(q.Seed)*1000
		switch {
		case kind == "maximize":
			fmt.Printf(`{"outcomes":{"reward":{"value":%v,"std":0.5},"weight":3}}`+"\n", -y)
		case kind == "fails" && n%3 == 0:
			fmt.Println(`{"failed":"diverged"}`)
		case kind == "fails" && n%3 == 1:
			fmt.Println(`{"value":NaN}`)
		default:
			fmt.Printf(`{"value":%v}`+"\n", y)
		}
	}
}

func playMethod(kind, file string) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	var first struct {
		Space    json.RawMessage
		Outcomes map[string]string
		Init     int
		Batch    int
		Evals    int
		Seed     uint64
		Initial  []map[string]any
	}
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &first) != nil || first.Outcomes["value"] != "minimize" || len(first.Initial) != first.Init {
		panic(lines.Text())
	}
	if kind == "hears" {
		fmt.Println(`{"reports":true}`)
	} else {
		fmt.Println("{}")
	}
	r := rand.New(rand.NewPCG(first.Seed, 1))
	toldSoFar := 0
	for n := 1; lines.Scan(); n++ {
		var q struct {
			Ask  int
			Tell []struct {
				Params   map[string]any
				Outcomes map[string]float64
				Failed   string
				Stopped  json.RawMessage
			}
			Report *struct{ Step int }
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		if spoil(kind, file, n) {
			continue
		}
		for _, o := range q.Tell {
			toldSoFar++
			if (len(o.Outcomes) == 0) == (o.Failed == "" && o.Stopped == nil) {
				panic(lines.Text())
			}
		}
		if q.Report != nil { // evaluations end at their third step when two others have ended
			fmt.Printf(`{"stop":%v}`+"\n", q.Report.Step == 3 && toldSoFar >= 2)
			continue
		}
		if kind == "notes" {
			note(file, q.Ask, len(q.Tell))
		}
		if q.Ask == 0 {
			fmt.Println("{}")
			continue
		}
		points := first.Initial
		if toldSoFar > 0 {
			points = nil
			for range q.Ask {
				p := map[string]any{}
				for _, name := range slices.Sorted(maps.Keys(first.Initial[0])) {
					if p[name] = first.Initial[0][name]; name[0] == 'x' {
						p[name] = 2*r.Float64() - 1
					}
				}
				points = append(points, p)
			}
		}
		switch {
		case kind == "few" && toldSoFar > 0:
			points = points[1:]
		case kind == "outside" && toldSoFar > 0:
			points[0]["x0"] = 3
		case kind == "nan" && toldSoFar > 0:
			fmt.Println(`{"params":[{"x0":NaN}]}`)
			continue
		case kind == "slow":
			time.Sleep(20 * time.Millisecond)
		}
		answer, err := json.Marshal(map[string]any{"params": points})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", answer)
	}
}

// note keeps how many points were asked for or told.
func note(file string, asked, told int) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = fmt.Fprintf(f, "%d %d\n", asked, told)
	}
	if err != nil {
		panic(err)
	}
	_ = f.Close()
}

// playBench runs a benchmark of a program until it is killed.
func playBench(spec, dir string) {
	g := Grid{Methods: []string{"random"}, Problems: []string{spec}, Dims: []int{0}, Batches: []int{1}, Evals: 10, Init: 3, Trials: 1}
	_ = Run(context.Background(), Options{Grids: []Grid{g}, Dir: dir, Jobs: 1, Version: "test"})
}
