// Package space maps the parameters a user names to the box [-1,1]^D on which
// strategies work, and back.
//
// A space is built in Go,
//
//	s, err := space.New(
//		space.Float("w[0:199]", -1, 1), // w0 .. w199
//		space.Log("rate", 1e-5, 1e-1).WithUnit("1/s"),
//		space.Choice("solver", "euler", "rk4"),
//		space.Constraint("w0 + w1 <= 1"),
//	)
//
// or read from a file, YAML or the same tree as JSON:
//
//	parameters:
//	  "w[0:199]": {float: [-1, 1]}
//	  rate:       {log: [1e-5, 1e-1], unit: 1/s, description: decay of the source}
//	  heat:       {float: [20, 90], step: 0.5, unit: °C}  # or digits: 1
//	  layers:     {int: [1, 8]}
//	  width:      {logint: [16, 4096]}
//	  batch:      {ordinal: [16, 32, 64, 128]}
//	  solver:     {choice: [euler, midpoint, rk4]}
//	  damped:     {bool: [false, true]}
//	  gravity:    {fixed: 9.81}
//	constraints:
//	  - w0 + w1 <= 1
//	outcomes:                   # absent: one objective, value
//	  mass:   minimize
//	  stress: {at_most: 10}
//	  temp:   record
//
// # Coordinates
//
//	kind     value    coordinates  value at x
//	float    float64  1            low (1-x)/2 + high (1+x)/2
//	log      float64  1            the same for the logarithm
//	int      int64    1            n = high-low+1 cells of equal width
//	logint   int64    1            the integer nearest in the logarithm
//	ordinal  float64  1            one cell of equal width per level
//	bool     bool     1            false below 0, true from 0 on
//	choice   string   1 or k       two labels as bool; else the largest of k coordinates
//	fixed    any      0
//
// Each value of a discrete parameter has one point that stands for it: the centre of its
// cell, and for bool and choice the corner, +1 at the label and -1 elsewhere. Snap moves a
// point there, so that a model sees what was evaluated. The cells at the ends of a range
// are as wide as the others (for logint: reach as far outside as inside), so that a
// uniform design does not neglect the end values.
//
// # Constraints
//
// A constraint a·v <= b is linear in the values v of float, int, ordinal, bool (0 and 1)
// and fixed parameters. Project moves a point to the nearest one whose values keep all
// constraints. Without discrete parameters it is exactly that; with them the relaxed
// problem is solved exactly, then rounded, repaired and, where that fails, searched by
// branch and bound until a feasible point is found. The search is bounded, deterministic,
// and ends at worst at discrete values known to be feasible since the space was made, so
// that without pins Project does not fail.
//
// D columns under m constraints with k active ones cost O(nonzeros + k²) per constraint or
// bound that becomes active.
//
// A Space does not change after it is made; all its methods can be called concurrently.
package space
