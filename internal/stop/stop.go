package stop

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/mahabo/mahabo/internal/hint"
)

// Curve is what a trial has reported.
type Curve struct {
	Number int
	At     []float64 // coordinates of its point
	Steps  []int64   // increasing
	Values []float64
	Done   bool    // the trial is complete
	Final  float64 // its outcome then
}

// last is the highest step, 0 without any.
func (c Curve) last() int64 {
	if len(c.Steps) == 0 {
		return 0
	}
	return c.Steps[len(c.Steps)-1]
}

// from is the index of the first report at a step or behind it.
func (c Curve) from(step int64) int {
	return sort.Search(len(c.Steps), func(i int) bool { return c.Steps[i] >= step })
}

// Rule decides whether a trial goes on.
type Rule struct {
	name    string
	options []option // all of them, in order
}

// option is a number that a rule can be given.
type option struct {
	key, meaning string
	value        float64
	least, most  float64
	whole        bool
	given        bool
}

// known are the rules and their options with the defaults.
func known() []Rule {
	after := func(n float64, meaning string) option {
		return option{key: "after", meaning: meaning, value: n, least: 1, most: 1e6, whole: true}
	}
	return []Rule{
		{"gain", []option{
			{key: "keep", meaning: "share of the trials at a rung that go on in any case", value: 0.25, least: 0.01, most: 1},
			{key: "chance", meaning: "others are stopped when they are less likely than this to become the best", value: 0.25, least: 0.01, most: 0.5},
		}},
		{"asha", []option{
			{key: "factor", meaning: "one of so many trials goes on at a rung; the next rung is so many times further", value: 4, least: 2, most: 100, whole: true},
			{key: "first", meaning: "step of the first rung; 0: two rungs before the last step of complete trials", value: 0, least: 0, most: 1e15, whole: true},
			{key: "window", meaning: "so many of the latest trials at a rung are compared with; 0 for all", value: 0, least: 0, most: 1e6, whole: true},
			after(10, "trials that have reached a rung before it stops any"),
		}},
		{"median", []option{
			{key: "warmup", meaning: "steps before which no trial is stopped", value: 0, least: 0, most: 1e15, whole: true},
			after(5, "complete trials before any is stopped"),
		}},
		{"curve", []option{
			{key: "chance", meaning: "a trial is stopped when it is less likely than this to become the best", value: 0.05, least: 1e-6, most: 0.5},
			after(5, "complete trials before any is stopped"),
		}},
	}
}

// Names lists the rules.
func Names() (names []string) {
	for _, r := range known() {
		names = append(names, r.name)
	}
	return names
}

// Parse reads a rule, name:key=value,... An empty text and none are no rule: nil.
func Parse(text string) (*Rule, error) {
	if text == "" || text == "none" {
		return nil, nil
	}
	name, rest, _ := strings.Cut(text, ":")
	all := known()
	i := slices.IndexFunc(all, func(r Rule) bool { return r.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no rule %q%s: write one of %s, or none", name, hint.DidYouMean(name, Names()), strings.Join(Names(), ", "))
	}
	r := all[i]
	for part := range strings.SplitSeq(rest, ",") {
		if part == "" {
			continue
		}
		if err := r.set(part); err != nil {
			return nil, fmt.Errorf("rule %s: %w", name, err)
		}
	}
	return &r, nil
}

func (r *Rule) set(part string) error {
	key, text, ok := strings.Cut(part, "=")
	i := slices.IndexFunc(r.options, func(o option) bool { return o.key == key })
	if !ok || i < 0 {
		var keys []string
		for _, o := range r.options {
			keys = append(keys, o.key)
		}
		return fmt.Errorf("%q is no option: write KEY=VALUE with one of %s", part, strings.Join(keys, ", "))
	}
	o := &r.options[i]
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= o.least && v <= o.most) || o.whole && v != math.Trunc(v) {
		kind := "number"
		if o.whole {
			kind = "whole number"
		}
		return fmt.Errorf("%s is %q: write a %s from %g to %g", key, text, kind, o.least, o.most)
	}
	o.value, o.given = v, true
	return nil
}

// String is the rule as Parse reads it, with the options that were given.
func (r *Rule) String() string {
	if r == nil {
		return ""
	}
	var parts []string
	for _, o := range r.options {
		if o.given {
			parts = append(parts, o.key+"="+strconv.FormatFloat(o.value, 'g', -1, 64))
		}
	}
	if len(parts) == 0 {
		return r.name
	}
	return r.name + ":" + strings.Join(parts, ",")
}

// Describe lists the rules and their options for people.
func Describe() string {
	var b strings.Builder
	for _, r := range known() {
		fmt.Fprintf(&b, "%s\n", r.name)
		for _, o := range r.options {
			fmt.Fprintf(&b, "  %s  %s (%g)\n", o.key, o.meaning, o.value)
		}
	}
	return b.String()
}

func (r *Rule) option(key string) float64 {
	for _, o := range r.options {
		if o.key == key {
			return o.value
		}
	}
	return math.NaN()
}

// Decide says why a trial should end, "" when it should go on. Its values from index fresh on are
// new; each of them is looked at as if it had come alone. The others are in the order of their numbers.
func (r *Rule) Decide(one Curve, fresh int, others []Curve) string {
	if r == nil || fresh >= len(one.Steps) {
		return ""
	}
	switch r.name {
	case "gain":
		return r.gain(one, fresh, others)
	case "asha":
		return r.asha(one, fresh, others)
	case "median":
		return r.median(one, fresh, others)
	}
	return r.curve(one, fresh, others)
}

