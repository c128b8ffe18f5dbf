package bench

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// ranking is the methods that are ranked, with the trials that all of them have.
type ranking struct {
	methods []string
	tasks   []commonTask
	trials  map[string][]Trial // of a method on these tasks, common to all methods or not
}

// commonTask is a task with its common trials.
type commonTask struct {
	BoardTask
	runs [][]*Trial // by trial and method
}

// common collects the trials of the chosen methods.
func (a *trialIndex) common(chosen []int) *ranking {
	f := &ranking{trials: map[string][]Trial{}}
	for _, m := range chosen {
		f.methods = append(f.methods, a.methods[m])
	}
	for _, i := range a.shared(chosen) {
		s := commonTask{BoardTask: a.measured(i, chosen)}
		for _, r := range a.runs[i] {
			var of []*Trial
			for _, m := range chosen {
				if t := r.of[m]; t != nil {
					f.trials[t.Method] = append(f.trials[t.Method], *t)
					of = append(of, t)
				}
			}
			if len(of) == len(chosen) {
				s.runs = append(s.runs, of)
			}
		}
		f.tasks = append(f.tasks, s)
	}
	return f
}

const (
	resamples     = 2000
	bootstrapSeed = 1
)

// uncertain says whether there is more than one trial to draw from.
func (f *ranking) uncertain() bool { return len(f.tasks) > 1 || len(f.tasks[0].runs) > 1 }

// each visits the trials with their weights: tasks count the same, and trials within a task.
func (f *ranking) each(visit func(task, trial int, weight float64)) {
	for i, s := range f.tasks {
		for k := range s.runs {
			visit(i, k, 1/float64(len(f.tasks)*len(s.runs)))
		}
	}
}

// draw visits one resample: as many tasks as there are, and for each as many trials as it has.
func (f *ranking) draw(random *rand.Rand, visit func(task, trial int, weight float64)) {
	for range f.tasks {
		i := random.IntN(len(f.tasks))
		n := len(f.tasks[i].runs)
		for range n {
			visit(i, random.IntN(n), 1/float64(len(f.tasks)*n))
		}
	}
}

// standings computes mean ranks, their uncertainty, and costs, in the order of the methods.
func (f *ranking) standings() []Standing {
	ranks := make([][][]float64, len(f.tasks))
	list := make([]Standing, len(f.methods))
	for i, s := range f.tasks {
		for _, of := range s.runs {
			values := make([]float64, len(of))
			for m, t := range of {
				values[m] = t.Best
			}
			ranks[i] = append(ranks[i], meanRanks(values))
		}
	}
	f.each(func(i, k int, weight float64) {
		for m, r := range ranks[i][k] {
			list[m].MeanRank += weight * r
			list[m].CPUSeconds += weight * f.tasks[i].runs[k][m].CPUSeconds
		}
	})
	for m := range list {
		list[m].Method = f.methods[m]
	}
	if f.uncertain() {
		f.bootstrap(ranks, list)
	}
	return list
}

// bootstrap fills in the uncertainty of the mean ranks.
func (f *ranking) bootstrap(ranks [][][]float64, list []Standing) {
	random := rand.New(rand.NewPCG(bootstrapSeed, 0))
	drawn := make([][]float64, len(list)) // by method and resample
	first := make([]float64, len(list))
	for range resamples {
		mean := make([]float64, len(list))
		f.draw(random, func(i, k int, weight float64) {
			for m, r := range ranks[i][k] {
				mean[m] += weight * r
			}
		})
		lowest := slices.Min(mean)
		for m, v := range mean {
			drawn[m] = append(drawn[m], v)
			if v <= lowest+1e-9 { // equal up to the order of a sum
				first[m] += 1. / resamples
			}
		}
	}
	for m := range list {
		slices.Sort(drawn[m])
		sd := deviation(drawn[m])
		low, high := drawn[m][resamples/40], drawn[m][resamples-1-resamples/40]
		list[m].SE, list[m].Low, list[m].High, list[m].First = &sd, &low, &high, &first[m]
	}
}

// deviation is the standard deviation of resampled means, which is the standard error of the mean. Differences
// from the first value make it zero when all are equal.
func deviation(values []float64) float64 {
	_, se := meanSE(values, func(v float64) float64 { return v - values[0] })
	return *se * math.Sqrt(float64(len(values)))
}

// meanRanks ranks values from 1, the lowest; equal ones share the mean of their ranks.
func meanRanks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranks := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+1+j) / 2 // mean of i+1 .. j
		}
		i = j
	}
	return ranks
}
