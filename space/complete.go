package space

import (
	"strconv"
	"strings"
)

// Complete returns the values of all parameters in the order of the space: the fixed ones
// filled in, whole numbers of int and logint parameters as int64 and all other numbers as
// float64. It refuses what Encode refuses.
func (s *Space) Complete(v Params) (Params, error) {
	if _, err := s.Encode(v); err != nil {
		return Params{}, err
	}
	if v.of == s {
		return v, nil
	}
	own := s.owns(v)
	if numbers, ok := s.numbersOf(v, own); ok {
		return Params{names: s.names, index: s.index, of: s, numbers: numbers}, nil
	}
	all := Params{names: s.names, index: s.index, values: make([]any, len(s.params))}
	for i := range s.params {
		p := &s.params[i]
		value, given := s.valueOf(v, i, own)
		switch n := value.(type) {
		case float64:
			if p.Kind == KindInt || p.Kind == KindLogInt {
				value = int64(n)
			}
		case int64:
			if p.Kind == KindFloat || p.Kind == KindLog || p.Kind == KindOrdinal {
				value = float64(n)
			}
		}
		if !given || p.Kind == KindFixed {
			value = p.Value
		}
		all.values[i] = value
	}
	return all, nil
}

// numbersOf are the numbers that stand for values, if they do so exactly.
func (s *Space) numbersOf(v Params, own bool) ([]float64, bool) {
	numbers := make([]float64, len(s.params))
	for i := range s.params {
		p := &s.params[i]
		if p.Kind == KindFixed {
			continue
		}
		value, _ := s.valueOf(v, i, own)
		n, ok := p.toNumber(value)
		if !ok {
			return nil, false
		}
		numbers[i] = n
	}
	return numbers, true
}

// ReadText reads a value as Params.Text writes it. What cannot be read stays a string, for
// Encode to say what it expected.
func (p Param) ReadText(text string) any {
	_, word := p.Value.(string)
	_, truth := p.Value.(bool)
	switch {
	case p.Kind == KindChoice || word:
		return text
	case p.Kind == KindBool || truth:
		if b, err := strconv.ParseBool(strings.TrimSpace(text)); err == nil {
			return b
		}
		return text
	}
	number := strings.TrimSpace(text)
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(number, 64); err == nil {
		return f
	}
	return text
}
