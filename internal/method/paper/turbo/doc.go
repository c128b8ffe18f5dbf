// Package turbo is TuRBO.
package turbo
