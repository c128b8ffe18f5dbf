package sobol

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"sync"
)

// MaxDim is the number of dimensions of the Joe-Kuo table.
const MaxDim = 21201

const (
	wordBits = 32
	// smallDim is the size of the table that most callers need. It is read in
	// a tenth of the time of the whole table. It is not a power of two, so that
	// the rows of the table do not compete for the same cache lines.
	smallDim = 1111
)

//go:embed joe-kuo-21201.txt.gz
var joeKuo []byte

// table holds direction numbers: v[c][j] belongs to bit c and dimension j.
type table struct {
	v [wordBits][]uint32
}

// Both tables are read at most once, when first needed, and never change.
var (
	smallTable = sync.OnceValues(func() (*table, error) { return readTable(joeKuo, smallDim) })
	fullTable  = sync.OnceValues(func() (*table, error) { return readTable(joeKuo, MaxDim) })
)

func tableFor(dim int) (*table, error) {
	if dim <= smallDim {
		return smallTable()
	}
	return fullTable()
}

// readTable unpacks the first dim lines of compressed and no more.
func readTable(compressed []byte, dim int) (*table, error) {
	z, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("sobol: direction numbers: %w", err)
	}
	t := new(table)
	words := make([]uint32, wordBits*dim)
	for c := range t.v {
		t.v[c] = words[c*dim : (c+1)*dim : (c+1)*dim]
	}
	lines := bufio.NewScanner(z)
	for j := 0; j < dim; {
		if !lines.Scan() {
			return nil, fmt.Errorf("sobol: direction numbers of dimension %d: %w", j+1, endError(lines.Err()))
		}
		line := lines.Bytes()
		if len(line) > 0 && line[0] == '#' {
			continue
		}
		v, err := directions(line)
		if err != nil {
			return nil, fmt.Errorf("sobol: direction numbers of dimension %d: %w", j+1, err)
		}
		for c := range v {
			t.v[c][j] = v[c]
		}
		j++
	}
	return t, nil
}

// endError names the end of the text when the scanner stopped without an error.
func endError(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}

// directions turns a line "polynomial m_1 ... m_s" into direction numbers. With
// the primitive polynomial x^s + a_1 x^(s-1) + ... + a_(s-1) x + 1,
//
//	v_i = a_1 v_(i-1) ^ ... ^ a_(s-1) v_(i-s+1) ^ v_(i-s) ^ v_(i-s)>>s
//
// for i > s, and v_i = m_i 2^(32-i) before.
func directions(line []byte) (v [wordBits]uint32, err error) {
	poly, line, ok := cutNumber(line)
	if !ok || poly == 0 {
		return v, errors.New("the polynomial is missing")
	}
	s := bits.Len32(poly) - 1
	first := max(s, 1) // dimension 1 has the polynomial 1 and one number
	for i := range first {
		var m uint32
		if m, line, ok = cutNumber(line); !ok || m&1 == 0 || m>>i > 1 {
			return v, fmt.Errorf("number %d must be odd and below 2^%d", i+1, i+1)
		}
		v[i] = m << (wordBits - 1 - i)
	}
	if s == 0 { // van der Corput: all m_i = 1
		for i := range v {
			v[i] = 1 << (wordBits - 1 - i)
		}
		return v, nil
	}
	for i := s; i < wordBits; i++ {
		w := v[i-s] ^ v[i-s]>>s
		for k := 1; k < s; k++ {
			w ^= v[i-k] & -(poly >> (s - k) & 1)
		}
		v[i] = w
	}
	return v, nil
}

// cutNumber reads the decimal number at the front of line.
func cutNumber(line []byte) (n uint32, rest []byte, ok bool) {
	i := 0
	for i < len(line) && line[i] == ' ' {
		i++
	}
	start := i
	for ; i < len(line) && '0' <= line[i] && line[i] <= '9'; i++ {
		n = 10*n + uint32(line[i]-'0')
	}
	return n, line[i:], i > start
}
