// Package outcome turns the outcomes that users declare and tell into the numbers that methods
// see, objectives to be minimised and limits to be kept at 0 and below, and back.
package outcome
