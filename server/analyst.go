package server

import (
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/insight"
	"github.com/mahabo/mahabo/study"
)

// finding is an analysis of the first trials of a study, in the order in which they
// were told.
type finding struct {
	trials   int
	analysis *insight.Analysis
}

// findings are the latest analysis and those of fewer trials.
type findings struct {
	finding
	earlier []finding
}

// analyst keeps the analyses of a study. One request at a time analyses, the others
// wait for what it finds.
type analyst struct {
	busy chan struct{} // holds one token
	last findings
}

func newAnalyst() *analyst { return &analyst{busy: make(chan struct{}, 1)} }

const (
	firstFinding = 16   // earlier analyses are of 16, 32, 64, ... trials
	fresh        = 0.9  // an analysis of so many of the trials is shown again
	mostAnalysed = 4000 // trials that are looked at; insight chooses among them
)

// findings analyses what is new.
func (a *analyst) findings(ctx context.Context, one *study.Study, sum study.Summary) (findings, error) {
	select {
	case a.busy <- struct{}{}:
		defer func() { <-a.busy }()
	case <-ctx.Done():
		return findings{}, ctx.Err()
	}
	complete := sum.States[study.Complete]
	if a.last.analysis != nil && float64(a.last.trials) >= fresh*float64(complete) {
		return a.last, nil
	}
	trials, _, err := one.Select(ctx, study.Query{States: []study.State{study.Complete}, Sort: study.ByTold})
	if err != nil {
		return findings{}, err
	}
	next := findings{earlier: slices.Clone(a.last.earlier)}
	for n := firstFinding << len(next.earlier); n < min(len(trials), mostAnalysed); n *= 2 {
		f, err := analyse(ctx, sum.Config, trials[:n])
		if err != nil {
			return findings{}, err
		}
		next.earlier = append(next.earlier, f)
		a.last.earlier = next.earlier // is not lost when the client leaves
	}
	if next.finding, err = analyse(ctx, sum.Config, trials); err != nil {
		return findings{}, err
	}
	a.last = next
	return next, nil
}

func analyse(ctx context.Context, c study.Config, trials []study.Trial) (finding, error) {
	data, err := insight.FromTrials(c, bestAndOthers(trials, c.Goal, mostAnalysed))
	if err != nil {
		return finding{}, err
	}
	analysis, err := insight.Analyse(ctx, data)
	return finding{len(trials), analysis}, err
}

// cosine is how far two directions are the same; their signs do not count.
func cosine(a, b insight.Direction) float64 {
	loadings := map[string]float64{}
	for _, l := range a.Loadings {
		loadings[l.Name()] = l.Value
	}
	var dot float64
	for _, l := range b.Loadings {
		dot += l.Value * loadings[l.Name()]
	}
	return math.Abs(dot)
}
