//go:build !race

package strategytest

const underRace = false
