package space

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mahabo/mahabo/internal/hint"
)

// numbers is a constraint as numbers: the sum of Coefficient[k] times the value of parameter
// Param[k] is at most Bound. Parameters increase; no coefficient is 0.
type numbers struct {
	Text        Constraint
	Param       []int
	Coefficient []float64
	Bound       float64
}

// constraintError is a mistake in the text of a constraint; columns count characters from 1.
type constraintError struct {
	Text    string
	Column  int
	Problem string
}

func (e *constraintError) Error() string {
	return fmt.Sprintf("constraint %q, character %d: %s", e.excerpt(), e.Column, e.Problem)
}

// excerpt is the text around the mistake.
func (e *constraintError) excerpt() string {
	const around = 40
	runes := []rune(e.Text)
	from, to := max(0, e.Column-1-around), min(len(runes), e.Column-1+around)
	text := string(runes[from:to])
	if from > 0 {
		text = "..." + text
	}
	if to < len(runes) {
		text += "..."
	}
	return text
}

// linear is a constant plus a sum of coefficients times parameters.
type linear struct {
	constant float64
	terms    map[int]float64
}

// add computes l += scale*other.
func (l *linear) add(scale float64, other linear) {
	l.constant += scale * other.constant
	for i, c := range other.terms {
		if l.terms == nil {
			l.terms = map[int]float64{}
		}
		l.terms[i] += scale * c
	}
}

func (l *linear) scale(by float64) {
	l.constant *= by
	for i := range l.terms {
		l.terms[i] *= by
	}
}

// parser reads
//
//	constraint = sum ("<=" | ">=") sum
//	sum        = product {("+" | "-") product}
//	product    = factor {("*" | "/") factor}
//	factor     = number | name | "(" sum ")" | ("+" | "-") factor
//
// and keeps every part linear: of the factors of a product one may hold parameters.
type parser struct {
	s     *Space
	text  string
	at    int // the next byte
	depth int
}

// parseRow reads a constraint.
func (s *Space) parseRow(text string) (numbers, error) {
	p := &parser{s: s, text: text}
	left, err := p.sum()
	if err != nil {
		return numbers{}, err
	}
	compared := p.at
	sign, err := p.relation()
	if err != nil {
		return numbers{}, err
	}
	right, err := p.sum()
	if err != nil {
		return numbers{}, err
	}
	if p.skip(); p.at < len(p.text) {
		return numbers{}, p.trailing()
	}
	left.add(-1, right)
	left.scale(sign)
	row := numbers{Text: Constraint(text), Bound: 0 - left.constant}
	for i, c := range left.terms {
		if c != 0 {
			row.Param = append(row.Param, i)
		}
	}
	slices.Sort(row.Param)
	for _, i := range row.Param {
		row.Coefficient = append(row.Coefficient, left.terms[i])
	}
	if len(row.Param) == 0 {
		return numbers{}, p.fail(compared, "no parameter is left in it: it says nothing about the space")
	}
	for _, c := range append(row.Coefficient, row.Bound) {
		if !finite(c) {
			return numbers{}, p.fail(compared, "its numbers are too large for a float64")
		}
	}
	return row, nil
}

// relation reads <= as 1 and >= as -1.
func (p *parser) relation() (sign float64, err error) {
	p.skip()
	rest, start := p.text[p.at:], p.at
	p.at += min(2, len(rest))
	switch {
	case strings.HasPrefix(rest, "<="):
		return 1, nil
	case strings.HasPrefix(rest, ">="):
		return -1, nil
	case strings.HasPrefix(rest, "="):
		return 0, p.fail(start, "an equality leaves no room to search: remove one parameter by solving for it, or allow a margin with two constraints, <= and >=")
	case strings.HasPrefix(rest, "<"), strings.HasPrefix(rest, ">"):
		return 0, p.fail(start, "strict inequalities cannot be told from others in floating point: write <= or >=")
	case rest == "":
		return 0, p.fail(start, "a comparison is missing: write sum <= sum or sum >= sum")
	}
	p.at = start
	return 0, p.unexpected("+, -, *, /, <= or >=")
}

// trailing explains what follows a complete constraint.
func (p *parser) trailing() error {
	if strings.ContainsRune("<>=", rune(p.text[p.at])) {
		return p.fail(p.at, "a second comparison: write two constraints")
	}
	return p.unexpected("the end of the constraint")
}

func (p *parser) sum() (linear, error) {
	total, err := p.product()
	for err == nil {
		sign := 1.0
		switch p.peek() {
		case '+':
		case '-':
			sign = -1
		default:
			return total, nil
		}
		p.at++
		var next linear
		next, err = p.product()
		total.add(sign, next)
	}
	return total, err
}

