// Package mahabo is the root of a library and a command-line tool for Bayesian
// optimisation of expensive black boxes with tens to thousands of parameters.
//
// It holds no code. Start with
//
//   - package study, which runs an optimisation, in one process or in many,
//   - package store, which keeps studies in SQLite or PostgreSQL,
//   - package strategy, which has the methods behind one interface, Ask and Tell,
//   - package problem, which has test problems to try them on,
//   - package bench, which measures methods,
//   - command cmd/mahabo, which does all of it from a shell.
//
// The models and solvers beneath are in packages gp, acquisition, candidate and
// design. docs/ARCHITECTURE.md shows how the packages depend on each other, and
// docs/notation.md translates the papers' symbols.
//
// The central method is that of S. A. Horiguchi, T. Iwata, T. Tsuzuki and
// Y. Ozawa, Linear Embedding-based High-dimensional Batch Bayesian Optimization
// without Reconstruction Mappings (2022): a Gaussian process with a Mahalanobis
// kernel learns which few linear combinations of the parameters matter, and
// points are chosen directly in the full space.
package mahabo
