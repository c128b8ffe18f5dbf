// Package points packs the parameters and points of trials in few bytes, and knows the spaces
// that a study had: what was packed in one of them can be read in the terms of the present one.
package points

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// Codec has the spaces of a study. It is a value: With returns another.
type Codec struct {
	spaces []known
}

// known is a space that a study has or had.
type known struct {
	space *space.Space
	added space.Params // values that trials before it have for its new parameters
	logs  []int        // coordinates that need a logarithm, which machines round differently
}

// With returns the codec of a study whose space is another from now on. Trials that were packed
// before have the added values for parameters that are new.
func (c Codec) With(sp *space.Space, added space.Params) Codec {
	k := known{space: sp, added: added}
	for _, p := range sp.Params() {
		if p.Kind == space.KindLog || p.Kind == space.KindLogInt {
			first, _, _ := sp.Coordinates(p.Name)
			k.logs = append(k.logs, first)
		}
	}
	return Codec{append(slices.Clip(c.spaces), k)}
}

// Spaces are those that the study had, the present one last, with the values that were added.
func (c Codec) Spaces() (spaces []*space.Space, added []space.Params) {
	for _, k := range c.spaces {
		spaces, added = append(spaces, k.space), append(added, k.added)
	}
	return spaces, added
}

// How the point of a packed trial is kept.
const (
	pointFollows = iota // from the parameters, but for the coordinates that need a logarithm
	pointWhole
)

// ErrDamaged says that packed parameters cannot be read.
var ErrDamaged = errors.New("its packed parameters are damaged, or the store cannot read them")

// Pack writes a new trial of the present space: which space that is, the parameters and the
// point. Coordinates that follow from the parameters by exact arithmetic, the same on every
// machine, are left out.
func (c Codec) Pack(params space.Params, point strategy.Point) ([]byte, error) {
	k := c.spaces[len(c.spaces)-1]
	params, err := k.space.Complete(params)
	if err != nil {
		return nil, err
	}
	values, err := k.space.Pack(params)
	if err != nil {
		return nil, err
	}
	x, err := k.space.Encode(params)
	if err != nil {
		return nil, err
	}
	how, kept := pointFollows, k.logs
	for i, j := 0, 0; i < len(x); i++ {
		if j < len(kept) && kept[j] == i {
			j++
		} else if math.Float64bits(x[i]) != math.Float64bits(point[i]) {
			how, kept = pointWhole, whole(len(x))
			break
		}
	}
	b := make([]byte, 0, len(values)+8*len(kept)+2*binary.MaxVarintLen32)
	b = binary.AppendUvarint(b, uint64(len(c.spaces)-1))
	b = append(b, byte(how))
	b = binary.AppendUvarint(b, uint64(len(values)))
	b = append(b, values...)
	for _, i := range kept {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(point[i]))
	}
	return b, nil
}

// whole lists all coordinates.
func whole(dim int) []int {
	all := make([]int, dim)
	for i := range all {
		all[i] = i
	}
	return all
}

// Unpack reads what Pack wrote, in the terms of the space of then.
func (c Codec) Unpack(b []byte) (params space.Params, x strategy.Point, err error) {
	_, params, x, err = c.unpack(b)
	return params, x, err
}

func (c Codec) unpack(b []byte) (generation int, params space.Params, x strategy.Point, err error) {
	g, n := binary.Uvarint(b)
	if n <= 0 || g >= uint64(len(c.spaces)) || len(b) < n+2 {
		return 0, params, nil, ErrDamaged
	}
	how, b := b[n], b[n+1:]
	length, n := binary.Uvarint(b)
	if n <= 0 || length > uint64(len(b)-n) {
		return 0, params, nil, ErrDamaged
	}
	values, rest := b[n:n+int(length)], b[n+int(length):]
	k := c.spaces[g]
	if params, err = k.space.Unpack(values); err != nil {
		return 0, params, nil, err
	}
	kept := k.logs
	if how == pointWhole {
		x, kept = make(strategy.Point, k.space.Dim()), whole(k.space.Dim())
	} else if x, err = k.space.Encode(params); err != nil {
		return 0, params, nil, err
	}
	if len(rest) != 8*len(kept) {
		return 0, params, nil, ErrDamaged
	}
	for j, i := range kept {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(rest[8*j:]))
	}
	return int(g), params, x, nil
}

// Present reads what Pack wrote, in the terms of the present space. The point is nil when that
// space has none for the parameters, because its bounds are narrower.
func (c Codec) Present(b []byte) (space.Params, strategy.Point, error) {
	generation, params, x, err := c.unpack(b)
	if err != nil || generation == len(c.spaces)-1 {
		return params, x, err
	}
	params, x = c.lift(params, generation)
	return params, x, nil
}

// Lift says what parameters of the space before the present one are now, and their point.
func (c Codec) Lift(params space.Params) (space.Params, strategy.Point) {
	return c.lift(params, len(c.spaces)-2)
}

func (c Codec) lift(params space.Params, generation int) (space.Params, strategy.Point) {
	all := maps.Collect(params.All())
	for _, k := range c.spaces[generation+1:] {
		for name, value := range k.added.All() {
			if _, has := all[name]; !has {
				all[name] = value
			}
		}
	}
	sp := c.spaces[len(c.spaces)-1].space
	lifted := space.ParamsOf(all)
	if complete, err := sp.Complete(lifted); err == nil {
		if x, err := sp.Encode(complete); err == nil {
			return complete, x
		}
	}
	return lifted, nil
}
