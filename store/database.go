package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mahabo/mahabo/study"
)

// database is a store in SQL. What its dialects differ in stands in the fields.
type database struct {
	write, read *sql.DB
	prepared    *statements // nil where they are sent as text
	readOnly    bool
	unpacked    bool               // its tables are of a version without packed points
	unreported  bool               // and of one without reports
	ownBytes    bool               // the driver makes new bytes for every row
	scripts     bool               // it takes several statements at once, with arguments
	lockSchema  string             // statement that makes migrations take turns
	duplicate   func(error) bool   // whether a UNIQUE column refused a value
	orphan      func(error) bool   // whether a row refers to a study that is gone
	noLength    func(error) bool   // whether wantMoved failed
	again       func(error) bool   // whether a transaction was refused for the moment only
	away        func(error) string // why the database could not be used, "" when that is not the matter
	longestAway time.Duration      // before that becomes an error
	there       func() error       // whether what is open is where the next process will look; nil when it always is
}

var (
	_ study.Store  = (*database)(nil)
	_ study.Locker = (*database)(nil)
	_ study.Prober = (*database)(nil)
)

// update runs f in a transaction that writes.
func (d *database) update(ctx context.Context, f func(*sql.Tx) error) error {
	if d.readOnly {
		return ErrReadOnly
	}
	return d.retry(ctx, func() error {
		tx, err := d.write.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if err := f(tx); err != nil {
			_ = tx.Rollback() // f's error says more
			return err
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		return d.stands()
	})
}

// stands returns an error when what is open is not where the next process will look.
func (d *database) stands() error {
	if d.there == nil {
		return nil
	}
	return d.there()
}

func (d *database) Create(ctx context.Context, id, name string, created study.Event) error {
	log, _, err := encode([]study.Event{created}, nil)
	if err != nil {
		return err
	}
	err = d.update(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO mahabo_studies (id, name, length) VALUES ($1, $2, 1)`, id, name); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO mahabo_events (study, seq, data) VALUES ($1, 1, $2)`, id, string(log[0].data))
		return err
	})
	if d.duplicate(err) {
		if known, err := d.Find(ctx, name); err == nil && known == id {
			return nil // made by the try before, whose answer was lost
		}
		return study.ErrExists
	}
	return err
}

func (d *database) Find(ctx context.Context, name string) (id string, err error) {
	err = d.retry(ctx, func() error {
		return d.read.QueryRowContext(ctx, `SELECT id FROM mahabo_studies WHERE name = $1`, name).Scan(&id)
	})
	if errors.Is(err, sql.ErrNoRows) {
		err = study.ErrNotFound
	}
	return id, err
}

// exists returns ErrNotFound when there is no such study.
func (d *database) exists(ctx context.Context, id string) error {
	var length int64
	err := d.retry(ctx, func() error {
		return d.read.QueryRowContext(ctx, `SELECT length FROM mahabo_studies WHERE id = $1`, id).Scan(&length)
	})
	if errors.Is(err, sql.ErrNoRows) {
		err = study.ErrNotFound
	}
	return err
}

func (d *database) Names(ctx context.Context) ([]string, error) {
	names, err := collect(ctx, d, func(rows *sql.Rows) (name string, err error) {
		return name, rows.Scan(&name)
	}, `SELECT name FROM mahabo_studies`)
	slices.Sort(names) // here, because databases differ in how they sort text
	return names, err
}

func (d *database) Delete(ctx context.Context, id string) error {
	return d.update(ctx, func(tx *sql.Tx) error {
		n, err := affected(tx.ExecContext(ctx, `DELETE FROM mahabo_studies WHERE id = $1`, id))
		if err == nil && n == 0 {
			err = study.ErrNotFound
		}
		return err
	})
}

