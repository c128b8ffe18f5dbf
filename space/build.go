package space

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// declaration is what New is given or a file says, before it is checked as a whole.
type declaration struct {
	params      []declaredParam
	constraints []declaredConstraint
	outcomes    []declaredOutcome
}

type declaredParam struct {
	Param
	name, value *yaml.Node // nil without a file
}

type declaredConstraint struct {
	Constraint
	node *yaml.Node // nil without a file
}

// FileError is a mistake at a place of a file. Lines and columns count from 1; they are 0
// for a space made in Go.
type FileError struct {
	Line, Column int
	Param        string // the parameter as declared, if the mistake is in one
	Err          error
}

func (e *FileError) Error() string {
	message := e.Err.Error()
	if e.Param != "" {
		message = fmt.Sprintf("parameter %q: %s", e.Param, message)
	}
	if e.Line > 0 {
		message = fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, message)
	}
	return message
}

func (e *FileError) Unwrap() error { return e.Err }

// at places an error at a node.
func at(node *yaml.Node, param string, err error) error {
	e := &FileError{Param: param, Err: err}
	if node != nil {
		e.Line, e.Column = node.Line, node.Column
	}
	return e
}

// build checks a declaration and makes the space of it.
func (d declaration) build() (*Space, error) {
	s := &Space{index: map[string]int{}, first: []int{0}}
	var owner []int // by parameter, in d.params
	for k, p := range d.params {
		p.Value = normal(p.Value)
		names, err := expand(p.Name)
		if err != nil {
			return nil, at(p.name, p.Name, err)
		}
		if err := p.check(); err != nil {
			return nil, at(p.value, p.Name, err)
		}
		if len(s.params)+len(names) > maxParams {
			return nil, at(p.name, p.Name, fmt.Errorf("the space has more than %d parameters with this one", maxParams))
		}
		for _, name := range names {
			if i, twice := s.index[name]; twice {
				return nil, at(p.name, p.Name, duplicate(name, d.params[owner[i]]))
			}
			owner = append(owner, k)
			s.add(name, p.Param)
			if s.Dim() > maxCoordinates {
				return nil, at(p.name, p.Name, fmt.Errorf("the space has more than %d coordinates with this one, one for each label of a choice", maxCoordinates))
			}
		}
		s.declared = append(s.declared, p.Param)
	}
	if s.Dim() == 0 {
		return nil, errors.New("the space has nothing to vary: declare a parameter that is not fixed")
	}
	for _, c := range d.constraints {
		row, err := s.parseRow(string(c.Constraint))
		if err != nil {
			return nil, atOffset(c.node, err)
		}
		s.constraints = append(s.constraints, c.Constraint)
		s.rows = append(s.rows, row)
	}
	if err := s.bind(); err != nil {
		return nil, at(d.constraints[0].node, "", err)
	}
	if err := s.addOutcomes(d.outcomes); err != nil {
		return nil, err
	}
	return s, nil
}

// add appends one parameter of a declared one.
func (s *Space) add(name string, p Param) {
	p.Name = name
	s.index[name] = len(s.params)
	s.params = append(s.params, p)
	s.names = append(s.names, name)
	a := newAxis(p)
	s.axes = append(s.axes, a)
	s.first = append(s.first, s.Dim()+a.width())
}

func duplicate(name string, other declaredParam) error {
	place := ""
	if other.name != nil {
		place = fmt.Sprintf(" in line %d", other.name.Line)
	}
	by := ""
	if other.Name != name {
		by = fmt.Sprintf(" by %q", other.Name)
	}
	return fmt.Errorf("%s is already declared%s%s: rename one", name, by, place)
}

// atOffset places an error of a constraint at its character, where the text of the file
// is the text of the constraint; else at its beginning.
func atOffset(node *yaml.Node, err error) error {
	placed := at(node, "", err)
	var e *constraintError
	var f *FileError
	if node == nil || !errors.As(err, &e) || !errors.As(placed, &f) {
		return placed
	}
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle
	if node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && plain(node.Value) {
		f.Column += e.Column - 1
		if node.Style&quoted != 0 {
			f.Column++
		}
	}
	return placed
}

// plain says that a text has nothing that a file would write in another way.
func plain(text string) bool {
	for _, r := range text {
		if r < ' ' || r == '\\' || r == '"' || r == '\'' {
			return false
		}
	}
	return true
}
