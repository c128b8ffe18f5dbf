package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/mahabo/mahabo/study"
)

// postgres opens the store in a PostgreSQL database, which has to exist. The URL
// is libpq's; tables live in the connection's schema.
func postgres(ctx context.Context, address string) (study.Store, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, &URLError{redact(address), "it is not the URL of a PostgreSQL database"}
	}
	// Statements of several commands, as migrations and Append have, need the simple
	// protocol, and so do connection poolers that share a session.
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(8)
	d := &database{
		write: db, read: db, scripts: true,
		lockSchema: `SELECT pg_advisory_xact_lock(7021985)`, // a number nobody else should use
		duplicate:  func(err error) bool { return code(err) == "23505" },
		orphan:     func(err error) bool { return code(err) == "23503" },
		noLength:   func(err error) bool { return code(err) == "22012" },
		again:      func(err error) bool { return code(err) == "40001" || code(err) == "40P01" },
		away:       postgresAway, longestAway: time.Minute,
	}
	err = db.PingContext(ctx) // a wrong address is an error at once
	if err == nil {
		err = d.migrate(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", redact(address), errors.Join(err, db.Close()))
	}
	return d, nil
}

// code is PostgreSQL's code of an error.
func code(err error) string {
	var failure *pgconn.PgError
	if errors.As(err, &failure) {
		return failure.Code
	}
	return ""
}

// postgresAway says why a server cannot be used: it is not there, shuts down, starts, has no
// connection or no space left.
func postgresAway(err error) string {
	const away = "the database cannot be reached"
	switch c := code(err); c {
	case "":
		var network *net.OpError
		var connect *pgconn.ConnectError
		if errors.As(err, &network) || errors.As(err, &connect) ||
			errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, driver.ErrBadConn) {
			return away
		}
	case "57P01", "57P02", "57P03":
		return away
	case "53300":
		return "the database has no connection left"
	case "53100":
		return diskFull
	case "25006":
		return "the database is read-only"
	default:
		if strings.HasPrefix(c, "08") {
			return away
		}
	}
	return ""
}

// redact hides the password of a URL.
func redact(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "postgres://..."
	}
	return u.Redacted()
}
