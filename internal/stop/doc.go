// Package stop has the rules that end trials early, by what they and others have reported so far.
//
// A rule is a pure function of curves: values by step, of which lower is better, and where trials are in the
// space. It never sees a clock or a random number, so the same reports always lead to the same decisions.
//
//	gain    stops what is neither among the best at a rung nor likely to gain as much as it needs from
//	        there on, by what complete trials gained
//	asha    successive halving without waiting: Li et al., A system for massively parallel
//	        hyperparameter tuning, MLSys 2020, in the form that stops and never pauses
//	median  Golovin et al., Google Vizier, KDD 2017
//	curve   extrapolates a trial's own curve and says how sure that is
//
// Estimate says what a trial that was stopped would have come to.
package stop
