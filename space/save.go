package space

import (
	"bytes"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MarshalYAML returns the tree that Parse reads, ranges and order as declared.
func (s *Space) MarshalYAML() (any, error) { return s.tree(), nil }

// MarshalJSON writes the same tree as JSON.
func (s *Space) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := writeJSON(&b, s.tree())
	return b.Bytes(), err
}

// Equal says whether two spaces declare the same.
func Equal(a, b *Space) (bool, error) {
	one, err := a.MarshalJSON()
	if err != nil {
		return false, err
	}
	other, err := b.MarshalJSON()
	return bytes.Equal(one, other), err
}

func (s *Space) tree() *yaml.Node {
	params := &yaml.Node{Kind: yaml.MappingNode}
	for _, p := range s.declared {
		params.Content = append(params.Content, stringNode(p.Name), p.tree())
	}
	root := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{stringNode("parameters"), params}}
	if len(s.constraints) > 0 {
		constraints := &yaml.Node{Kind: yaml.SequenceNode}
		for _, c := range s.constraints {
			constraints.Content = append(constraints.Content, quotedNode(string(c)))
		}
		root.Content = append(root.Content, stringNode("constraints"), constraints)
	}
	if len(s.told) > 0 {
		outcomes := &yaml.Node{Kind: yaml.MappingNode}
		for _, o := range s.told {
			outcomes.Content = append(outcomes.Content, stringNode(o.Name), o.tree())
		}
		root.Content = append(root.Content, stringNode("outcomes"), outcomes)
	}
	return root
}

// tree is {kind: ..., unit: ..., description: ...}.
func (p Param) tree() *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	node.Content = append(node.Content, stringNode(string(p.Kind)), p.kindTree())
	if p.Step > 0 {
		node.Content = append(node.Content, stringNode("step"), numberNode(formatFloat(p.Step)))
	}
	if p.Digits > 0 {
		node.Content = append(node.Content, stringNode("digits"), numberNode(strconv.Itoa(p.Digits)))
	}
	if p.Unit != "" {
		node.Content = append(node.Content, stringNode("unit"), quotedNode(p.Unit))
	}
	if p.Description != "" {
		node.Content = append(node.Content, stringNode("description"), quotedNode(p.Description))
	}
	return node
}

func (p Param) kindTree() *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	switch p.Kind {
	case KindFixed:
		return valueNode(p.Value)
	case KindBool:
		list.Content = append(list.Content, valueNode(false), valueNode(true))
	case KindChoice:
		for _, label := range p.Labels {
			list.Content = append(list.Content, stringNode(label))
		}
	case KindOrdinal:
		for _, level := range p.Levels {
			list.Content = append(list.Content, numberNode(formatFloat(level)))
		}
	default:
		list.Content = append(list.Content, numberNode(formatFloat(p.Low)), numberNode(formatFloat(p.High)))
	}
	return list
}

func valueNode(value any) *yaml.Node {
	switch v := value.(type) {
	case string:
		return quotedNode(v)
	case bool:
		return numberNode(strconv.FormatBool(v))
	case float64:
		digits := formatFloat(v)
		if !strings.ContainsAny(digits, ".e") { // 3.0 is a float, 3 an int
			digits += ".0"
		}
		return numberNode(digits)
	}
	return numberNode(text(value))
}

// numberNode is a number, true or false: written plain, its tag follows from the text.
func numberNode(digits string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: digits}
}

// stringNode is a text, in quotes where it would read as something else.
func stringNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// quotedNode is a text in quotes, which can hold anything.
func quotedNode(text string) *yaml.Node {
	node := stringNode(text)
	node.Style = yaml.DoubleQuotedStyle
	return node
}
