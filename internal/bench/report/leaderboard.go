package report

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/mahabo/mahabo/internal/bench"
	"github.com/mahabo/mahabo/internal/figure"
)

// standingPanels draws the mean ranks with their 95 % intervals, and the CPU seconds of a trial, a line per method.
func standingPanels(b *bench.Leaderboard, styles map[string]draw.LineStyle) (ranks, costs *plot.Plot, size vg.Point, err error) {
	ranks, costs = plot.New(), plot.New()
	figure.Dress(ranks, "quality: mean rank, 95 % interval", "mean rank (lower is better)", "")
	figure.Dress(costs, "cost: CPU seconds of a trial", "CPU seconds", "")
	lowest, highest := math.Inf(1), 0.0
	label := figure.TextStyle(8)
	for i, s := range b.Standings {
		y := float64(len(b.Standings) - i)
		if s.Low != nil && *s.Low < *s.High {
			ranks.Add(bar(*s.Low, *s.High, y, styles[s.Method]))
		}
		for _, mark := range []struct {
			p *plot.Plot
			x float64
		}{{ranks, s.MeanRank}, {costs, s.CPUSeconds}} {
			dot, err := plotter.NewScatter(plotter.XYs{{X: mark.x, Y: y}})
			if err != nil {
				return nil, nil, size, fmt.Errorf("%s: %w", s.Method, err)
			}
			dot.GlyphStyle = draw.GlyphStyle{Color: styles[s.Method].Color, Radius: vg.Points(3), Shape: draw.CircleGlyph{}}
			mark.p.Add(dot)
		}
		lowest, highest = min(lowest, s.CPUSeconds), max(highest, s.CPUSeconds)
		size.X = max(size.X, label.Width(s.Method))
	}
	room := size.X / 6 // between names and axis: a reader's font may be wider
	size = vg.Point{X: size.X + room + 6*vg.Centimeter, Y: vg.Length(len(b.Standings))*0.5*vg.Centimeter + 1.8*vg.Centimeter}
	for _, p := range []*plot.Plot{ranks, costs} {
		p.Y.Tick.Marker, p.Y.Tick.Label.Font.Size = names(b), 8
		p.Y.Tick.Length, p.Y.Tick.Color = room, color.Transparent
		p.Y.Min, p.Y.Max = 0.5, float64(len(b.Standings))+0.5
	}
	ranks.X.Min, ranks.X.Max, ranks.X.Tick.Marker = 0.9, float64(len(b.Standings))+0.1, plot.TickerFunc(figure.LinearTicks)
	costs.X.Min, costs.X.Max, costs.X.Tick.Marker = 0, max(1e-3, 1.05*highest), plot.TickerFunc(figure.LinearTicks)
	if lowest > 0 {
		costs.X.Scale, costs.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(figure.LogTicks)
		costs.X.Min, costs.X.Max = decades(lowest, highest)
	}
	return ranks, costs, size, nil
}

// decades are the powers of ten around a range.
func decades(low, high float64) (float64, float64) {
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	return math.Pow(10, from), math.Pow(10, max(to, from+1))
}

// names are the methods as ticks, the first one at the top.
func names(b *bench.Leaderboard) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for i, s := range b.Standings {
		ticks = append(ticks, plot.Tick{Value: float64(len(b.Standings) - i), Label: s.Method})
	}
	return ticks
}

func bar(from, to, y float64, style draw.LineStyle) *plotter.Line {
	style.Width, style.Dashes = vg.Points(2), nil
	return &plotter.Line{XYs: plotter.XYs{{X: from, Y: y}, {X: to, Y: y}}, LineStyle: style}
}

// profilePanels draws the data profiles, one panel per target.
func profilePanels(b *bench.Leaderboard, styles map[string]draw.LineStyle) ([]*plot.Plot, error) {
	var panels []*plot.Plot
	first, last := float64(b.Evaluations[0]), float64(b.Evaluations[len(b.Evaluations)-1])
	for _, profile := range b.Profiles {
		p := plot.New()
		figure.Dress(p, "target: "+profile.Target(), "evaluations", "share of tasks solved")
		for _, c := range profile.Curves { // bands first: no line is hidden
			band, err := plotter.NewPolygon(profileBand(b.Evaluations, c))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Method, err)
			}
			shade := styles[c.Method].Color.(color.NRGBA)
			shade.A = 0x28
			band.Color, band.LineStyle.Width = shade, 0
			p.Add(band)
		}
		for _, c := range profile.Curves {
			xys := make(plotter.XYs, len(c.Solved))
			for i, v := range c.Solved {
				xys[i] = plotter.XY{X: float64(b.Evaluations[i]), Y: v}
			}
			p.Add(&plotter.Line{XYs: xys, LineStyle: styles[c.Method]})
		}
		p.X.Scale, p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(figure.LogTicks), plot.TickerFunc(figure.LinearTicks)
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = first, max(last, 1.1*first), 0, 1
		panels = append(panels, p)
	}
	return panels, nil
}

// profileBand is the outline of share ± standard error, between 0 and 1.
func profileBand(at []int, c bench.ProfileCurve) plotter.XYs {
	outline := make(plotter.XYs, 2*len(at))
	for i, n := range at {
		outline[i] = plotter.XY{X: float64(n), Y: min(1, c.Solved[i]+c.SE[i])}
		outline[len(outline)-1-i] = plotter.XY{X: float64(n), Y: max(0, c.Solved[i]-c.SE[i])}
	}
	return outline
}
