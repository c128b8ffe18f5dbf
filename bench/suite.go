package bench

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

// Suite is a named set of grids.
type Suite struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	Grids   []Grid `json:"grids"`
}

//go:embed suites.json
var suitesJSON []byte

// Suites lists the built-in suites.
func Suites() ([]Suite, error) {
	var suites []Suite
	if err := json.Unmarshal(suitesJSON, &suites); err != nil {
		return nil, fmt.Errorf("suites.json: %w", err)
	}
	return suites, nil
}

// FindSuite returns the suite of that name.
func FindSuite(name string) (Suite, error) {
	suites, err := Suites()
	if err != nil {
		return Suite{}, err
	}
	var names []string
	for _, s := range suites {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Suite{}, fmt.Errorf("unknown suite %q: choose one of %s", name, strings.Join(names, ", "))
}
