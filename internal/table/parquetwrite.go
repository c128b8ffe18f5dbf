package table

import (
	"io"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// parquetWriter writes the columns of a CSV file with the types of their values, in the
// order of their names. Every column is optional.
type parquetWriter struct {
	file    *parquet.GenericWriter[any]
	space   *space.Space
	columns []string
	spent   []string // the columns of cost and seconds
}

func newParquetWriter(w io.Writer, sp *space.Space) *parquetWriter {
	instant := parquet.Timestamp(parquet.Nanosecond)
	root := parquet.Group{
		"number": parquet.Leaf(parquet.Int64Type), "state": parquet.String(), "value": parquet.Leaf(parquet.DoubleType), "std": parquet.Leaf(parquet.DoubleType),
		"reason": parquet.String(), "origin": parquet.String(), "batch": parquet.Leaf(parquet.Int64Type), "worker": parquet.String(),
		"created": instant, "asked": instant, "told": instant, "notes": parquet.String(),
		"excluded": parquet.Leaf(parquet.BooleanType),
	}
	if columns := outcomeColumns(sp); columns != nil {
		delete(root, "value")
		delete(root, "std")
		for _, name := range columns {
			root[name] = parquet.Leaf(parquet.DoubleType)
		}
	}
	spent := spentColumns(sp)
	for _, name := range spent {
		root[name] = parquet.Leaf(parquet.DoubleType)
	}
	for _, p := range sp.Params() {
		root[column(p.Name)] = parquetNode(p)
	}
	for name, node := range root {
		root[name] = parquet.Optional(node)
	}
	schema := parquet.NewSchema("trial", root)
	out := &parquetWriter{space: sp, spent: spent, file: parquet.NewGenericWriter[any](w, schema)}
	for _, path := range schema.Columns() {
		out.columns = append(out.columns, path[0])
	}
	return out
}

// parquetNode is the type of a parameter's column.
func parquetNode(p space.Param) parquet.Node {
	switch p.Kind {
	case space.KindInt, space.KindLogInt:
		return parquet.Leaf(parquet.Int64Type)
	case space.KindBool:
		return parquet.Leaf(parquet.BooleanType)
	case space.KindChoice:
		return parquet.String()
	case space.KindFixed:
		switch p.Value.(type) {
		case string:
			return parquet.String()
		case bool:
			return parquet.Leaf(parquet.BooleanType)
		case int64:
			return parquet.Leaf(parquet.Int64Type)
		}
	}
	return parquet.Leaf(parquet.DoubleType)
}

func (w *parquetWriter) write(t study.Trial) error {
	cells := map[string]any{
		"number": int64(t.Number), "state": string(t.State), "reason": t.Reason, "origin": string(t.Origin),
		"batch": int64(t.Batch), "worker": t.Worker, "created": t.Created, "asked": t.Asked, "told": t.Told,
		"notes": strings.Join(t.Notes, "\n"), "excluded": t.Excluded,
	}
	if t.Value != nil {
		cells["value"] = *t.Value
	}
	if t.Std > 0 {
		cells["std"] = t.Std
	}
	for i, v := range []float64{t.Cost, t.Seconds} {
		if v > 0 {
			cells[w.spent[i]] = v
		}
	}
	for name, v := range t.Outcomes {
		cells[outcomeColumn(w.space, name)] = v
	}
	for name, v := range t.Stds {
		cells[stdColumn(w.space, name)] = v
	}
	for name, v := range t.Params.All() {
		cells[column(name)] = v
	}
	row := make(parquet.Row, len(w.columns))
	for i, name := range w.columns {
		v := parquetValue(cells[name])
		defined := 1
		if v.IsNull() {
			defined = 0
		}
		row[i] = v.Level(0, defined, i)
	}
	_, err := w.file.WriteRows([]parquet.Row{row})
	return err
}

// parquetValue is null for what is missing or empty.
func parquetValue(cell any) parquet.Value {
	switch v := cell.(type) {
	case float64:
		return parquet.DoubleValue(v)
	case int64:
		return parquet.Int64Value(v)
	case bool:
		return parquet.BooleanValue(v)
	case string:
		if v != "" {
			return parquet.ByteArrayValue([]byte(v))
		}
	case time.Time:
		if !v.IsZero() {
			return parquet.Int64Value(v.UnixNano())
		}
	}
	return parquet.NullValue()
}
