package table

import (
	"encoding/binary"
	"errors"
)

// errThrift is a structure of a Parquet file that ends too early or is too deep or large.
var errThrift = errors.New("its description is broken")

// thriftWalker steps over a structure in Thrift's compact protocol without taking memory,
// so that a wrong length in it is found before somebody makes room for it.
type thriftWalker struct {
	data     []byte
	at       int
	elements int // that lists may have together
}

// thriftLength returns the bytes of the structure that data begins with. Its lists must not
// have more elements together than stated.
func thriftLength(data []byte, elements int) (int, error) {
	w := thriftWalker{data: data, elements: elements}
	err := w.structure(0)
	return w.at, err
}

// The types of Thrift's compact protocol.
const (
	thriftTrue = iota + 1
	thriftFalse
	thriftByte
	thriftInt16
	thriftInt32
	thriftInt64
	thriftDouble
	thriftBinary
	thriftList
	thriftSet
	thriftMap
	thriftStruct
)

// deepest is the nesting that a description of a flat table stays below by far.
const deepest = 32

func (w *thriftWalker) structure(depth int) error {
	if depth > deepest {
		return errThrift
	}
	for {
		head, err := w.byte()
		if err != nil || head == 0 {
			return err
		}
		if head>>4 == 0 { // the field's number follows
			if _, err := w.varint(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse {
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
}

func (w *thriftWalker) value(kind byte, depth int) error {
	switch kind {
	case thriftTrue, thriftFalse, thriftByte:
		return w.skip(1)
	case thriftInt16, thriftInt32, thriftInt64:
		_, err := w.varint()
		return err
	case thriftDouble:
		return w.skip(8)
	case thriftBinary:
		n, err := w.varint()
		if err != nil {
			return err
		}
		return w.skip(n)
	case thriftList, thriftSet:
		return w.list(depth + 1)
	case thriftStruct:
		return w.structure(depth + 1)
	}
	return errThrift // Parquet has no maps
}

func (w *thriftWalker) list(depth int) error {
	head, err := w.byte()
	if err != nil || depth > deepest {
		return errThrift
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = w.varint(); err != nil {
			return err
		}
	}
	if n > uint64(w.elements) {
		return errThrift
	}
	w.elements -= int(n)
	for range n {
		if err := w.value(head&15, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *thriftWalker) byte() (byte, error) {
	if w.at >= len(w.data) {
		return 0, errThrift
	}
	w.at++
	return w.data[w.at-1], nil
}

func (w *thriftWalker) varint() (uint64, error) {
	v, n := binary.Uvarint(w.data[w.at:])
	if n <= 0 {
		return 0, errThrift
	}
	w.at += n
	return v, nil
}

func (w *thriftWalker) skip(n uint64) error {
	if n > uint64(len(w.data)-w.at) {
		return errThrift
	}
	w.at += int(n)
	return nil
}
