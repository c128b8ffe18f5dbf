// Package several is how adaptive works when a trial tells several numbers: objectives and limits.
//
// Every outcome has a Gaussian process of its own (model.go). Those of the limits see values whose
// distances from the limit are compressed, on the scale that explains them best: what a limit depends on
// may be a sum or a product of the parameters. They share hyperparameters, so that one factorisation
// serves all of them, and part of the process may be a sum of functions of one coordinate (gp.Main), which is
// learned from far fewer points; with several objectives one coordinate may lead, and all else is multiplied by a
// correlation in it. With few parameters each outcome has a length-scale per parameter
// instead. Where noise is told, the model counts it, and what is best is chosen by what the model makes of
// the values.
//
// A query (query.go) minimises the objective that the model expects, less beta standard
// deviations, under the limits that it expects, plus gamma standard deviations, in a box around a
// good point; or, for a share of the queries, it maximises the expected improvement times the
// probability that all limits are kept. Other queries move few coordinates only. Before any trial keeps all limits the
// objective hardly counts, and gamma is often negative: with fewer points than parameters most directions
// are unknown, and what might be kept there has to be tried. beta, gamma and the box differ between the points of a
// batch. With several objectives each query has weights of its own (front.go): the largest of the weighted
// objectives is minimised, and of several such points those are taken that are expected to add most to the
// hypervolume of the front. Some points come from models of what is near a point of the front. Some are chosen with limits
// that are lower than expected, and some as if there were none, where the front without limits has a gap: limits may be kept
// in places that are far from each other. Labels and levels are moved one at a time in the end.
//
// Symbols: n observations, D coordinates, m outcomes; mu and s of the models' moments.
package several
