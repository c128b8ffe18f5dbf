package space

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// jsonReader reads JSON as the tree that YAML has, with places.
type jsonReader struct {
	data    []byte
	decoder *json.Decoder

	offset       int // of line and column
	line, column int
}

// jsonTree reads one JSON value.
func jsonTree(data []byte) (*yaml.Node, error) {
	if !json.Valid(data) { // trailing text included
		var v any
		return nil, json.Unmarshal(data, &v)
	}
	r := jsonReader{data: data, decoder: json.NewDecoder(bytes.NewReader(data)), line: 1, column: 1}
	r.decoder.UseNumber()
	return r.read()
}

// read returns the next value.
func (r *jsonReader) read() (*yaml.Node, error) {
	node := r.place()
	token, err := r.decoder.Token()
	if err != nil {
		return nil, err
	}
	node.Kind = yaml.ScalarNode
	switch t := token.(type) {
	case json.Delim:
		return node, r.readList(node, t)
	case string:
		node.Tag, node.Value = "!!str", t
		node.Style = yaml.DoubleQuotedStyle
	case json.Number:
		node.Tag, node.Value = "!!int", t.String()
		if strings.ContainsAny(node.Value, ".eE") {
			node.Tag = "!!float"
		}
	case bool:
		node.Tag, node.Value = "!!bool", fmt.Sprint(t)
	case nil:
		node.Tag, node.Value = "!!null", "null"
	}
	return node, nil
}

// readList reads the elements of a list, or the keys and values of an object.
func (r *jsonReader) readList(node *yaml.Node, open json.Delim) error {
	node.Kind, node.Tag = yaml.SequenceNode, "!!seq"
	if open == '{' {
		node.Kind, node.Tag = yaml.MappingNode, "!!map"
	}
	for r.decoder.More() {
		element, err := r.read()
		if err != nil {
			return err
		}
		node.Content = append(node.Content, element)
	}
	_, err := r.decoder.Token() // the closing bracket
	return err
}

// place returns a node where the next token starts.
func (r *jsonReader) place() *yaml.Node {
	next := int(r.decoder.InputOffset())
	for next < len(r.data) && strings.IndexByte(" \t\r\n,:", r.data[next]) >= 0 {
		next++
	}
	for r.offset < next {
		c, size := utf8.DecodeRune(r.data[r.offset:])
		r.offset += size
		r.column++
		if c == '\n' {
			r.line, r.column = r.line+1, 1
		}
	}
	return &yaml.Node{Line: r.line, Column: r.column}
}

// writeJSON writes a tree as JSON, keys in order.
func writeJSON(b *bytes.Buffer, node *yaml.Node) error {
	switch node.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for i, child := range node.Content {
			if i > 0 {
				b.WriteByte(",:"[i%2])
			}
			if err := writeJSON(b, child); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, child := range node.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSON(b, child); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		if node.Tag != "!!str" { // numbers and bools
			b.WriteString(node.Value)
			return nil
		}
		text, err := json.Marshal(node.Value)
		if err != nil {
			return err
		}
		b.Write(text)
	}
	return nil
}
