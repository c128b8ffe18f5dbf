// Package insight says what the data of a study show: which combinations of the
// parameters matter, how much each parameter does, how the value changes along them, and
// how far the model behind these answers can be trusted.
//
//	a, err := insight.Analyse(ctx, insight.Data{Space: s, Observations: obs})
//	fmt.Println(a.Verdict)
//
// # Directions
//
// A model that treats all directions alike (gp.Spiked without directions) is fitted to the
// data. The leading eigenvectors v_1, v_2, ... of the average outer product of the
// gradients of its mean, at the observed points, are the directions along which the value
// changes most. A second model may change faster along the first few of them, and its
// gradients make better ones; an eigenvalue over the sum of all is the share of the
// gradient energy.
//
// Eigenvectors exist for any data, noise included. The first d of them are shown as facts
// only if all of this holds:
//
//   - values that were held out, with directions and hyperparameters learned without them,
//     are predicted better by the model with d directions than by a constant (log density,
//     five folds);
//   - they are predicted clearly better than by the model without directions too, or about
//     as well, and directions learned from two halves of the data agree better than by
//     chance: the smallest cosine between the two subspaces, median over several splits,
//     against random vectors with the covariance of the points;
//   - the directions hold clearly more of the gradient energy than d directions out of D
//     have to, and each has a cosine of at least 0.5 with the truth.
//
// The marginal likelihood is no help here: with fewer points than parameters it favours
// directions that fit the noise, and makes the model too sure of itself. Three things keep
// it honest: floors under the metric (gp.Spiked), a variance of the slopes across the
// directions that the isotropic model sets, and a factor on all variances from the
// residuals of the other folds.
//
// # Importance
//
// The importance of a parameter is its part in the variance of the values that a model
// predicts when all parameters vary independently over their ranges: the total Sobol index,
// which counts what it does together with others, and the first-order index, what it does
// alone. Numbers are uniform on the scale on which they are searched, whole numbers and labels
// are equally likely; linear constraints do not count. The same is done for the good region,
// the ranges that the best tenth of the points span. The model has a weight for each parameter
// and sees the values themselves, unless another predicts them clearly better (chooseGlobal).
//
// The indices are those of the posterior mean. Their deviations are from functions drawn from
// the posterior, with the hyperparameters of all points and of each fold, and from the number
// of pairs at which they were evaluated.
//
// # Other uncertainties
//
// Those of loadings and the cosine with the truth are from the jackknife over the five folds,
// which relearns everything without each fifth of the data.
//
// # Glossary
//
//	loading      a coordinate of a direction, a vector of length 1 in the box [-1,1]^D
//	scale        what the model sees: the values, or the logarithm of their distance from
//	             the best one, whichever is more probable; medians and intervals are
//	             transformed back
//	latent       without the noise of an observation
//
// At most 1000 points are used, and the hyperparameters are fitted to at most 256 of
// them: about two seconds for 500 points with 1000 parameters.
package insight
