package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/mahabo/mahabo/internal/problem"
)

type methodsCmd struct {
	Names []string `arg:"" optional:"" help:"Methods to explain; all when there is none."`
	JSON  bool     `name:"json" help:"Print JSON."`
}

// methodInfo is one method in JSON.
type methodInfo struct {
	Name      string       `json:"name"`
	Summary   string       `json:"summary"`
	Reference string       `json:"reference"`
	Batch     bool         `json:"batch"`
	Options   []optionInfo `json:"options"`
}

type optionInfo struct {
	Key     string `json:"key"`
	Default string `json:"default"`
	Meaning string `json:"meaning"`
}

// Help is the long help.
func (*methodsCmd) Help() string {
	return `Examples:

  mahabo methods

  mahabo methods adaptive turbo

  mahabo study create rig --space space.yaml --method turbo:m=2`
}

// Run lists the methods.
func (c *methodsCmd) Run(s streams) error {
	methods := s.methods.Methods()
	if len(c.Names) > 0 {
		methods = nil
	}
	for _, name := range c.Names {
		m, err := s.methods.Find(name)
		if err != nil {
			return usagef("%v", err)
		}
		methods = append(methods, m)
	}
	var infos []methodInfo
	for _, m := range methods {
		info := methodInfo{m.Name, m.Summary, m.Reference, m.Batch, []optionInfo{}}
		for _, o := range m.Options {
			info.Options = append(info.Options, optionInfo(o))
		}
		infos = append(infos, info)
	}
	if c.JSON {
		return writeJSON(s.out, infos)
	}
	var b strings.Builder
	for _, m := range infos {
		fmt.Fprintf(&b, "%s  %s\n", m.Name, m.Summary)
		for _, o := range m.Options {
			fmt.Fprintf(&b, "    %s=%s  %s\n", o.Key, o.Default, o.Meaning)
		}
		if !m.Batch {
			b.WriteString("    one point at a time\n")
		}
		fmt.Fprintf(&b, "    %s\n", m.Reference)
	}
	_, err := io.WriteString(s.out, b.String())
	return err
}

type problemsCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// problemInfo is one problem in JSON.
type problemInfo struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Dim         int      `json:"dim"`     // its own number of parameters
	Minimum     *float64 `json:"minimum"` // null when unknown
}

// Help is the long help.
func (*problemsCmd) Help() string {
	return `Examples:

  mahabo problems

  mahabo minimize --problem branin:embed=axis,noise=0.01 --dim 100 --evals 50`
}

// Run lists the problems.
func (c *problemsCmd) Run(s streams) error {
	var infos []problemInfo
	for _, p := range problem.All() {
		info := problemInfo{Name: p.Name, Description: p.Description, Dim: p.Dim}
		if !math.IsNaN(p.Minimum) {
			info.Minimum = &p.Minimum
		}
		infos = append(infos, info)
	}
	if c.JSON {
		return writeJSON(s.out, infos)
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "name\tparameters\tminimum\tdescription")
	for _, p := range infos {
		minimum := "unknown"
		if p.Minimum != nil {
			minimum = fmt.Sprintf("%.6g", *p.Minimum)
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", p.Name, p.Dim, minimum, p.Description)
	}
	fmt.Fprintln(w, "\nOptions, as in branin:embed=axis,noise=0.01:")
	for _, o := range problem.Options() {
		fmt.Fprintf(w, "  %s=%s\t\t\t%s\n", o.Key, o.Default, o.Meaning)
	}
	return w.Flush()
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
