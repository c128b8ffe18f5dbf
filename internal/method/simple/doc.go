// Package simple has methods without a model of the function: sobol, random and cmaes.
package simple
