// Package stop has the rules that end trials early, by what they and others have reported so far.
//
// A rule is a pure function of curves: values by step, of which lower is better. It never sees a
// parameter, a clock or a random number, so the same reports always lead to the same decisions.
//
//	asha    successive halving without waiting: Li et al., A system for massively parallel
//	        hyperparameter tuning, MLSys 2020, in the form that stops and never pauses
//	median  Golovin et al., Google Vizier, KDD 2017
//	curve   extrapolates a trial's own curve and says how sure that is
package stop
