// Package method has what optimisation methods share: the observations they keep, the
// checks of their arguments, the initial design, the fallback to uniform points, and how
// their options are read.
package method
