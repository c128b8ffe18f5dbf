// Package subspace is REMBO and HeSBO: Bayesian optimisation in random subspaces.
package subspace
