// Package pareto compares points by several numbers: dominance, fronts, hypervolumes and violated
// limits. All objectives are minimised and a limit is kept at 0 and below.
package pareto
