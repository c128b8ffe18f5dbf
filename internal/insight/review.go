package insight

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/mahabo/mahabo/internal/progress"
	"github.com/mahabo/mahabo/study"
)

// Review is an analysis and what the same analysis said of the first trials.
type Review struct {
	*Analysis
	Drift []Earlier `json:"drift"` // earliest first

	asker *asker // for questions about the model
}

// Earlier is what an analysis said when there were fewer trials.
type Earlier struct {
	Trials     int       `json:"trials"`
	Structure  Structure `json:"structure"`
	Directions int       `json:"directions"` // supported ones
	Share      float64   `json:"share"`      // of the gradient energy that they held
	Cosine     *float64  `json:"cosine"`     // of the first direction with today's; nil when either is not supported
}

const (
	fewestEarlier = 16  // trials
	mostEarlier   = 3   // the first half, quarter and eighth: together they cost less than the whole
	mostEncoded   = 2e7 // numbers; of larger studies only the relevant trials are encoded
	wholeShare    = 0.7 // of the work that the analysis of all trials is
)

// ReviewTrials analyses the complete trials of a study, and their first half, quarter and
// eighth in the order in which they were told.
func ReviewTrials(ctx context.Context, c study.Config, trials []study.Trial) (*Review, error) {
	complete := slices.DeleteFunc(slices.Clone(trials), func(t study.Trial) bool { return t.Value == nil || t.Excluded })
	slices.SortFunc(complete, func(a, b study.Trial) int { return cmp.Or(a.Told.Compare(b.Told), cmp.Compare(a.Number, b.Number)) })
	data, err := FromTrials(c, lighter(c, complete))
	if err != nil {
		return nil, err
	}
	quiet := progress.With(ctx, func(string, float64) {})
	whole := progress.With(ctx, func(what string, share float64) { progress.Report(ctx, what, wholeShare*share) })
	now, err := analyse(whole, data, false)
	if err != nil {
		return nil, err
	}
	r := &Review{Analysis: now.out, Drift: []Earlier{}, asker: &asker{analyst: now}}
	all := data.Observations
	for k := mostEarlier; k > 0; k-- {
		data.Observations = all[:len(all)>>k]
		if len(data.Observations) < fewestEarlier {
			continue
		}
		progress.Report(ctx, "what the first trials showed", wholeShare+(1-wholeShare)*float64(mostEarlier-k)/mostEarlier)
		then, err := analyse(quiet, data, true)
		if err != nil {
			return nil, err
		}
		r.Drift = append(r.Drift, r.earlier(then.out, len(complete)>>k))
	}
	return r, nil
}

// lighter keeps what fits in memory as points of the box.
func lighter(c study.Config, complete []study.Trial) []study.Trial {
	if float64(len(complete)*c.Space.Dim()) <= mostEncoded {
		return complete
	}
	y := make([]float64, len(complete))
	for i, t := range complete {
		y[i] = *t.Value
		if c.Goal == study.Maximize {
			y[i] = -y[i]
		}
	}
	var kept []study.Trial
	for _, i := range relevant(y, c.Space.Dim()) {
		kept = append(kept, complete[i])
	}
	return kept
}

// earlier compares an analysis with today's.
func (r *Review) earlier(then *Analysis, trials int) Earlier {
	e := Earlier{Trials: trials, Structure: then.Structure, Directions: len(then.Directions)}
	for _, d := range then.Directions {
		e.Share += d.Share
	}
	if len(then.Directions) > 0 && len(r.Directions) > 0 {
		c := cosine(then.Directions[0], r.Directions[0])
		e.Cosine = &c
	}
	return e
}

// cosine is how far two directions are the same; their signs do not count.
func cosine(a, b Direction) float64 {
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