// affected is the number of rows that a statement touched.
func affected(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (d *database) Append(ctx context.Context, id string, events []study.Event, changed []study.Trial) error {
	return d.append(ctx, id, events, changed, nil)
}

// append adds to the tables of events, trials and points.
func (d *database) append(ctx context.Context, id string, events []study.Event, changed []study.Trial, points []row) error {
	log, trials, err := encode(events, changed)
	if err != nil {
		return err
	}
	move := []any{id, events[len(events)-1].Seq, events[0].Seq - 1}
	parts := []inserted{{insertEvents, log, ``}, {insertTrials, trials, replace}, {insertPoints, points, ``}}
	if d.scripts {
		err = d.appendAtOnce(ctx, move, parts)
	} else {
		err = d.appendInTurn(ctx, move, parts)
	}
	if errors.Is(err, study.ErrMoved) {
		if gone := d.exists(ctx, id); gone != nil {
			return gone
		}
	}
	return err
}

// appendInTurn sends one prepared statement after the other.
func (d *database) appendInTurn(ctx context.Context, move []any, parts []inserted) error {
	return d.updateRows(ctx, parts, func(tx *sql.Tx) error {
		// Whoever moves the length first holds the row until it commits; the
		// others then find another length.
		n, err := affected(d.exec(ctx, tx, moveLength, move...))
		if err != nil {
			return err
		}
		if n == 0 {
			return study.ErrMoved
		}
		for _, part := range parts {
			if err := d.insert(ctx, tx, part, move[0]); err != nil {
				return err
			}
		}
		return nil
	})
}

// appendAtOnce sends all statements together, which makes them a transaction and one way to
// the server and back. When the length is another, at first or by now, one of them fails.
func (d *database) appendAtOnce(ctx context.Context, move []any, parts []inserted) error {
	text, args := moveLength+"; "+wantMoved, move
	for _, part := range parts {
		if len(part.rows) > 0 {
			text += "; " + part.text(len(args)+1, len(part.rows))
			args = append(args, arguments(part.rows)...)
		}
	}
	err := d.retry(ctx, func() error {
		_, err := d.write.ExecContext(ctx, text, args...)
		return err
	})
	if d.duplicate(err) || d.noLength(err) {
		return study.ErrMoved
	}
	return err
}

// mostRows bounds one statement, whose parameters databases count.
const mostRows = 100

// The statements of Append. An insert goes on with rows.
const (
	moveLength   = `UPDATE mahabo_studies SET length = $2 WHERE id = $1 AND length = $3`
	wantMoved    = `SELECT 1 / COUNT(*) FROM mahabo_studies WHERE id = $1 AND length = $2` // 1/0 fails
	insertEvents = `INSERT INTO mahabo_events (study, seq, data) VALUES `
	insertTrials = `INSERT INTO mahabo_trials (study, number, data) VALUES `
	insertPoints = `INSERT INTO mahabo_points (study, number, hash, data) VALUES `
	replace      = ` ON CONFLICT (study, number) DO UPDATE SET data = excluded.data`
	keep         = ` ON CONFLICT (study, number) DO NOTHING`
)

// inserted are rows for a table.
type inserted struct {
	into string
	rows []row
	then string
}

// text is the statement for n rows whose first argument is $first; $1 is the study.
func (p inserted) text(first, n int) string {
	columns := 2
	if p.into == insertPoints {
		columns = 3
	}
	var b strings.Builder
	b.WriteString(p.into)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("($1")
		for k := range columns {
			fmt.Fprintf(&b, ",$%d", first+columns*i+k)
		}
		b.WriteByte(')')
	}
	b.WriteString(p.then)
	return b.String()
}

