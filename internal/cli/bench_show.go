package cli

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"github.com/mahabo/mahabo/internal/bench"
	"github.com/mahabo/mahabo/internal/bench/report"
)

// selection is which results a command shows.
type selection struct {
	Dirs    []string `arg:"" name:"dir" help:"Results folders."`
	Method  string   `placeholder:"M,..." help:"Only these methods."`
	Problem string   `placeholder:"P,..." help:"Only these problems."`
	Dim     []int    `placeholder:"D" help:"Only these numbers of parameters."`
	Batch   []int    `placeholder:"B" help:"Only these batch sizes."`
}

// filter is what the flags choose.
func (c *selection) filter() (f bench.Filter, err error) {
	f = bench.Filter{Dims: c.Dim, Batches: c.Batch}
	if c.Method != "" {
		if f.Methods, err = bench.SplitMethods(c.Method); err != nil {
			return f, usagef("--method: %w", err)
		}
	}
	if c.Problem != "" {
		if f.Problems, err = bench.SplitProblems(c.Problem); err != nil {
			return f, usagef("--problem: %w", err)
		}
	}
	return f, nil
}

// trials reads the folders and keeps what was chosen.
func (c *selection) trials() ([]bench.Trial, error) {
	f, err := c.filter()
	if err != nil {
		return nil, err
	}
	trials, err := bench.ReadAll(c.Dirs...)
	if err != nil {
		return nil, err
	}
	return f.Apply(trials)
}

type benchTableCmd struct {
	selection
	Layout string `default:"rows" enum:"rows,best,minutes,leaderboard" help:"rows: a line per cell; best or minutes: a line per method, as the paper prints it; leaderboard: mean ranks, wins and losses, shares of tasks solved (${default})."`
	Format string `default:"text" enum:"text,markdown,csv,latex,html,json" help:"text, markdown, csv, latex, html or json (${default})."`
	After  int    `placeholder:"N" help:"Best values after so many evaluations, of the trials that have as many; times are those of whole trials."`
}

// Help is the long help.
func (*benchTableCmd) Help() string {
	return `Examples:

  mahabo bench table results/paper --layout best --dim 1000 --format latex

  mahabo bench table results/paper --layout minutes --problem branin

  mahabo bench table results/field results/peers --layout leaderboard --format markdown

  mahabo bench table results/constrained --after 200

A leaderboard ranks methods on the tasks (problem, parameters, batch size, evaluations) and trials that all of them have, with the uncertainty of a bootstrap over tasks and trials; wins and losses are those of Wilcoxon's signed-rank test with Holm's correction; and a task is solved at a share of the way that is left from the initial design's median to the best known value. Methods that lack tasks of the others, and tasks that do not count, are listed; --method chooses other methods. docs/guides/benchmarks.md has the definitions.

Means are over the trials, with their standard errors. The lowest of a problem is bold where the format can. CSV has all digits, and json is the text of summary.json or, of a leaderboard, all its numbers.`
}

// Run writes the table.
func (c *benchTableCmd) Run(s streams) error {
	if c.After < 0 {
		return usagef("--after: it is %d: give a number of evaluations", c.After)
	}
	trials, err := c.trials()
	if err != nil {
		return err
	}
	if c.After > 0 {
		if trials, err = bench.After(trials, c.After); err != nil {
			return err
		}
	}
	if c.Layout == "leaderboard" {
		return c.leaderboard(s, trials)
	}
	rows := bench.Summarise(trials)
	switch {
	case c.Format == "json":
		return writeJSON(s.out, rows)
	case c.Layout == "best":
		return bench.Pivot(s.out, rows, bench.BestValue, format(c.Format))
	case c.Layout == "minutes":
		return bench.Pivot(s.out, rows, bench.Minutes, format(c.Format))
	}
	return bench.Table(s.out, rows, format(c.Format))
}

func (c *benchTableCmd) leaderboard(s streams, trials []bench.Trial) error {
	board, err := bench.Rank(trials)
	if err != nil {
		return err
	}
	if c.Format == "json" {
		return writeJSON(s.out, board)
	}
	return board.Write(s.out, format(c.Format))
}

type benchFigureCmd struct {
	selection
	Kind report.Kind `default:"curves" enum:"curves,rank,profile" help:"curves: best value by evaluation; rank: mean ranks beside CPU seconds; profile: share of tasks solved by evaluation (${default})."`
	Out  string      `required:"" placeholder:"FILE" help:"Image to write, .png, .svg or .pdf."`
}

