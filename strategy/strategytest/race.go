//go:build race

package strategytest

const underRace = true
