package table

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

var errSize = errors.New("a page does not unpack to the size that it states")

// unpack decompresses a page of a Parquet file and stops when it has more bytes than it
// states.
func unpack(codec format.CompressionCodec, packed []byte, size int) ([]byte, error) {
	if len(packed) == 0 && size == 0 {
		return nil, nil
	}
	var stream io.Reader
	var err error
	switch codec {
	case format.Uncompressed:
		stream = bytes.NewReader(packed)
	case format.Snappy:
		if n, k := binary.Uvarint(packed); k <= 0 || n != uint64(size) {
			return nil, errSize
		}
		return parquet.Snappy.Decode(nil, packed)
	case format.Lz4Raw:
		page := make([]byte, size)
		if n, err := lz4.UncompressBlock(packed, page); err != nil || n != size {
			return nil, errSize
		}
		return page, nil
	case format.Gzip:
		stream, err = gzip.NewReader(bytes.NewReader(packed))
	case format.Brotli:
		stream = brotli.NewReader(bytes.NewReader(packed))
	case format.Zstd:
		var d *zstd.Decoder
		if d, err = zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true)); err == nil {
			defer d.Close()
			stream = d
		}
	default:
		return nil, fmt.Errorf("the compression %s is not known: write it with snappy, gzip or zstd", codec)
	}
	if err != nil {
		return nil, err
	}
	page, err := io.ReadAll(io.LimitReader(stream, int64(size)+1))
	if err == nil && len(page) != size {
		err = errSize
	}
	return page, err
}
