package space

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// readFlat reads what Params.MarshalJSON writes, {"name": value, ...} with numbers, plain
// strings and bools, some ten times faster than jsonTree. It says no to anything else,
// right or wrong, which jsonTree then reads or refuses with its place.
func readFlat(data []byte) (Params, bool) {
	if !utf8.Valid(data) {
		return Params{}, false
	}
	s := flatScanner{rest: string(data)}
	count := strings.Count(s.rest, ":")
	v := Params{names: make([]string, 0, count), values: make([]any, 0, count), index: make(map[string]int, count)}
	if !s.take('{') {
		return Params{}, false
	}
	for first := true; !s.take('}'); first = false {
		if !first && !s.take(',') {
			return Params{}, false
		}
		name, ok := s.text()
		if !ok || !s.take(':') {
			return Params{}, false
		}
		value, ok := s.scalar()
		if _, twice := v.index[name]; twice || !ok {
			return Params{}, false
		}
		v.add(name, value)
	}
	s.space()
	return v, s.rest == ""
}

// flatScanner reads tokens from the front of rest.
type flatScanner struct{ rest string }

func (s *flatScanner) space() { s.rest = strings.TrimLeft(s.rest, " \t\r\n") }

// take consumes a sign, if it comes next.
func (s *flatScanner) take(sign byte) bool {
	s.space()
	if s.rest == "" || s.rest[0] != sign {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// text reads a string without escapes.
func (s *flatScanner) text() (string, bool) {
	if !s.take('"') {
		return "", false
	}
	end := strings.IndexByte(s.rest, '"')
	if end < 0 {
		return "", false
	}
	text := s.rest[:end]
	for i := range len(text) {
		if text[i] == '\\' || text[i] < ' ' {
			return "", false
		}
	}
	s.rest = s.rest[end+1:]
	return text, true
}

// scalar reads a value.
func (s *flatScanner) scalar() (any, bool) {
	s.space()
	if strings.HasPrefix(s.rest, `"`) {
		return s.text()
	}
	end := strings.IndexAny(s.rest, ",} \t\r\n")
	if end < 0 {
		return nil, false
	}
	word := s.rest[:end]
	s.rest = s.rest[end:]
	switch word {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return jsonNumber(word)
}

// jsonNumber reads a number as JSON writes it; a whole one is an int64.
func jsonNumber(word string) (any, bool) {
	digits := strings.TrimPrefix(word, "-")
	if digits == "" || digits[0] == '0' && len(digits) > 1 && digits[1] != '.' {
		return nil, false
	}
	whole := true
	for i := range len(digits) {
		switch c := digits[i]; {
		case '0' <= c && c <= '9':
		case c == '.' && i > 0 && i+1 < len(digits) && '0' <= digits[i+1] && digits[i+1] <= '9', c == 'e', c == 'E', c == '+', c == '-':
			whole = false
		default:
			return nil, false
		}
	}
	if digits[0] < '0' || digits[0] > '9' {
		return nil, false
	}
	if whole {
		n, err := strconv.ParseInt(word, 10, 64)
		return n, err == nil && word != "-0"
	}
	f, err := strconv.ParseFloat(word, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// appendJSON writes what json.Marshal does, numbers and plain strings without its detours:
// a log has every parameter of every trial.
func appendJSON(b []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case float64:
		if a := math.Abs(v); a == 0 || a >= 1e-6 && a < 1e21 {
			return strconv.AppendFloat(b, v, 'f', -1, 64), nil
		}
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case string:
		if !strings.ContainsFunc(v, special) {
			return append(append(append(b, '"'), v...), '"'), nil
		}
	}
	text, err := json.Marshal(value)
	return append(b, text...), err
}

// special says whether JSON may write a character in another way.
func special(r rune) bool {
	return r < ' ' || r >= utf8.RuneSelf || strings.ContainsRune(`"\<>&`, r)
}
