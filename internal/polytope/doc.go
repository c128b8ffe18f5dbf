// Package polytope projects points on sets of linear inequalities.
package polytope
