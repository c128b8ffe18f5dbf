package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/mahabo/mahabo/space"
)

// readParquet reads a flat table; a row's line is its number. The library panics on some
// broken files, and takes any amount of memory for others, which checkParquet refuses.
func (in *importer) readParquet(ctx context.Context, data []byte) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = refusef("it is not a Parquet file: %v", v)
		}
	}()
	header, err := checkParquet(ctx, data, in.limits)
	if err != nil {
		return err
	}
	index, err := in.header(header)
	if err != nil {
		return err
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return refusef("it is not a Parquet file: %w", err)
	}
	in.total = int(file.NumRows())
	line := 0
	for _, group := range file.RowGroups() {
		if err := in.readGroup(ctx, group, in.used(index), &line); err != nil {
			return err
		}
	}
	return nil
}

// used gives the columns that are read their names.
func (in *importer) used(index map[string]int) map[int]string {
	names := map[int]string{}
	use := func(column string) {
		if i, ok := index[in.named(column)]; ok {
			names[i] = in.named(column)
		}
	}
	for _, p := range in.params {
		use(column(p.Name))
	}
	for _, field := range in.fields {
		use(field)
	}
	return names
}

// mostIdle is how often the library may return no rows and no error.
const mostIdle = 100

func (in *importer) readGroup(ctx context.Context, group parquet.RowGroup, used map[int]string, line *int) (err error) {
	rows := group.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	buffer := make([]parquet.Row, 64)
	for idle := 0; ; idle++ {
		n, err := rows.ReadRows(buffer)
		if n > 0 {
			idle = 0
		} else if err == nil && idle == mostIdle {
			err = io.ErrNoProgress
		}
		for _, row := range buffer[:n] {
			*line++
			if err := in.count(ctx, *line, len(row)); err != nil {
				return err
			}
			cells, err := in.parquetRow(*line, row, used)
			if err != nil {
				return err
			}
			in.add(*line, cells)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return refusef("row %d: %w", *line+1, err)
		}
	}
}

// parquetRow takes the cells of the used columns from a row. A text may stand once in the
// file and in many rows, so that texts are counted here.
func (in *importer) parquetRow(line int, row parquet.Row, used map[int]string) (cellsRow, error) {
	cells := cellsRow{}
	for _, v := range row {
		name, ok := used[v.Column()]
		if !ok || v.IsNull() {
			continue
		}
		cell := goValue(v)
		if text, ok := cell.(string); ok {
			if len(text) > in.limits.cell {
				return nil, in.limits.tooLong(line)
			}
			if in.texts += len(text); in.texts > in.limits.bytes {
				return nil, in.limits.tooLarge()
			}
		}
		cells[name] = cell
	}
	return cells, nil
}

// cellsRow is a row of values.
type cellsRow map[string]any

func (r cellsRow) text(column string) (any, bool) {
	v, ok := r[column]
	return v, ok
}

func (r cellsRow) number(column string) (any, bool, error) {
	v, ok := r[column]
	return v, ok, nil
}

func (r cellsRow) param(_ space.Param, column string) (any, bool, error) { return r.number(column) }

// goValue is a cell that is not empty. A text is a copy.
func goValue(v parquet.Value) any {
	switch v.Kind() {
	case parquet.Boolean:
		return v.Boolean()
	case parquet.Int32:
		return int64(v.Int32())
	case parquet.Int64:
		return v.Int64()
	case parquet.Float:
		return float64(v.Float())
	case parquet.Double:
		return v.Double()
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return string(v.ByteArray())
	}
	return fmt.Sprint(v)
}
