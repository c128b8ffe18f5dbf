package store

import (
	"context"
	"database/sql"
	"fmt"
)

// migrations lead from an empty database to the present tables; both databases
// understand them. To change a table, append: what stands here has been run.
var migrations = [...]string{
	`CREATE TABLE mahabo_studies (
		id     TEXT   NOT NULL PRIMARY KEY,
		name   TEXT   NOT NULL UNIQUE,
		length BIGINT NOT NULL
	);
	CREATE TABLE mahabo_events (
		study TEXT   NOT NULL REFERENCES mahabo_studies (id) ON DELETE CASCADE,
		seq   BIGINT NOT NULL,
		data  TEXT   NOT NULL,
		PRIMARY KEY (study, seq)
	);
	CREATE TABLE mahabo_trials (
		study  TEXT   NOT NULL REFERENCES mahabo_studies (id) ON DELETE CASCADE,
		number BIGINT NOT NULL,
		data   TEXT   NOT NULL,
		PRIMARY KEY (study, number)
	)`,
	`CREATE TABLE mahabo_locks (
		study   TEXT   NOT NULL PRIMARY KEY REFERENCES mahabo_studies (id) ON DELETE CASCADE,
		holder  TEXT   NOT NULL,
		expires BIGINT NOT NULL
	)`,
	`CREATE TABLE mahabo_points (
		study  TEXT   NOT NULL REFERENCES mahabo_studies (id) ON DELETE CASCADE,
		number BIGINT NOT NULL,
		hash   BYTEA  NOT NULL,
		data   BYTEA  NOT NULL,
		PRIMARY KEY (study, number)
	);
	CREATE TABLE mahabo_snapshots (
		study TEXT   NOT NULL PRIMARY KEY REFERENCES mahabo_studies (id) ON DELETE CASCADE,
		seq   BIGINT NOT NULL,
		data  BYTEA  NOT NULL
	)`,
	`CREATE TABLE mahabo_reports (
		study  TEXT   NOT NULL REFERENCES mahabo_studies (id) ON DELETE CASCADE,
		number BIGINT NOT NULL,
		step   BIGINT NOT NULL,
		at     BIGINT NOT NULL,
		value  DOUBLE PRECISION NOT NULL,
		more   TEXT   NOT NULL,
		PRIMARY KEY (study, number, step)
	)`,
}

// packedVersion is the first version with tables for packed points and snapshots.
const packedVersion = 3

// reportsVersion is the first version with a table for reports.
const reportsVersion = 4

// migrate brings the tables up to date. Processes that start together take turns.
func (d *database) migrate(ctx context.Context) error {
	return d.update(ctx, func(tx *sql.Tx) error {
		if d.lockSchema != "" {
			if _, err := tx.ExecContext(ctx, d.lockSchema); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS mahabo_schema (version BIGINT NOT NULL PRIMARY KEY)`); err != nil {
			return err
		}
		var version int
		if err := tx.QueryRowContext(ctx, `SELECT COALESCE(MAX(version), 0) FROM mahabo_schema`).Scan(&version); err != nil {
			return err
		}
		if version > len(migrations) {
			return fmt.Errorf("its tables have version %d, this program knows %d: use a newer mahabo", version, len(migrations))
		}
		for i, statements := range migrations[version:] {
			if _, err := tx.ExecContext(ctx, statements); err != nil {
				return fmt.Errorf("migration %d: %w", version+i+1, err)
			}
			if _, err := tx.ExecContext(ctx, `INSERT INTO mahabo_schema (version) VALUES ($1)`, version+i+1); err != nil {
				return err
			}
		}
		return nil
	})
}
