package cli

import (
	_ "embed"
	"io"
)

// Written by go test ./internal/cli -run TestLicenses -update.
//
//go:embed licenses.txt
var licenseTexts string

type licensesCmd struct{}

// Run prints the licence texts.
func (licensesCmd) Run(s streams) error {
	_, err := io.WriteString(s.out, licenseTexts)
	return err
}
