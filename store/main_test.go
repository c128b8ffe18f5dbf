//go:build unix

package store_test

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs a worker when a test has started one, and else the tests.
func TestMain(m *testing.M) {
	if url := os.Getenv(workerURL); url != "" {
		if err := work(url, os.Getenv(workerName), os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	postgres.Stop()
	os.Exit(code)
}
