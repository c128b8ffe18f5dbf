package report

import (
	"errors"
	"html/template"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mahabo/mahabo/internal/bench"
)

// board is the leaderboard on the page.
type board struct {
	*bench.Leaderboard
	StandingTable, PairTable, SolvedTable, TaskTable template.HTML
	Ranks, Curves                                    drawing
}

// newBoard returns nil when there is nothing to rank.
func newBoard(trials []bench.Trial, styles map[string]draw.LineStyle) (*board, error) {
	ranked, err := bench.Rank(trials)
	if errors.Is(err, bench.ErrNotComparable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	b := &board{Leaderboard: ranked}
	for part, dst := range map[bench.Part]*template.HTML{
		bench.StandingPart: &b.StandingTable, bench.PairPart: &b.PairTable, bench.SolvedPart: &b.SolvedTable, bench.TaskPart: &b.TaskTable,
	} {
		var text strings.Builder
		if err := ranked.Write(&text, bench.HTML, part); err != nil {
			return nil, err
		}
		*dst = template.HTML(text.String()) // package bench has escaped it
	}
	return b, b.draw(styles)
}

// draw makes the figures.
func (b *board) draw(styles map[string]draw.LineStyle) error {
	ranks, costs, size, err := standingPanels(b.Leaderboard, styles)
	if err != nil {
		return err
	}
	b.Ranks.Caption = "Quality beside cost, methods in the order of their mean ranks."
	for _, p := range []*plot.Plot{ranks, costs} {
		svg, err := pagePanel(p, size)
		if err != nil {
			return err
		}
		b.Ranks.Panels = append(b.Ranks.Panels, svg)
	}
	panels, err := profilePanels(b.Leaderboard, styles)
	if err != nil {
		return err
	}
	b.Curves.Caption = "Data profiles: share of tasks solved by evaluation, the initial design included, and one standard error (68 %)."
	for _, p := range panels {
		svg, err := pagePanel(p, curvePanel())
		if err != nil {
			return err
		}
		b.Curves.Panels = append(b.Curves.Panels, svg)
	}
	return nil
}
