package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
)

// errQuit ends a run at the prompt.
var errQuit = errors.New("quit")

// runPrompt has the trials evaluated by a person.
func (r *optimisation) runPrompt(ctx context.Context) error {
	p := &prompt{Source: r, space: r.had.Config.Space, lines: readLines(ctx, r.in), out: r.err}
	o := r.options()
	o.Source, o.Evaluator = p, p
	o.OnResult = func(t evaluate.Result, g evaluate.Progress) error {
		r.note(t)
		if r.best != nil {
			fmt.Fprintf(r.err, "best %.6g after %d of %d trials\n", *r.best, g.Done+finished(r.had), r.total)
		}
		return nil
	}
	return evaluate.Run(ctx, o)
}

// prompt shows every batch as a table and asks for the values of its trials.
type prompt struct {
	evaluate.Source
	space *space.Space
	lines <-chan string
	out   io.Writer
}

// readLines reads in the background, so that Ctrl-C ends a question. The channel is
// closed at the end of the input.
func readLines(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		scan := bufio.NewScanner(in)
		for scan.Scan() {
			select {
			case lines <- scan.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// Ask shows the trials it gets.
func (p *prompt) Ask(ctx context.Context, n int) ([]evaluate.Trial, error) {
	trials, err := p.Source.Ask(ctx, n)
	if err == nil && len(trials) > 0 {
		err = p.table(trials)
	}
	return trials, err
}

// lineWidth is that of the narrowest terminals that are common.
const lineWidth = 80

// table has a row per parameter and a column per trial, and goes on below when a line is full.
func (p *prompt) table(trials []evaluate.Trial) error {
	names := []string{fmt.Sprintf("batch %d", trials[0].Batch)}
	for _, param := range p.space.Params() {
		name := param.Name
		if param.Unit != "" {
			name += " (" + param.Unit + ")"
		}
		names = append(names, name)
	}
	var columns [][]string
	for _, t := range trials {
		column := []string{fmt.Sprintf("trial %d", t.Number)}
		for _, param := range p.space.Params() {
			value, _ := t.Params.Get(param.Name)
			column = append(column, shortValue(value))
		}
		columns = append(columns, column)
	}
	for len(columns) > 0 {
		n, width := 0, widest(names)
		for n < len(columns) && (n == 0 || width+2+widest(columns[n]) <= lineWidth) {
			width += 2 + widest(columns[n])
			n++
		}
		w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w)
		for i, name := range names {
			for _, column := range columns[:n] {
				name += "\t" + column[i]
			}
			fmt.Fprintln(w, name)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		columns = columns[n:]
	}
	_, err := fmt.Fprintln(p.out)
	return err
}

// widest is the length of the longest text.
func widest(texts []string) (width int) {
	for _, text := range texts {
		width = max(width, utf8.RuneCountInString(text))
	}
	return width
}

// Evaluate asks for the value of a trial until the answer can be understood.
func (p *prompt) Evaluate(ctx context.Context, number int, _ space.Params) (evaluate.Outcome, error) {
	for {
		fmt.Fprintf(p.out, "trial %d, %s: ", number, p.wanted())
		select {
		case <-ctx.Done():
			fmt.Fprintln(p.out)
			return evaluate.Outcome{}, ctx.Err()
		case line, open := <-p.lines:
			if !open { // the reader stops for Ctrl-C too
				fmt.Fprintln(p.out)
				return evaluate.Outcome{}, cmp.Or(ctx.Err(), errQuit)
			}
			o, err := p.parse(line)
			if err == nil || errors.Is(err, errQuit) {
				return o, err
			}
			fmt.Fprintln(p.out, err)
		}
	}
}

// needed are the outcomes to ask for, none where the study has one value.
func (p *prompt) needed() (names []string) {
	for _, o := range p.space.Outcomes() {
		if o.Goal != "" || o.AtMost != nil || o.AtLeast != nil {
			names = append(names, o.Name)
		}
	}
	return names
}

func (p *prompt) wanted() string {
	if names := p.needed(); len(names) > 0 {
		return strings.Join(names, ", ")
	}
	return "value"
}

// parse reads an answer: with several outcomes their numbers in order, or by name.
func (p *prompt) parse(line string) (evaluate.Outcome, error) {
	names, words := p.needed(), strings.Fields(strings.ReplaceAll(line, ",", " "))
	if len(names) == 0 {
		return parseAnswer(line)
	}
	if o, err := parseAnswer(line); len(words) > 0 && (errors.Is(err, errQuit) || err == nil && o.State != evaluate.Complete) {
		return o, err
	}
	byName := len(words) > 0 && strings.Contains(words[0], "=")
	if !byName && len(words) != len(names) {
		return evaluate.Outcome{}, fmt.Errorf("enter %d numbers, of %s, or NAME=VALUE; or: fail [reason], infeasible [reason], quit", len(names), strings.Join(names, ", "))
	}
	if !byName {
		for i := range words {
			words[i] = names[i] + "=" + words[i]
		}
	}
	values, stds, err := readOutcomes(words)
	if err != nil {
		return evaluate.Outcome{}, err
	}
	for name := range values {
		if !slices.ContainsFunc(p.space.Outcomes(), func(o space.Outcome) bool { return o.Name == name }) {
			return evaluate.Outcome{}, fmt.Errorf("%q is no outcome of the study: they are %s", name, strings.Join(names, ", "))
		}
	}
	for _, name := range names {
		if _, ok := values[name]; !ok {
			return evaluate.Outcome{}, fmt.Errorf("there is no %s: enter all of %s", name, strings.Join(names, ", "))
		}
	}
	o := evaluate.Outcome{State: evaluate.Complete, Outcomes: values, Stds: stds}
	return o, o.Validate()
}

// parseAnswer reads a number, or a word and a reason.
func parseAnswer(line string) (evaluate.Outcome, error) {
	word, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
	reason = strings.TrimSpace(reason)
	switch word {
	case "quit":
		return evaluate.Outcome{}, errQuit
	case "fail":
		return evaluate.Outcome{State: evaluate.Failed, Reason: reason}, nil
	case "infeasible":
		return evaluate.Outcome{State: evaluate.Infeasible, Reason: reason}, nil
	}
	o := evaluate.Outcome{State: evaluate.Complete}
	var err error
	if o.Value, o.Std, err = readValue(line); err == nil {
		err = o.Validate()
	}
	if err != nil {
		err = fmt.Errorf("%w; enter a number as 0.25 or 0.25±0.01, or: fail [reason], infeasible [reason], quit", err)
	}
	return o, err
}