// longest is the last step of the complete trials, 0 when there is none with reports.
func longest(others []Curve) (step int64) {
	for _, c := range others {
		if c.Done {
			step = max(step, c.last())
		}
	}
	return step
}

// autoRungs is how many rungs there are before the last step, unless the first is given.
const autoRungs = 2

// rungs are the steps up to one at which trials are compared; long is the last step of complete trials.
func (r *Rule) rungs(to, long int64) (list []float64) {
	factor := r.option("factor")
	add := func(rung float64) {
		if rung >= 1 && rung <= float64(to) {
			list = append(list, rung)
		}
	}
	if first := r.option("first"); first > 0 {
		for rung := first; rung <= float64(to); rung = math.Ceil(rung * factor) {
			add(rung)
		}
		return list
	}
	for k := autoRungs; k > 0; k-- {
		add(math.Floor(float64(long) * math.Pow(factor, float64(-k))))
	}
	return list
}

// asha stops a trial that is not among the best at a rung. Whoever reaches a rung is compared with
// those that were there before, and nobody waits.
func (r *Rule) asha(one Curve, fresh int, others []Curve) string {
	factor := r.option("factor")
	for _, rung := range r.rungs(one.last(), longest(others)) {
		i := one.from(int64(rung))
		if i < fresh {
			continue // it was compared there before
		}
		var values []float64
		for _, c := range others {
			if k := c.from(int64(rung)); k < len(c.Steps) {
				values = append(values, c.Values[k])
			}
		}
		enough := len(values) >= int(r.option("after"))
		if window := int(r.option("window")); window > 0 {
			values = values[max(0, len(values)-window):]
		}
		better := 0
		for _, v := range values {
			if v < one.Values[i] {
				better++
			}
		}
		keep := max(1, (len(values)+1)/int(factor))
		if enough && better >= keep {
			return fmt.Sprintf("asha: place %d of %d at step %d, and %d go on", better+1, len(values)+1, one.Steps[i], keep)
		}
	}
	return ""
}

// median stops a trial whose best value is worse than what half of the complete trials had by then.
func (r *Rule) median(one Curve, fresh int, others []Curve) string {
	best := math.Inf(1)
	for _, v := range one.Values[:fresh] {
		best = math.Min(best, v)
	}
	for i := fresh; i < len(one.Steps); i++ {
		best = math.Min(best, one.Values[i])
		if float64(one.Steps[i]) <= r.option("warmup") {
			continue
		}
		var values []float64
		for _, c := range others {
			// The value at the step, or the last before it.
			if k := c.from(one.Steps[i] + 1); c.Done && k > 0 && c.last() >= one.Steps[i] {
				values = append(values, c.Values[k-1])
			}
		}
		if len(values) < int(r.option("after")) {
			continue
		}
		slices.Sort(values)
		middle := (values[(len(values)-1)/2] + values[len(values)/2]) / 2
		if best > middle {
			return fmt.Sprintf("median: the best value up to step %d is worse than what half of %d complete trials had there", one.Steps[i], len(values))
		}
	}
	return ""
}

// checks is how often a curve is extrapolated on its way to the last step.
const checks = 20

// mostChecked is how many complete trials say how far off extrapolations are.
const mostChecked = 20

// curve stops a trial that is unlikely to become the best when it goes on to the last step of the
// complete ones. The doubt has two parts: what the fit leaves open, and how far off the same fit
// would have been on complete trials at the same step.
func (r *Rule) curve(one Curve, fresh int, others []Curve) string {
	last := longest(others)
	best, done := math.Inf(1), []Curve(nil)
	for _, c := range others {
		if c.Done {
			best = math.Min(best, c.Final)
			if len(c.Steps) > 0 {
				done = append(done, c)
			}
		}
	}
	if len(done) < int(r.option("after")) {
		return ""
	}
	slices.SortFunc(done, func(a, b Curve) int { return cmp.Compare(b.Number, a.Number) })
	for i := fresh; i < len(one.Steps) && one.Steps[i] < last; i++ {
		place := part(one.Steps[i], last)
		if place == 0 || i > 0 && part(one.Steps[i-1], last) == place || i+1 < leastPoints {
			continue
		}
		mean, std := Extrapolate(one.Steps[:i+1], one.Values[:i+1], last)
		missed, count := 0.0, 0
		for _, c := range done[:min(len(done), mostChecked)] {
			k := c.from(one.Steps[i] + 1)
			if k < leastPoints {
				continue
			}
			m, _ := Extrapolate(c.Steps[:k], c.Values[:k], c.last())
			missed = math.Hypot(missed, c.Final-m)
			count++
		}
		if count < int(r.option("after")) || math.IsNaN(mean) {
			continue
		}
		doubt := math.Hypot(std, missed/math.Sqrt(float64(count)))
		chance := normalBelow((best - mean) / math.Max(doubt, math.SmallestNonzeroFloat64))
		if chance < r.option("chance") {
			return fmt.Sprintf("curve: at step %d it is %.2g %% likely to become the best: expected %.4g ± %.2g at step %d, the best is %.4g",
				one.Steps[i], 100*chance, mean, doubt, last, best)
		}
	}
	return ""
}

// part says in which of the parts of the way to the last step a step before it lies.
func part(step, last int64) uint64 {
	high, low := bits.Mul64(uint64(step), checks) // nanoseconds of a clock times checks are too many for one word
	p, _ := bits.Div64(high, low, uint64(last))
	return p
}

func normalBelow(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
