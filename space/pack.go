package space

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

var errPacked = errors.New("packed values are damaged, or of another space")

// A packed number is the count of its decimals and then all its digits as a whole number, if
// there are few; else allDigits and the bits of the float64.
const (
	mostDecimals = 8
	mostWhole    = 1 << 40
	allDigits    = 0xff
)

var powersOfTen = [mostDecimals + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

func appendNumber(b []byte, f float64) []byte {
	for decimals, power := range powersOfTen {
		whole := math.Round(f * power)
		if math.Abs(whole) > mostWhole {
			break
		}
		// The quotient of a whole number and such a power is rounded alike on every machine.
		if math.Float64bits(float64(int64(whole))/power) == math.Float64bits(f) {
			return binary.AppendVarint(append(b, byte(decimals)), int64(whole))
		}
	}
	return binary.LittleEndian.AppendUint64(append(b, allDigits), math.Float64bits(f))
}

// readNumber returns a number and how many bytes it has, 0 when it is cut off.
func readNumber(b []byte) (f float64, n int) {
	switch {
	case len(b) > 8 && b[0] == allDigits:
		return math.Float64frombits(binary.LittleEndian.Uint64(b[1:])), 9
	case len(b) > 1 && b[0] <= mostDecimals:
		whole, n := binary.Varint(b[1:])
		if n <= 0 {
			return 0, 0
		}
		return float64(whole) / powersOfTen[b[0]], 1 + n
	}
	return 0, 0
}

// Pack writes values that Complete returned in few bytes, without their names: numbers with
// few digits and labels as short as they are, others as float64. Only this space, or an equal
// one, can unpack them.
func (s *Space) Pack(v Params) ([]byte, error) {
	own := s.owns(v)
	b := make([]byte, 0, 8*len(s.params))
	for i := range s.params {
		p := &s.params[i]
		value, _ := s.valueOf(v, i, own)
		fits := true
		switch p.Kind {
		case KindFixed:
		case KindInt, KindLogInt:
			var n int64
			n, fits = value.(int64)
			b = binary.AppendVarint(b, n)
		case KindBool:
			var yes bool
			yes, fits = value.(bool)
			b = append(b, 0)
			if yes {
				b[len(b)-1] = 1
			}
		case KindChoice:
			n := -1
			for k, label := range p.Labels {
				if label == value {
					n = k
				}
			}
			fits = n >= 0
			b = binary.AppendUvarint(b, uint64(max(n, 0)))
		default:
			var f float64
			f, fits = value.(float64)
			b = appendNumber(b, f)
		}
		if !fits {
			return nil, fmt.Errorf("parameter %q is %v, which cannot be packed", s.names[i], value)
		}
	}
	return b, nil
}

// fromNumber is the value that a number stands for among packed ones.
func (p *Param) fromNumber(n float64) any {
	switch p.Kind {
	case KindFixed:
		return p.Value
	case KindInt, KindLogInt:
		return int64(n)
	case KindBool:
		return n == 1
	case KindChoice:
		return p.Labels[int(n)]
	}
	return n
}

// toNumber is the number that stands for a value among packed ones, if there is one.
func (p *Param) toNumber(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, p.Kind != KindBool && p.Kind != KindChoice
	case int64:
		return float64(v), p.Kind != KindBool && p.Kind != KindChoice && v >= -1<<53 && v <= 1<<53
	case bool:
		if v {
			return 1, p.Kind == KindBool
		}
		return 0, p.Kind == KindBool
	case string:
		k := slices.Index(p.Labels, v)
		return float64(k), p.Kind == KindChoice && k >= 0
	}
	return 0, false
}

// Unpack reads what Pack wrote.
func (s *Space) Unpack(b []byte) (Params, error) {
	v := Params{names: s.names, index: s.index, of: s, numbers: make([]float64, len(s.params))}
	for i := range s.params {
		var n int
		switch p := &s.params[i]; p.Kind {
		case KindFixed:
			continue
		case KindInt, KindLogInt:
			var whole int64
			whole, n = binary.Varint(b)
			v.numbers[i] = float64(whole)
		case KindBool, KindChoice:
			var k uint64
			k, n = binary.Uvarint(b)
			if k > 1 && k >= uint64(len(p.Labels)) {
				return Params{}, errPacked
			}
			v.numbers[i] = float64(k)
		default:
			v.numbers[i], n = readNumber(b)
		}
		if n <= 0 || n > len(b) {
			return Params{}, errPacked
		}
		b = b[n:]
	}
	if len(b) > 0 {
		return Params{}, errPacked
	}
	return v, nil
}
