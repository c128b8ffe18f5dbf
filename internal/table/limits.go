package table

import (
	"bytes"
	"context"
	"io"

	"github.com/mahabo/mahabo/study"
)

// MostBytes is the size of the largest file that Import reads, and the most that a Parquet
// file may unpack to.
const MostBytes = 256 << 20

// limits bound a table while it is read.
type limits struct {
	bytes   int // of the file, and of all that it unpacks to
	rows    int
	columns int
	cells   int
	cell    int // bytes of a cell
	line    int // bytes of a JSON object
}

// standard has room for the largest space, 100,000 parameters. To read ten million cells takes
// about one gigabyte of memory, and to store them as trials three.
func standard() limits {
	return limits{bytes: MostBytes, rows: study.MostRows, columns: 200_000, cells: 10_000_000, cell: 1 << 20, line: 16 << 20}
}

const divide = "divide it and import the parts"

// read reads a file. One that is in a buffer is not copied.
func (l limits) read(ctx context.Context, r io.Reader) (data []byte, err error) {
	if b, ok := r.(*bytes.Buffer); ok {
		if b.Len() > l.bytes {
			return nil, l.tooLarge()
		}
		return b.Bytes(), nil
	}
	data, err = io.ReadAll(io.LimitReader(contextReader{ctx, r}, int64(l.bytes)+1))
	if err == nil && len(data) > l.bytes {
		err = l.tooLarge()
	}
	return data, err
}

func (l limits) tooLarge() error {
	return refusef("the file has more than %d MiB: %s", l.bytes>>20, divide)
}

func (l limits) tooManyRows() error {
	return refusef("the file has more than %d rows: %s", l.rows, divide)
}

func (l limits) tooManyColumns() error {
	return refusef("the file has more than %d columns: leave out those that are not needed", l.columns)
}

func (l limits) tooManyCells() error {
	return refusef("the file has more than %d cells: leave out columns that are not needed, or %s", l.cells, divide)
}

func (l limits) tooLong(line int) error {
	return refusef("line %d: a cell has more than %d bytes: shorten it, or see whether a quotation mark is missing", line, l.cell)
}

// contextReader stops reading when a context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
