//go:build unix

package store_test

import (
	"testing"

	"github.com/mahabo/mahabo/internal/pgtest"
	"github.com/mahabo/mahabo/store/storetest"
	"github.com/mahabo/mahabo/study"
)

// postgres is the server of this test run.
var postgres pgtest.Server

// postgresURL creates an empty database.
func postgresURL(t *testing.T) string { return postgres.URL(t) }

func TestPostgres(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() study.Store {
		address := postgresURL(t)
		return func() study.Store { return open(t, address) }
	})
}
