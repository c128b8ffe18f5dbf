package problem

import (
	"context"
	"fmt"
	"slices"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
)

// Problem is a function to be minimised over parameters.
type Problem struct {
	Name        string
	Description string // one line

	Dim     int // D, number of parameters
	TrueDim int // d, how many linear combinations of them matter at most; 0 when unknown

	// Space has the parameters; nil stands for x0 .. x{D-1}, each in [-1,1].
	Space *space.Space
	parts []space.Part // that it is made of

	// Minimum is the lowest noise-free value over the box, NaN when unknown.
	// For an embedded problem it is that of the function inside: a lower
	// bound, for the embedding may not reach it.
	Minimum float64

	// Eval returns what an optimiser sees at a point of the box that stands for the
	// space, [-1,1]^D where Space is nil; NaN says that there is no value. It is a
	// pure function and safe for concurrent use; it does not keep x.
	Eval func(x []float64) float64

	// NoiseFree is Eval without noise; nil when Eval has none.
	NoiseFree func(x []float64) float64

	// Named, if it is set, evaluates in place of Eval. It may fail for a reason. An error
	// says that no other evaluation will work either.
	Named func(ctx context.Context, v space.Params) (Evaluation, error)
}

// Evaluation is what came of parameters.
type Evaluation struct {
	Seen  evaluate.Outcome // what an optimiser is told
	Value float64          // without noise, by which results are judged, where Seen is complete
}

// Value returns the noise-free value at x, by which results are judged.
func (p Problem) Value(x []float64) float64 {
	if p.NoiseFree != nil {
		return p.NoiseFree(x)
	}
	return p.Eval(x)
}

// Parameters returns the space, which is made anew where the problem has none of its own.
func (p Problem) Parameters() (*space.Space, error) {
	if p.Space != nil {
		return p.Space, nil
	}
	return space.New(p.box())
}

// box is the declaration of x0 .. x{D-1}.
func (p Problem) box() space.Param { return space.Float(fmt.Sprintf("x[0:%d]", p.Dim-1), -1, 1) }

// Described returns the space of a built-in problem with a description for every parameter.
func (p Problem) Described(text string) (*space.Space, error) {
	if p.Space == nil {
		return space.New(p.box().WithDescription(text))
	}
	parts := slices.Clone(p.parts)
	for i, part := range parts {
		if param, ok := part.(space.Param); ok {
			parts[i] = param.WithDescription(text)
		}
	}
	return space.New(parts...)
}

// Evaluator returns the problem as a function of named parameters.
func (p Problem) Evaluator() (func(ctx context.Context, v space.Params) (Evaluation, error), error) {
	if p.Named != nil {
		return p.Named, nil
	}
	s, err := p.Parameters()
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, v space.Params) (Evaluation, error) {
		x, err := s.Encode(v)
		if err != nil {
			return Evaluation{}, err
		}
		e := Evaluation{Seen: evaluate.Value(p.Eval(x))}
		if e.Value = e.Seen.Value; p.NoiseFree != nil {
			e.Value = p.NoiseFree(x)
		}
		return e, nil
	}, nil
}

// onSpace is a problem with parameters of its own kinds. Nothing is known of directions.
func onSpace(name, description string, minimum float64, f func(space.Params) float64, parts ...space.Part) Problem {
	s, err := space.New(parts...)
	if err != nil {
		panic("problem: " + name + ": " + err.Error())
	}
	return Problem{
		Name: name, Description: description, Dim: len(s.Params()), Space: s, parts: parts, Minimum: minimum,
		Eval: func(x []float64) float64 {
			v, err := s.Decode(x)
			if err != nil {
				panic("problem: " + name + ": " + err.Error())
			}
			return f(v)
		},
	}
}
