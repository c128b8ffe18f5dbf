package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/mahabo/mahabo/internal/points"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// Packed points and snapshots: what package study looks for in a store to read no more of a
// study than it needs. A point is written in the transaction of its event and never changes;
// a snapshot may be lost at any time.

// AppendPacked is Append with the points of new trials.
func (d *database) AppendPacked(ctx context.Context, id string, events []study.Event, changed []study.Trial, numbers []int, keys, packed [][]byte) error {
	return d.append(ctx, id, events, changed, pointRows(numbers, keys, packed))
}

func pointRows(numbers []int, keys, packed [][]byte) []row {
	rows := make([]row, len(numbers))
	for i, n := range numbers {
		rows[i] = row{int64(n), keys[i], packed[i]}
	}
	return rows
}

// PackedKeys returns the keys of points by the number of their trial.
func (d *database) PackedKeys(ctx context.Context, id string, after int) (map[int]string, error) {
	keys := map[int]string{}
	if d.unpacked {
		return keys, nil
	}
	_, err := collect(ctx, d, func(rows *sql.Rows) (none struct{}, err error) {
		var number int
		var key []byte
		err = rows.Scan(&number, &key)
		keys[number] = string(key)
		return none, err
	}, `SELECT number, hash FROM mahabo_points WHERE study = $1 AND number > $2`, id, after)
	return keys, err
}

// Packed returns some points by the number of their trial.
func (d *database) Packed(ctx context.Context, id string, numbers []int) (map[int][]byte, error) {
	found := make(map[int][]byte, len(numbers))
	if d.unpacked {
		return found, nil
	}
	for ranges := rangesOf(numbers); len(ranges) > 0; {
		n := min(len(ranges), mostRows)
		args := []any{id}
		var list strings.Builder
		for i, r := range ranges[:n] {
			if i > 0 {
				list.WriteByte(',')
			}
			fmt.Fprintf(&list, "(CAST($%d AS BIGINT),CAST($%d AS BIGINT))", 2*i+2, 2*i+3)
			args = append(args, r[0], r[1])
		}
		_, err := collect(ctx, d, func(rows *sql.Rows) (none struct{}, err error) {
			var number int
			var data []byte
			err = rows.Scan(&number, &data)
			found[number] = data
			return none, err
		}, `SELECT number, data FROM (VALUES `+list.String()+`) AS wanted CROSS JOIN mahabo_points
			WHERE study = $1 AND number BETWEEN wanted.column1 AND wanted.column2`, args...)
		if err != nil {
			return nil, err
		}
		ranges = ranges[n:]
	}
	return found, nil
}

// rangesOf are the first and last numbers of those that follow each other: databases find them together.
func rangesOf(numbers []int) (ranges [][2]int) {
	for _, n := range slices.Sorted(slices.Values(numbers)) {
		if last := len(ranges) - 1; last >= 0 && n <= ranges[last][1]+1 {
			ranges[last][1] = n
		} else {
			ranges = append(ranges, [2]int{n, n})
		}
	}
	return ranges
}

// pagePoints is how many points are read at once: they may be large.
const pagePoints = 500

// EachPacked calls do for the points behind a number, in order.
func (d *database) EachPacked(ctx context.Context, id string, after int, do func(number int, data []byte) error) error {
	type point struct {
		number int
		data   []byte
	}
	for !d.unpacked {
		page, err := collect(ctx, d, func(rows *sql.Rows) (p point, err error) {
			return p, rows.Scan(&p.number, &p.data)
		}, `SELECT number, data FROM mahabo_points WHERE study = $1 AND number > $2 ORDER BY number LIMIT $3`, id, after, pagePoints)
		if err != nil {
			return err
		}
		for _, p := range page {
			if err := do(p.number, p.data); err != nil {
				return err
			}
			after = p.number
		}
		if len(page) < pagePoints {
			return nil
		}
	}
	return nil
}

