package report

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"

	"github.com/mahabo/mahabo/internal/bench"
	"github.com/mahabo/mahabo/internal/figure"
)

// trialsOf makes trials of a cell whose curves fall from start to end.
func trialsOf(cell bench.Cell, init, evals, n int, start, end float64) []bench.Trial {
	var trials []bench.Trial
	for i := range n {
		t := bench.Trial{Cell: cell, Init: init, Evals: evals, Trial: i, Seed: uint64(i), Seconds: 2, CPUSeconds: 1, Version: "v1"}
		for k := range init + evals {
			at := float64(k) / float64(init+evals-1)
			t.Curve = append(t.Curve, start+(end-start)*at+0.1*math.Abs(end-start)*float64(i)*(1-at/2))
		}
		t.Best = t.Curve[len(t.Curve)-1]
		trials = append(trials, t)
	}
	return trials
}

// example has two batch sizes, three tasks and up to nine methods.
func example() []bench.Trial {
	var trials []bench.Trial
	for i := range 9 {
		method := fmt.Sprintf("method%d", i)
		trials = append(trials, trialsOf(bench.Cell{Method: method, Problem: "branin", Dim: 1000, Batch: 5}, 10, 500, 4, 25, 1+float64(i))...)
	}
	trials = append(trials, trialsOf(bench.Cell{Method: "method0", Problem: "goldstein", Dim: 100, Batch: 5}, 10, 40, 1, 1e5, 30)...)
	return append(trials, trialsOf(bench.Cell{Method: "method1", Problem: "<mine> & yours", Dim: 7, Batch: 1}, 3, 20, 2, -5, -9)...)
}

func TestFigureFormats(t *testing.T) {
	for name, check := range map[string]func(*testing.T, []byte){
		"a.png": func(t *testing.T, data []byte) {
			picture, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			colours := map[color.NRGBA]bool{}
			for x := 0; x < picture.Bounds().Dx(); x += 2 { // a line is three pixels wide
				for y := 0; y < picture.Bounds().Dy(); y += 2 {
					colours[color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)] = true
				}
			}
			for _, c := range figure.Palette() {
				if !colours[c] {
					t.Errorf("no pixel has the colour %v", c)
				}
			}
		},
		"b.SVG": func(t *testing.T, data []byte) {
			text := string(data)
			if !strings.HasPrefix(text, "<svg") || !strings.HasSuffix(strings.TrimSpace(text), "</svg>") {
				t.Errorf("not an SVG document: %.40q", text)
			}
			for _, want := range []string{">method0<", ">method8<", "branin, D = 1000, B = 5", "&lt;mine&gt; &amp; yours, D = 7, B = 1", "evaluations", "best value", "sans-serif"} {
				if !strings.Contains(text, want) {
					t.Errorf("the figure lacks %q", want)
				}
			}
			if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				t.Error("a coordinate is not a number")
			}
		},
		"c.pdf": func(t *testing.T, data []byte) {
			if !bytes.HasPrefix(data, []byte("%PDF-")) || !bytes.Contains(data, []byte("%%EOF")) {
				t.Errorf("not a PDF document: %.20q", data)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			format, err := ImageOf(name)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := Figure(&b, example(), Curves, format); err != nil {
				t.Fatal(err)
			}
			check(t, b.Bytes())
		})
	}
	if _, err := ImageOf("a.jpg"); err == nil {
		t.Error("a.jpg was accepted")
	}
	if err := Figure(&bytes.Buffer{}, nil, Curves, SVG); err == nil {
		t.Error("a figure without trials was drawn")
	}
}

// The leaderboard's figures have its methods and nothing that is not a number.
func TestLeaderboardFigures(t *testing.T) {
	for kind, parts := range map[Kind][]string{
		Ranks:   {">method0<", ">method8<", "mean rank", "CPU seconds"},
		Profile: {">method0<", ">method8<", "target: 50 % left", "target: 0.1 % left", "share of tasks solved"},
	} {
		var b bytes.Buffer
		if err := Figure(&b, example(), kind, SVG); err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if !strings.Contains(b.String(), part) {
				t.Errorf("%s lacks %q", kind, part)
			}
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s: a coordinate is not a number", kind)
		}
		for _, format := range []Image{PDF, PNG} {
			if err := Figure(&bytes.Buffer{}, example(), kind, format); err != nil {
				t.Errorf("%s as %s: %v", kind, format, err)
			}
		}
		alone := trialsOf(bench.Cell{Method: "sobol", Problem: "branin", Dim: 5, Batch: 1}, 2, 0, 1, 9, 1)
		if err := Figure(&bytes.Buffer{}, alone, kind, SVG); !errors.Is(err, bench.ErrNotComparable) {
			t.Errorf("%s of one method: %v", kind, err)
		}
		// No evaluation after the initial design, and no time: the axes have a length all the same.
		alone[0].CPUSeconds = 0
		other := alone[0]
		other.Method = "random"
		b.Reset()
		if err := Figure(&b, append(alone, other), kind, SVG); err != nil || strings.Contains(b.String(), "NaN") {
			t.Errorf("%s without evaluations: %v", kind, err)
		}
	}
}

func TestLayout(t *testing.T) {
	f, err := layOut(example(), Curves)
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, row := range f.grid {
		var titles []string
		for _, p := range row {
			if p == nil {
				titles = append(titles, "")
				continue
			}
			titles = append(titles, p.Title.Text)
			if _, isLog := p.Y.Scale.(plot.LogScale); isLog != strings.HasPrefix(p.Title.Text, "goldstein") {
				t.Errorf("%s: logarithmic is %v", p.Title.Text, isLog)
			}
		}
		got = append(got, titles)
	}
	want := "[[<mine> & yours, D = 7, B = 1 ] [branin, D = 1000, B = 5 goldstein, D = 100, B = 5]]"
	if fmt.Sprint(got) != want {
		t.Errorf("panels %v, want %s", got, want)
	}
}

// Nine methods have nine different lines.
func TestStylesDiffer(t *testing.T) {
	var methods []string
	for i := range 20 {
		methods = append(methods, fmt.Sprint(i))
	}
	seen := map[string]string{}
	for m, s := range styleOf(methods) {
		key := fmt.Sprint(s)
		if other, twice := seen[key]; twice {
			t.Errorf("methods %s and %s look the same", m, other)
		}
		seen[key] = m
	}
}

func TestSamples(t *testing.T) {
	for _, c := range []struct{ init, n int }{{10, 510}, {10, 10}, {10, 11}, {1, 1}, {1, 160}, {1, 161}, {5, 5000}} {
		at := samples(bench.Curve{Init: c.init, Mean: make([]float64, c.n)})
		if at[0] != c.init-1 || at[len(at)-1] != c.n-1 || len(at) > mostPoints || !slices.IsSorted(at) {
			t.Errorf("init %d of %d: %d samples from %d to %d", c.init, c.n, len(at), at[0], at[len(at)-1])
		}
		if distinct := len(slices.Compact(slices.Clone(at))); distinct != len(at) {
			t.Errorf("init %d of %d: an evaluation is drawn twice", c.init, c.n)
		}
	}
}
