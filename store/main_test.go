//go:build unix

package store_test

import (
	"os"
	"testing"
)

// TestMain stops the server that tests may have started.
func TestMain(m *testing.M) {
	code := m.Run()
	if started != nil {
		started.stop()
	}
	os.Exit(code)
}