// Snapshot returns what was saved last.
func (d *database) Snapshot(ctx context.Context, id string) (data string, seq int64, err error) {
	if d.unpacked {
		return "", 0, nil
	}
	var to any = &data
	if d.ownBytes {
		to = (*uncopied)(&data)
	}
	err = d.retry(ctx, func() error {
		return d.read.QueryRowContext(ctx, `SELECT seq, data FROM mahabo_snapshots WHERE study = $1`, id).Scan(&seq, to)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return "", 0, nil
	}
	return data, seq, err
}

// uncopied takes the bytes of a driver that made them for this row alone, without another copy: a snapshot has
// megabytes.
type uncopied string

// Scan is for package sql.
func (u *uncopied) Scan(from any) error {
	data, ok := from.([]byte)
	if !ok {
		return fmt.Errorf("the snapshot is %T: bytes are expected", from)
	}
	*u = uncopied(unsafe.String(unsafe.SliceData(data), len(data)))
	return nil
}

// SaveSnapshot replaces an older snapshot, also one of another version at the same place, and adds points that are missing.
func (d *database) SaveSnapshot(ctx context.Context, id string, data []byte, seq int64, numbers []int, keys, packed [][]byte) error {
	if len(data) > math.MaxInt32 {
		return errors.New("the snapshot is too large")
	}
	points := inserted{insertPoints, pointRows(numbers, keys, packed), keep}
	return d.updateRows(ctx, []inserted{points}, func(tx *sql.Tx) error {
		if err := d.insert(ctx, tx, points, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO mahabo_snapshots (study, seq, data) VALUES ($1, $2, $3)
			ON CONFLICT (study) DO UPDATE SET seq = excluded.seq, data = excluded.data WHERE mahabo_snapshots.seq <= excluded.seq`, id, seq, data)
		return err
	})
}

// codec reads the spaces that a study had from its log.
func (d *database) codec(ctx context.Context, id string) (c points.Codec, err error) {
	events, err := d.LeanEvents(ctx, id, 0)
	if err != nil {
		return c, err
	}
	for _, e := range events {
		if e.Created != nil {
			c = c.With(e.Created.Config.Space, space.Params{})
		}
		if e.Changed != nil {
			c = c.With(e.Changed.Space, e.Changed.Added)
		}
	}
	return c, nil
}

// addPoints adds the parameters and points of new trials to events.
func (d *database) addPoints(ctx context.Context, id string, events []study.Event) error {
	var bare []*study.Placed
	var numbers []int
	for _, e := range events {
		list := e.Placed()
		for k := range list {
			if p := &list[k]; p.Params.Len() == 0 {
				p.Number = list[0].Number + k
				bare, numbers = append(bare, p), append(numbers, p.Number)
			}
		}
	}
	if len(bare) == 0 {
		return nil
	}
	c, found, err := d.unpacker(ctx, id, numbers)
	if err != nil {
		return err
	}
	for _, p := range bare {
		if p.Params, p.Point, err = c.Unpack(found[p.Number]); err != nil {
			return fmt.Errorf("trial %d: %w", p.Number, err)
		}
	}
	return nil
}

// unpacker returns what the packed points of trials are, and how to read them.
func (d *database) unpacker(ctx context.Context, id string, numbers []int) (c points.Codec, found map[int][]byte, err error) {
	if c, err = d.codec(ctx, id); err != nil {
		return c, nil, err
	}
	found, err = d.Packed(ctx, id, numbers)
	return c, found, err
}

// addParams adds their parameters to trials.
func (d *database) addParams(ctx context.Context, id string, trials []study.Trial) error {
	var numbers []int
	for _, t := range trials {
		if t.Params.Len() == 0 {
			numbers = append(numbers, t.Number)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	c, found, err := d.unpacker(ctx, id, numbers)
	if err != nil {
		return err
	}
	for i := range trials {
		if t := &trials[i]; t.Params.Len() == 0 {
			if t.Params, _, err = c.Present(found[t.Number]); err != nil {
				return fmt.Errorf("trial %d: %w", t.Number, err)
			}
		}
	}
	return nil
}
