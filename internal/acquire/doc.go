// Package acquire chooses points by what models expect of them. An acquisition is a function
// of the mean and the variance of a model at a point (LowerBound, LogImprovement), to be
// minimised; several of them, each of a model of its own, add up (Sum). A Region is where
// points may be: a box, with coordinates that are held and linear constraints. Descend and
// Polish look for the lowest value there.
package acquire
