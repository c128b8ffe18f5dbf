// Package former has what studies before this one say about it. Their trials have other bounds,
// perhaps other parameters, and values of another unit or offset, or have nothing to do with it
// at all: how much they are worth is learned.
//
// A model of a former study (a Gaussian process of its values or of their logarithms, whichever is likelier) says which value m it
// would have at a point. New values are taken for
//
//	y = offset + scale m(x) + doubt,  scale >= 0,
//
// fitted by least squares. Its trials then become observations of the new study, at offset + scale m
// and with the doubt as their noise. All of them may be wrong in the same way, so together they weigh no
// more than a few observations with that noise. A source counts only as long as it predicts new values, each before
// it is known, clearly better than the mean of those before it does.
//
// The first points are the best of the former trials; those of the initial design that follow show how the values compare.
//
// Everything is a function of the sources and of the observations in their order, so that a replay finds the same.
package former
