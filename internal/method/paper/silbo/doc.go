// Package silbo is SILBO-TD.
package silbo
