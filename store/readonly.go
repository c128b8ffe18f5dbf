package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/mahabo/mahabo/study"
)

// OpenReadOnly opens a store that exists for reading. What would write to a SQLite file fails
// with ErrReadOnly; the file and its folder may belong to somebody else.
func OpenReadOnly(ctx context.Context, url string) (study.Store, error) {
	path, ok := strings.CutPrefix(url, "sqlite:")
	if !ok || path == "" {
		return Open(ctx, url)
	}
	d, err := readSQLite(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("store sqlite:%s: %w", path, err)
	}
	return d, nil
}

// readSQLite opens a file without writing. A reader shares a small file with writers, which
// it has to create where there is none; where it may not, nobody may write, and the file can
// be taken for one that does not change, if all that was written is in it.
func readSQLite(ctx context.Context, path string) (*database, error) {
	ways := []url.Values{{"mode": {"ro"}}}
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
		ways = append(ways, url.Values{"mode": {"ro"}, "immutable": {"1"}})
	}
	there, err := stays(path)
	if err != nil {
		return nil, err
	}
	var failures []error
	for _, how := range ways {
		d, err := openSQLite(path, there, how)
		if err != nil {
			return nil, err
		}
		if err = d.checkVersion(ctx); err == nil {
			d.readOnly = true
			return d, nil
		}
		failures = append(failures, explain(err), d.Close())
	}
	return nil, errors.Join(failures...)
}

// checkVersion refuses tables that this program cannot read as they are.
func (d *database) checkVersion(ctx context.Context) error {
	var version int
	err := d.read.QueryRowContext(ctx, `SELECT COALESCE(MAX(version), 0) FROM mahabo_schema`).Scan(&version)
	d.unpacked, d.unreported = version < packedVersion, version < reportsVersion
	if err == nil && (version < packedVersion-1 || version > len(migrations)) {
		err = fmt.Errorf("its tables have version %d, this program reads %d: open it with the right to write once", version, len(migrations))
	}
	return err
}