// insert adds rows, many in a statement: each costs about as much as a row does.
func (d *database) insert(ctx context.Context, tx *sql.Tx, part inserted, id any) error {
	for rows := part.rows; len(rows) > 0; {
		n := fits(len(rows))
		if _, err := d.exec(ctx, tx, part.text(2, n), append([]any{id}, arguments(rows[:n])...)...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// arguments are the numbers and data of rows. Text and bytes are different to databases.
func arguments(rows []row) []any {
	args := make([]any, 0, 3*len(rows))
	for _, r := range rows {
		if r.key != nil {
			args = append(args, r.number, r.key, r.data)
		} else {
			args = append(args, r.number, string(r.data))
		}
	}
	return args
}

// fits is how many of n rows go into one of the prepared statements.
func fits(n int) int {
	for size := mostRows; ; size /= 10 {
		if size <= n {
			return size
		}
	}
}

// updateRows is update for what inserts rows, with statements that are parsed before: they are said again
// and again.
func (d *database) updateRows(ctx context.Context, parts []inserted, f func(*sql.Tx) error) error {
	if d.prepared != nil && !d.readOnly {
		if err := d.retry(ctx, func() error { return d.prepared.add(ctx, d.write, parts) }); err != nil {
			return err
		}
	}
	return d.update(ctx, f)
}

// statements are those of Append that were needed by now, by their text.
type statements struct {
	mu     sync.Mutex
	parsed map[string]*sql.Stmt
}

// add has the statements parsed that rows need. It takes the connection, hence before the transaction.
func (s *statements) add(ctx context.Context, db *sql.DB, parts []inserted) error {
	texts := []string{moveLength}
	for _, part := range parts {
		rows := len(part.rows)
		for n := mostRows; n > 0; n /= 10 {
			if rows >= n {
				texts = append(texts, part.text(2, n))
				rows %= n
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts {
		if s.parsed[text] != nil {
			continue
		}
		parsed, err := db.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		s.parsed[text] = parsed
	}
	return nil
}

func (s *statements) find(text string) *sql.Stmt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parsed[text]
}

// exec runs a statement, a prepared one where there are any.
func (d *database) exec(ctx context.Context, tx *sql.Tx, text string, args ...any) (sql.Result, error) {
	if d.prepared == nil {
		return tx.ExecContext(ctx, text, args...)
	}
	return tx.StmtContext(ctx, d.prepared.find(text)).ExecContext(ctx, args...)
}

// Events returns the log behind a place, with the points, for whoever does not know that they
// are kept apart.
func (d *database) Events(ctx context.Context, id string, after int64) ([]study.Event, error) {
	events, err := d.LeanEvents(ctx, id, after)
	if err != nil {
		return nil, err
	}
	return events, d.addPoints(ctx, id, events)
}

// LeanEvents returns the log without the points that are packed.
func (d *database) LeanEvents(ctx context.Context, id string, after int64) ([]study.Event, error) {
	events, err := collect(ctx, d, func(rows *sql.Rows) (e study.Event, err error) {
		var seq int64
		var data string
		if err := rows.Scan(&seq, &data); err != nil {
			return e, err
		}
		return decodeEvent(seq, []byte(data))
	}, `SELECT seq, data FROM mahabo_events WHERE study = $1 AND seq > $2 ORDER BY seq`, id, after)
	if err == nil && len(events) == 0 {
		err = d.exists(ctx, id)
	}
	return events, err
}

// Trials returns a page of the trials, with the parameters that are packed.
func (d *database) Trials(ctx context.Context, id string, page study.Page) ([]study.Trial, error) {
	trials, err := d.LeanTrials(ctx, id, page)
	if err != nil {
		return nil, err
	}
	return trials, d.addParams(ctx, id, trials)
}

// LeanTrials returns a page of the trials without the parameters that are packed.
func (d *database) LeanTrials(ctx context.Context, id string, page study.Page) ([]study.Trial, error) {
	limit := page.Limit
	if limit <= 0 {
		limit = math.MaxInt32
	}
	trials, err := collect(ctx, d, func(rows *sql.Rows) (t study.Trial, err error) {
		var number int
		var data string
		if err := rows.Scan(&number, &data); err != nil {
			return t, err
		}
		return decodeTrial(number, []byte(data))
	}, `SELECT number, data FROM mahabo_trials WHERE study = $1 AND number > $2 ORDER BY number LIMIT $3`, id, page.After, limit)
	if err == nil && len(trials) == 0 {
		err = d.exists(ctx, id)
	}
	return trials, err
}

// collect returns what scan makes of the rows of a query.
func collect[T any](ctx context.Context, d *database, scan func(*sql.Rows) (T, error), query string, args ...any) (all []T, err error) {
	err = d.retry(ctx, func() error {
		all = nil
		rows, err := d.read.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		for rows.Next() {
			one, err := scan(rows)
			if err != nil {
				return errors.Join(err, rows.Close())
			}
			all = append(all, one)
		}
		return errors.Join(rows.Err(), rows.Close())
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// farOff is how many leases ahead the end of a lock may be; one that is further was made before
// a clock was set back.
const farOff = 10

// Lock takes the lock of a study, which is a row that says who has it until when.
func (d *database) Lock(ctx context.Context, id, holder string, lease time.Duration) (bool, error) {
	var n int64
	err := d.update(ctx, func(tx *sql.Tx) (err error) {
		now := time.Now()
		n, err = affected(tx.ExecContext(ctx, `INSERT INTO mahabo_locks (study, holder, expires) VALUES ($1, $2, $3)
			ON CONFLICT (study) DO UPDATE SET holder = excluded.holder, expires = excluded.expires
			WHERE mahabo_locks.holder = excluded.holder OR mahabo_locks.expires <= $4 OR mahabo_locks.expires > $5`,
			id, holder, now.Add(lease).UnixMilli(), now.UnixMilli(), now.Add(farOff*lease).UnixMilli()))
		return err
	})
	if d.orphan(err) {
		err = study.ErrNotFound
	}
	return n == 1, err
}

// Unlock gives a lock back.
func (d *database) Unlock(ctx context.Context, id, holder string) error {
	return d.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM mahabo_locks WHERE study = $1 AND holder = $2`, id, holder)
		return err
	})
}

// Probe writes a row as it is.
func (d *database) Probe(ctx context.Context) error {
	return d.update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE mahabo_schema SET version = version`)
		return err
	})
}

// patience is how long a database may refuse for the moment before that becomes an error.
const patience = time.Minute

// retry runs f until it is not refused for the moment only. A database that is away may have
// done what f wanted all the same. What is not at its place is not even read: a write that
// came too late for it would be found there, and taken for kept.
func (d *database) retry(ctx context.Context, f func() error) error {
	start := time.Now()
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := d.stands()
		if err == nil {
			err = f()
		}
		if err == nil {
			return nil
		}
		reason := d.away(err)
		away, longest := reason != "", patience
		if away {
			err, longest = &study.UnavailableError{Reason: reason, Err: err, Gone: d.stands() != nil}, d.longestAway
		}
		if !away && !d.again(err) || time.Since(start) >= longest {
			return err
		}
		select {
		case <-ctx.Done():
			if away {
				return err // says more
			}
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (d *database) Close() error {
	_ = d.stands()
	err := d.read.Close()
	if d.write != d.read {
		err = errors.Join(err, d.write.Close())
	}
	return err
}
