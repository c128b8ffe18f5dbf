package bench

import (
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Part is a table of a leaderboard.
type Part int

// The parts of a leaderboard.
const (
	StandingPart Part = iota
	PairPart          // wins/ties/losses of every two
	SolvedPart        // tasks of tasks that are solved with the whole budget
	TaskPart          // those that count, and those that are left out
)

// Write writes parts of the leaderboard; all of them and the notes when none is named.
func (b *Leaderboard) Write(w io.Writer, format Format, parts ...Part) error {
	all := len(parts) == 0
	if all {
		parts = []Part{StandingPart, PairPart, SolvedPart, TaskPart}
	}
	var sheets []sheet
	for _, p := range parts {
		sheets = append(sheets, b.sheets(p)...)
	}
	if err := writeSheets(w, sheets, format); err != nil || !all || format == CSV {
		return err
	}
	_, err := io.WriteString(w, b.notes(format))
	return err
}

// notes writes what a reader must know, in the form of the tables.
func (b *Leaderboard) notes(format Format) string {
	var s strings.Builder
	for _, note := range b.Notes() {
		switch format {
		case LaTeX:
			fmt.Fprintf(&s, "%% %s\n", note)
		case HTML:
			fmt.Fprintf(&s, "<p>%s</p>\n", html.EscapeString(note))
		default:
			fmt.Fprintf(&s, "\n%s\n", note)
		}
	}
	return s.String()
}

func (b *Leaderboard) sheets(p Part) []sheet {
	switch p {
	case PairPart:
		return []sheet{b.pairSheet()}
	case SolvedPart:
		return []sheet{b.solvedSheet()}
	case TaskPart:
		if len(b.LeftTasks) > 0 {
			return []sheet{b.taskSheet(), b.leftSheet()}
		}
		return []sheet{b.taskSheet()}
	}
	return []sheet{b.standingSheet()}
}

func (b *Leaderboard) standingSheet() sheet {
	s := sheet{
		caption: fmt.Sprintf("leaderboard of %d methods on %s", len(b.Standings), counted(len(b.Tasks), "task")),
		header:  []string{"method", "mean rank", "95 % interval", "first", "wins/ties/losses", "CPU seconds", "tasks"},
		left:    1, measured: []int{1},
	}
	for i, t := range b.Standings {
		rank := measure(t.MeanRank, t.SE)
		rank.text = fmt.Sprintf("%.2f", t.MeanRank)
		interval, first := missing, missing
		if t.SE != nil {
			rank.text = fmt.Sprintf("%.2f ± %.2f", t.MeanRank, *t.SE)
			interval, first = fmt.Sprintf("%.2f to %.2f", *t.Low, *t.High), percent(*t.First)
		}
		rank.best = i == 0
		s.add(slices.Concat(words(t.Method), []entry{rank},
			words(interval, first, t.score(), fmt.Sprintf("%.3g", t.CPUSeconds), fmt.Sprintf("%d of %d", len(b.Tasks), t.Tasks)))...)
	}
	return s
}

// counted writes a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (t Standing) score() string { return score(t.Wins, t.Ties, t.Losses) }

func score(wins, ties, losses int) string { return fmt.Sprintf("%d/%d/%d", wins, ties, losses) }

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

func (b *Leaderboard) pairSheet() sheet {
	s := sheet{
		caption: "wins/ties/losses of the method of a line against that of a column; * a difference is shown over all tasks",
		header:  append([]string{"method"}, b.Methods()...), left: 1,
	}
	for _, t := range b.Standings {
		line := words(t.Method)
		for _, u := range b.Standings {
			text := missing
			if t.Method != u.Method {
				d := b.Pair(t.Method, u.Method)
				text = score(d.Wins, d.Ties, d.Losses)
				if d.differs() {
					text += " *"
				}
			}
			line = append(line, words(text)...)
		}
		s.add(line...)
	}
	return s
}

// Target names the target of a profile.
func (p Profile) Target() string { return fmt.Sprintf("%g %% left", 100*p.Left) }

func (b *Leaderboard) solvedSheet() sheet {
	s := sheet{caption: "share of tasks solved with the whole budget, by what is left of the way to the best known value", header: []string{"method"}, left: 1}
	for i, p := range b.Profiles {
		s.header, s.measured = append(s.header, p.Target()), append(s.measured, i+1)
	}
	for _, t := range b.Standings {
		line := words(t.Method)
		for _, p := range b.Profiles {
			c := p.Curve(t.Method)
			last := len(c.Solved) - 1
			line = append(line, entry{
				text: fmt.Sprintf("%.0f ± %.0f %%", 100*c.Solved[last], 100*c.SE[last]),
				mean: &c.Solved[last], se: &c.SE[last],
			})
		}
		s.add(line...)
	}
	return s
}

// Curve returns the profile of a ranked method.
func (p Profile) Curve(method string) ProfileCurve {
	i := slices.IndexFunc(p.Curves, func(c ProfileCurve) bool { return c.Method == method })
	return p.Curves[i]
}

func (b *Leaderboard) taskSheet() sheet {
	s := sheet{
		caption: "tasks, with the trials that all methods have of those that any has",
		header:  []string{"problem", "dim", "batch", "evals", "init", "trials", "start", "best known"}, left: 1,
	}
	for _, c := range b.Tasks {
		s.add(append(c.words(), words(fmt.Sprintf("%d of %d", c.Trials, c.Most), fmt.Sprintf("%.4g", c.Start), fmt.Sprintf("%.4g", c.Best))...)...)
	}
	return s
}

func (c BoardTask) words() []entry {
	return words(c.Problem, strconv.Itoa(c.Dim), strconv.Itoa(c.Batch), strconv.Itoa(c.Evals), strconv.Itoa(c.Init))
}

func (b *Leaderboard) leftSheet() sheet {
	s := sheet{caption: "tasks that do not count", header: []string{"problem", "why", "dim", "batch", "evals", "init"}, left: 2}
	for _, t := range b.LeftTasks {
		why := "no trial in common"
		switch n := len(t.Missing); {
		case n == len(b.Standings):
			why = "no ranked method has it"
		case n > 0:
			why = "without " + strings.Join(t.Missing, ", ")
		}
		s.add(slices.Insert(t.words(), 1, words(why)...)...)
	}
	return s
}
