package table

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// checkParquet finds out what a Parquet file unpacks to before the library does, which
// believes the sizes and counts that the file states, and returns the names of the columns.
// The check unpacks page by page and keeps none.
func checkParquet(ctx context.Context, data []byte, l limits) (header []string, err error) {
	c := pageChecker{data: data, limits: l}
	var meta format.FileMetaData
	if err := c.footer(&meta); err != nil {
		return nil, refusef("it is not a Parquet file: %w", err)
	}
	if header, err = c.schema(meta.Schema); err != nil {
		return nil, err
	}
	rows := int64(0)
	for _, group := range meta.RowGroups {
		if group.NumRows < 0 || len(group.Columns) != len(header) {
			return nil, refusef("it is not a Parquet file: a group of rows is broken")
		}
		switch rows += min(group.NumRows, int64(l.rows)+1); {
		case rows > int64(l.rows):
			return nil, l.tooManyRows()
		case rows*int64(len(header)) > int64(l.cells):
			return nil, l.tooManyCells()
		}
	}
	for _, group := range meta.RowGroups {
		for i := range group.Columns {
			err := c.chunk(ctx, &group.Columns[i].MetaData, int(group.NumRows), meta.Schema[i+1].RepetitionType.V == format.Optional)
			if errors.Is(err, errTooLarge) {
				return nil, l.tooLarge()
			}
			if err != nil && ctx.Err() == nil {
				err = refusef("column %q: %w", shorten(header[i]), err)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return header, nil
}

var (
	errTooLarge = errors.New("too large")
	errPage     = errors.New("a page is broken")
)

type pageChecker struct {
	data     []byte
	limits   limits
	unpacked int // bytes
}

// mostElements bounds the lists in the description of a file: about eight elements for every
// column of every group of rows. The largest ones take half a kilobyte of memory.
const mostElements = 1_000_000

// magic stands at both ends of a Parquet file.
const magic = "PAR1"

// footer reads the description of the file: it stands at the end, before its length and
// the magic bytes.
func (c *pageChecker) footer(meta *format.FileMetaData) error {
	end := len(c.data) - len(magic) - 4
	if end < 0 || !bytes.HasSuffix(c.data, []byte(magic)) {
		return fmt.Errorf("it does not end with %s", magic)
	}
	length := int(binary.LittleEndian.Uint32(c.data[end:]))
	if length > end {
		return errThrift
	}
	text := c.data[end-length : end]
	if _, err := thriftLength(text, mostElements); err != nil {
		return err
	}
	return thrift.Unmarshal(&thrift.CompactProtocol{}, text, meta)
}

// schema returns the names of the columns of a flat table.
func (c *pageChecker) schema(schema []format.SchemaElement) (header []string, err error) {
	if len(schema) == 0 {
		return nil, refusef("it is not a Parquet file: it has no columns")
	}
	if len(schema)-1 > c.limits.columns {
		return nil, c.limits.tooManyColumns()
	}
	for _, column := range schema[1:] {
		if column.NumChildren.V != 0 || column.RepetitionType.V == format.Repeated {
			return nil, refusef("column %q is nested: write a flat table", shorten(column.Name))
		}
		header = append(header, column.Name)
	}
	return header, nil
}

// chunk checks the pages of a column in a group of rows.
func (c *pageChecker) chunk(ctx context.Context, meta *format.ColumnMetaData, rows int, optional bool) error {
	begin := meta.DataPageOffset
	if meta.DictionaryPageOffset != 0 {
		begin = meta.DictionaryPageOffset
	}
	if begin < 0 || meta.TotalCompressedSize < 0 || begin > int64(len(c.data)) || meta.TotalCompressedSize > int64(len(c.data))-begin {
		return errPage
	}
	rest := c.data[begin:][:meta.TotalCompressedSize]
	values := 0
	for len(rest) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := thriftLength(rest, mostElements)
		if err != nil {
			return err
		}
		var h format.PageHeader
		if err := thrift.Unmarshal(&thrift.CompactProtocol{}, rest[:n], &h); err != nil {
			return err
		}
		if rest = rest[n:]; h.CompressedPageSize < 0 || h.UncompressedPageSize < 0 || int(h.CompressedPageSize) > len(rest) {
			return errPage
		}
		if c.unpacked += int(h.UncompressedPageSize); c.unpacked > c.limits.bytes {
			return errTooLarge
		}
		p := page{packed: rest[:h.CompressedPageSize], size: int(h.UncompressedPageSize), codec: meta.Codec, optional: optional}
		rest = rest[h.CompressedPageSize:]
		held, err := p.check(&h, rows)
		if err != nil {
			return err
		}
		if values += held; values > rows {
			return errPage
		}
	}
	return nil
}

// page is one page of a column.
type page struct {
	packed   []byte
	size     int // unpacked
	codec    format.CompressionCodec
	optional bool // there is a level for every row
}

// check returns how many rows the page holds, at most as many as stated.
func (p page) check(h *format.PageHeader, rows int) (values int, err error) {
	switch {
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		if n := int(h.DictionaryPageHeader.V.NumValues); n < 0 || n > rows {
			return 0, errPage
		}
		_, err = unpack(p.codec, p.packed, p.size)
		return 0, err
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		if values = int(h.DataPageHeader.V.NumValues); values < 0 || values > rows {
			return 0, errPage
		}
		return values, p.checkV1(&h.DataPageHeader.V, values)
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		if values = int(h.DataPageHeaderV2.V.NumValues); values < 0 || values > rows {
			return 0, errPage
		}
		return values, p.checkV2(&h.DataPageHeaderV2.V, values)
	}
	return 0, errPage
}

// checkV1: levels and values are packed together, the levels behind their length.
func (p page) checkV1(h *format.DataPageHeader, values int) error {
	data, err := unpack(p.codec, p.packed, p.size)
	if err != nil {
		return err
	}
	if p.optional {
		if h.DefinitionLevelEncoding != format.RLE {
			return fmt.Errorf("its levels have the encoding %s: write them with RLE", h.DefinitionLevelEncoding)
		}
		levels, rest, err := prefixed(data)
		if err != nil {
			return err
		}
		if err := checkRuns(levels, 1, values); err != nil {
			return err
		}
		data = rest
	}
	return checkValues(h.Encoding, data, values)
}

// checkV2: the levels are not packed.
func (p page) checkV2(h *format.DataPageHeaderV2, values int) error {
	repetition, definition := int(h.RepetitionLevelsByteLength), int(h.DefinitionLevelsByteLength)
	if repetition < 0 || definition < 0 || repetition > len(p.packed) || definition > len(p.packed)-repetition || repetition+definition > p.size {
		return errPage
	}
	if err := checkRuns(p.packed[repetition:][:definition], 1, values); err != nil {
		return err
	}
	codec := p.codec
	if h.IsCompressed.Valid && !h.IsCompressed.V {
		codec = format.Uncompressed
	}
	data, err := unpack(codec, p.packed[repetition+definition:], p.size-repetition-definition)
	if err != nil {
		return err
	}
	return checkValues(h.Encoding, data, values)
}

// checkValues refuses encoded values that are more than stated, and encodings in which few
// bytes can stand for long texts.
func checkValues(encoding format.Encoding, data []byte, values int) error {
	if len(data) == 0 { // all cells are empty
		return nil
	}
	switch encoding {
	case format.Plain, format.ByteStreamSplit:
		return nil
	case format.PlainDictionary, format.RLEDictionary:
		return checkRuns(data[1:], int(data[0]), values)
	case format.RLE:
		runs, _, err := prefixed(data)
		if err != nil {
			return err
		}
		return checkRuns(runs, 1, values)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		return checkDeltas(data, values)
	}
	return fmt.Errorf("its encoding %s is not read: write it with PLAIN or a dictionary", encoding)
}

// prefixed divides bytes that stand behind their length from the rest.
func prefixed(data []byte) (part, rest []byte, err error) {
	if len(data) < 4 {
		return nil, nil, errPage
	}
	n := int(binary.LittleEndian.Uint32(data))
	if n > len(data)-4 {
		return nil, nil, errPage
	}
	return data[4:][:n], data[4+n:], nil
}

// padding is what some programs fill the last run with.
const padding = 1024

// checkRuns adds up runs of values with a width in bits: a number, twice the length of a
// run, and its value; or a number, twice that of eights of values and one, and the values.
func checkRuns(data []byte, width, values int) error {
	if width > 32 {
		return errPage
	}
	for left := uint64(values + padding); len(data) > 0; {
		head, n := binary.Uvarint(data)
		if n <= 0 {
			return errPage
		}
		count, length := head>>1, uint64(width+7)/8
		if head&1 == 1 {
			if count > left {
				return errPage
			}
			count, length = 8*count, count*uint64(width)
		}
		if count > left {
			return errPage
		}
		left -= count
		data = data[n:]
		data = data[min(length, uint64(len(data))):]
	}
	return nil
}

// checkDeltas reads how many numbers follow: it stands behind the sizes of their blocks.
func checkDeltas(data []byte, values int) error {
	for i := range 3 {
		v, n := binary.Uvarint(data)
		if n <= 0 || i == 2 && v > uint64(values) {
			return errPage
		}
		data = data[n:]
	}
	return nil
}
