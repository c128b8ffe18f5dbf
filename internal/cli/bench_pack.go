package cli

import (
	"fmt"

	"github.com/mahabo/mahabo/internal/bench"
)

type benchPackCmd struct {
	Dirs []string `arg:"" name:"dir" help:"Results folders."`
}

// Help is the long help.
func (*benchPackCmd) Help() string {
	return `The trials move from trials.jsonl to trials.jsonl.gz, which is about twenty times smaller; the same trials give the same bytes. All commands read both files, and mahabo bench run goes on in a new trials.jsonl.

Example:

  mahabo bench pack results/paper`
}

// Run compresses the folders.
func (c *benchPackCmd) Run(s streams) error {
	for _, dir := range c.Dirs {
		n, err := bench.Pack(dir, func(note string) { fmt.Fprintln(s.err, "mahabo: "+note) })
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(s.out, "%s: %d trials compressed\n", dir, n); err != nil {
			return err
		}
	}
	return nil
}
