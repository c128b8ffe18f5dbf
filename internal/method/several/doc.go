// Package several is how adaptive works when a trial tells several numbers: objectives and limits.
//
// Every outcome has a Gaussian process of its own (model.go). Those of the limits see values whose
// large violations are compressed and share hyperparameters, so that one factorisation serves all
// of them. With few parameters each outcome has a length-scale per parameter.
//
// A query (query.go) minimises the objective that the model expects, less beta standard
// deviations, under the limits that it expects, plus gamma standard deviations, in a box around a
// good point; or, for a share of the queries, it maximises the expected improvement times the
// probability that all limits are kept. Before any trial keeps all limits the objective does not
// count. beta, gamma and the box differ between the points of a batch. With several objectives
// each query has weights of its own (front.go): the largest of the weighted objectives is
// minimised, and of several such points those are taken that are expected to add most to the
// hypervolume of the front.
//
// Symbols: n observations, D coordinates, m outcomes; mu and s of the models' moments.
package several
