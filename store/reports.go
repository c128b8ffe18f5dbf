package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mahabo/mahabo/study"
)

// Reports of running trials: a table that nobody reads to open a study.

const (
	reportColumns = 5  // beside the study
	mostReports   = 16 // rows of one statement: SQLite looks for the name of every parameter among all
)

// AppendReports adds reports of a trial, in place of those from the first of their steps on.
func (d *database) AppendReports(ctx context.Context, id string, number int, reports []study.Reported) error {
	rows := make([][]any, len(reports))
	for i, r := range reports {
		more := ""
		if len(r.Outcomes) > 0 {
			text, err := json.Marshal(r.Outcomes)
			if err != nil {
				return err
			}
			more = string(text)
		}
		rows[i] = []any{number, r.Step, r.Time.UnixMilli(), r.Value, more}
	}
	err := d.update(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM mahabo_reports WHERE study = $1 AND number = $2 AND step >= $3`, id, number, reports[0].Step); err != nil {
			return err
		}
		for rest := rows; len(rest) > 0; {
			n := min(len(rest), mostReports)
			args := []any{id}
			var text strings.Builder
			text.WriteString(`INSERT INTO mahabo_reports (study, number, step, at, value, more) VALUES `)
			for i, row := range rest[:n] {
				if i > 0 {
					text.WriteByte(',')
				}
				text.WriteString("($1")
				for k := range reportColumns {
					fmt.Fprintf(&text, ",$%d", 2+reportColumns*i+k)
				}
				text.WriteByte(')')
				args = append(args, row...)
			}
			if _, err := tx.ExecContext(ctx, text.String(), args...); err != nil {
				return err
			}
			rest = rest[n:]
		}
		return nil
	})
	if d.orphan(err) {
		err = study.ErrNotFound
	}
	return err
}

// ReportsOf returns the reports of trials behind a step.
func (d *database) ReportsOf(ctx context.Context, id string, numbers []int, behind int64) (map[int][]study.Reported, error) {
	type row struct {
		number int
		study.Reported
	}
	found := map[int][]study.Reported{}
	read := func(where string, args ...any) error {
		rows, err := collect(ctx, d, func(rows *sql.Rows) (r row, err error) {
			var at int64
			var more string
			if err := rows.Scan(&r.number, &r.Step, &at, &r.Value, &more); err != nil {
				return r, err
			}
			r.Time = time.UnixMilli(at).UTC()
			if more != "" {
				err = json.Unmarshal([]byte(more), &r.Outcomes)
			}
			return r, err
		}, `SELECT number, step, at, value, more FROM mahabo_reports WHERE study = $1 AND step > $2`+where+` ORDER BY number, step`, append([]any{id, behind}, args...)...)
		for _, r := range rows {
			found[r.number] = append(found[r.number], r.Reported)
		}
		return err
	}
	var err error
	switch {
	case d.unreported:
	case numbers == nil:
		err = read("")
	}
	for rest := numbers; len(rest) > 0 && err == nil && !d.unreported; {
		n := min(len(rest), mostRows)
		var list []string
		var args []any
		for i, number := range rest[:n] {
			list, args = append(list, fmt.Sprintf("$%d", i+3)), append(args, number)
		}
		err = read(` AND number IN (`+strings.Join(list, ",")+`)`, args...)
		rest = rest[n:]
	}
	if err == nil && len(found) == 0 {
		err = d.exists(ctx, id)
	}
	return found, err
}
