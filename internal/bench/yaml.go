package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mahabo/mahabo/internal/hint"
	"go.yaml.in/yaml/v3"
)

// reader takes a YAML file apart; its errors name line and column.
type reader struct{ path string }

func (r reader) errorf(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %w", r.path, n.Line, n.Column, fmt.Errorf(format, args...))
}

// mapping calls the function of every key. Unknown and repeated keys are errors.
func (r reader) mapping(n *yaml.Node, keys map[string]func(*yaml.Node) error) error {
	n = follow(n)
	if n.Kind != yaml.MappingNode {
		return r.errorf(n, "here must be keys with values: %s", known(keys))
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, ok := keys[key.Value]
		switch {
		case !ok:
			return r.errorf(key, "unknown key %q: the keys are %s%s", key.Value, known(keys), hint.DidYouMean(key.Value, slices.Sorted(maps.Keys(keys))))
		case seen[key.Value]:
			return r.errorf(key, "key %q is given twice", key.Value)
		}
		seen[key.Value] = true
		if err := read(value); err != nil {
			return err
		}
	}
	return nil
}

func known(keys map[string]func(*yaml.Node) error) string {
	return strings.Join(slices.Sorted(maps.Keys(keys)), ", ")
}

// sequence calls a function for every element.
func (r reader) sequence(n *yaml.Node, read func(*yaml.Node) error) error {
	n = follow(n)
	if n.Kind != yaml.SequenceNode {
		return r.errorf(n, "here must be a list, as in [a, b]")
	}
	for _, element := range n.Content {
		if err := read(element); err != nil {
			return err
		}
	}
	return nil
}

// scalar stores a single value; what says what it has to be.
func (r reader) scalar(n *yaml.Node, dst any, what string) error {
	n = follow(n)
	_, whole := dst.(*int) // Decode would cut 1.5 to 1
	if n.Kind != yaml.ScalarNode || whole && n.ShortTag() != "!!int" || n.Decode(dst) != nil {
		return r.errorf(n, "%s must be %s", shown(n), what)
	}
	return nil
}

// list replaces dst by a list of values of one kind.
func list[T any](r reader, n *yaml.Node, dst *[]T, what string) error {
	*dst = nil
	return r.sequence(n, func(n *yaml.Node) error {
		var v T
		if err := r.scalar(n, &v, what); err != nil {
			return err
		}
		*dst = append(*dst, v)
		return nil
	})
}

// follow returns what an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func shown(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return fmt.Sprintf("%q", n.Value)
	}
	return "this"
}