// Help is the long help.
func (*benchFigureCmd) Help() string {
	return `One panel per problem, number of parameters and batch size: mean of the best value by evaluation, with a band of one standard error (68 %). Kinds rank and profile draw the leaderboard (mahabo bench table --help): mean ranks with 95 % intervals beside CPU seconds, and data profiles, one panel per target, with a band of one standard error.

Examples:

  mahabo bench figure results/paper --dim 1000 --batch 1 --problem branin,colville,goldstein,hartmann6,sixhump --out figure1.pdf

  mahabo bench figure results/paper --problem rover --out rover.png

  mahabo bench figure results/field --kind profile --out profiles.pdf`
}

// Run draws the figure.
func (c *benchFigureCmd) Run(s streams) error {
	image, err := report.ImageOf(c.Out)
	if err != nil {
		return usagef("--out: %w", err)
	}
	trials, err := c.trials()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := report.Figure(&b, trials, c.Kind, image); err != nil {
		return err
	}
	if err := writeFile(c.Out, b.Bytes()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, c.Out)
	return err
}

type benchReportCmd struct {
	selection
	Out   string `required:"" placeholder:"FILE" help:"Page to write, report.html."`
	Title string `default:"Benchmark results" placeholder:"TEXT" help:"Heading of the page (${default})."`
}

// Help is the long help.
func (*benchReportCmd) Help() string {
	return `The page is one HTML file that loads nothing else. Several folders make one page. It has a leaderboard where at least two methods share a task (mahabo bench table --help), data profiles, wins and losses, curves, tables, and how they were made.

Example:

  mahabo bench report results/paper --title "The paper, measured again" --out report.html`
}

// Run makes the page.
func (c *benchReportCmd) Run(s streams) error {
	trials, err := c.trials()
	if err != nil {
		return err
	}
	p := report.Page{Title: c.Title, Trials: trials, Command: commandLine(), Version: version(), Time: time.Now().UTC()}
	for _, dir := range c.Dirs {
		f, err := report.ReadFolder(dir)
		if err != nil {
			return err
		}
		p.Folders = append(p.Folders, f)
	}
	var b bytes.Buffer
	if err := report.HTML(&b, p); err != nil {
		return err
	}
	if err := writeFile(c.Out, b.Bytes()); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, c.Out)
	return err
}

// writeFile names the flag when a result cannot be kept.
func writeFile(name string, data []byte) error {
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return usagef("--out: %w", err)
	}
	return nil
}

type benchCompareCmd struct {
	Dir     string `arg:"" help:"Results folder."`
	Other   string `arg:"" optional:"" help:"Second folder: compare the two, trial by trial, instead of the paper."`
	Methods string `placeholder:"A,B" help:"Compare these two methods of the folder, trial by trial."`
	Format  string `default:"text" enum:"text,markdown,csv,latex,html" help:"text, markdown, csv, latex or html (${default})."`
	All     bool   `help:"List the paper's cells of methods that were not measured too."`
}

// Help is the long help.
func (*benchCompareCmd) Help() string {
	return `With the paper, the difference is (ours - paper)/sqrt(se² + se²); up to 2.5 either way it says nothing. Cells without a number are written as "-".

Two folders or two methods are compared on the trials that both have. p is that of Wilcoxon's signed-rank test, two-sided and exact up to 200 pairs; the adjusted p is Holm's for all lines. The effect is the rank-biserial correlation: 1 when the first is lower in every trial, -1 when it is higher.

Examples:

  mahabo bench compare results/branin --format markdown

  mahabo bench compare results/before results/after

  mahabo bench compare results/paper --methods maha:d=1,maha:d=true`
}

// Run writes the comparison.
func (c *benchCompareCmd) Run(s streams) error {
	if c.Other != "" && c.Methods != "" || c.All && (c.Other != "" || c.Methods != "") {
		return usagef("give a second folder, or --methods, or --all, not two of them")
	}
	trials, err := bench.Read(c.Dir)
	if err != nil {
		return err
	}
	switch {
	case c.Other != "":
		other, err := bench.Read(c.Other)
		if err != nil {
			return err
		}
		list, err := bench.PairFolders(trials, other)
		if err != nil {
			return err
		}
		return bench.ComparePaired(s.out, list, c.Dir, c.Other, format(c.Format))
	case c.Methods != "":
		names, err := bench.SplitMethods(c.Methods)
		if err != nil {
			return usagef("--methods: %w", err)
		}
		if len(names) != 2 {
			return usagef("--methods has %d methods: give two", len(names))
		}
		list, err := bench.PairMethods(trials, names[0], names[1])
		if err != nil {
			return err
		}
		return bench.ComparePaired(s.out, list, names[0], names[1], format(c.Format))
	}
	return bench.Compare(s.out, bench.Summarise(trials), c.All, format(c.Format))
}

// format is the table format of that name; the flags admit no other.
func format(name string) bench.Format {
	return map[string]bench.Format{
		"text": bench.Text, "markdown": bench.Markdown, "csv": bench.CSV, "latex": bench.LaTeX, "html": bench.HTML,
	}[name]
}