func (p *parser) product() (linear, error) {
	left, err := p.factor()
	for err == nil {
		operator := p.peek()
		if operator != '*' && operator != '/' {
			return left, nil
		}
		start := p.at
		p.at++
		var right linear
		if right, err = p.factor(); err != nil {
			break
		}
		switch {
		case operator == '/' && len(right.terms) > 0:
			err = p.fail(start, "dividing by a parameter is not linear: multiply both sides by it if that makes sense, or drop the constraint")
		case operator == '/' && right.constant == 0:
			err = p.fail(start, "division by 0")
		case operator == '/':
			left.scale(1 / right.constant)
		case len(left.terms) > 0 && len(right.terms) > 0:
			err = p.fail(start, "a product of parameters is not linear: constraints are sums of numbers times parameters")
		case len(left.terms) > 0:
			left.scale(right.constant)
		default:
			right.scale(left.constant)
			left = right
		}
	}
	return left, err
}

// maxDepth bounds nested brackets and signs.
const maxDepth = 100

func (p *parser) factor() (linear, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return linear{}, p.fail(p.at, "too many brackets or signs inside each other")
	}
	switch c := p.peek(); {
	case c == '-' || c == '+':
		p.at++
		l, err := p.factor()
		if c == '-' {
			l.scale(-1)
		}
		return l, err
	case c == '(':
		open := p.at
		p.at++
		l, err := p.sum()
		if err == nil && p.peek() != ')' {
			err = p.fail(open, "the bracket is not closed")
		}
		p.at++
		return l, err
	case c == '.' || c >= '0' && c <= '9':
		return p.number()
	case nameRune(c, true):
		return p.name()
	}
	return linear{}, p.unexpected("a number, a parameter or (")
}

func (p *parser) number() (linear, error) {
	start := p.at
	digits := func() {
		for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
			p.at++
		}
	}
	digits()
	if strings.HasPrefix(p.text[p.at:], ".") {
		p.at++
		digits()
	}
	if mantissa := p.at; p.at < len(p.text) && (p.text[p.at] == 'e' || p.text[p.at] == 'E') {
		p.at++
		if p.at < len(p.text) && (p.text[p.at] == '+' || p.text[p.at] == '-') {
			p.at++
		}
		exponent := p.at
		if digits(); p.at == exponent { // 2eps has none
			p.at = mantissa
		}
	}
	v, err := strconv.ParseFloat(p.text[start:p.at], 64)
	if err != nil {
		return linear{}, p.fail(start, fmt.Sprintf("%q is not a number of a float64", p.text[start:p.at]))
	}
	if next, _ := utf8.DecodeRuneInString(p.text[p.at:]); nameRune(next, true) {
		return linear{}, p.fail(p.at, fmt.Sprintf("an operator is missing: write %s*%c...", p.text[start:p.at], next))
	}
	return linear{constant: v}, nil
}

// name reads a parameter that is linear in the box.
func (p *parser) name() (linear, error) {
	start := p.at
	for i, r := range p.text[start:] {
		if !nameRune(r, i == 0) {
			break
		}
		p.at = start + i + utf8.RuneLen(r)
	}
	name := p.text[start:p.at]
	i, ok := p.s.index[name]
	if !ok {
		return linear{}, p.fail(start, fmt.Sprintf("parameter %q is not in the space%s", name, hint.DidYouMean(name, p.s.names)))
	}
	switch kind := p.s.params[i].Kind; kind {
	case KindLog, KindLogInt:
		return linear{}, p.fail(start, fmt.Sprintf(
			"%s is searched on a logarithmic scale, where the constraint is not linear: make it float or int, or declare its logarithm as a float and constrain that", name))
	case KindChoice:
		return linear{}, p.fail(start, fmt.Sprintf("%s is a choice, whose labels are not numbers: use ordinal for numbers, or drop it from the constraint", name))
	case KindFixed:
		v, ok := numeric(p.s.params[i].Value)
		if !ok {
			return linear{}, p.fail(start, fmt.Sprintf("%s is fixed to a text: drop it from the constraint", name))
		}
		return linear{constant: v}, nil
	}
	return linear{terms: map[int]float64{i: 1}}, nil
}

// numeric returns a value as it counts in constraints.
func numeric(value any) (float64, bool) {
	if b, ok := value.(bool); ok {
		if b {
			return 1, true
		}
		return 0, true
	}
	return number(value)
}

// peek returns the next character after spaces, or 0 at the end.
func (p *parser) peek() rune {
	p.skip()
	if p.at >= len(p.text) {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return r
}

func (p *parser) skip() {
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if !unicode.IsSpace(r) {
			return
		}
		p.at += size
	}
}

func (p *parser) unexpected(wanted string) error {
	if p.skip(); p.at >= len(p.text) {
		return p.fail(p.at, "the text ends where "+wanted+" was expected")
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	if r == ',' && p.at > 0 && hint.Point(p.text[p.at-1:min(len(p.text), p.at+2)]) != "" {
		return p.fail(p.at, "decimals stand behind a point, not a comma, as in 0.5")
	}
	return p.fail(p.at, fmt.Sprintf("expected %s, got %q", wanted, r))
}

func (p *parser) fail(at int, problem string) error {
	column := utf8.RuneCountInString(p.text[:min(at, len(p.text))]) + 1
	return &constraintError{Text: p.text, Column: column, Problem: problem}
}
