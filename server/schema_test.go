package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// document is as much of an OpenAPI document as the tests need.
type document struct {
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]*schema }
}

type operation struct {
	OperationID string `json:"operationId"`
	Parameters  []struct {
		Name, In string
		Required bool
		Schema   *schema
	}
	RequestBody *struct {
		Required bool
		Content  map[string]struct{ Schema *schema }
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct{ Schema *schema }
	}
	Security []any
}

type schema struct {
	Ref                  string `json:"$ref"`
	Type                 any
	Format               string
	Properties           map[string]*schema
	Required             []string
	AdditionalProperties any `json:"additionalProperties"`
	Items                *schema
	Enum                 []any
	OneOf                []*schema `json:"oneOf"`
	Minimum, Maximum     *float64
	MinItems, MaxItems   *int
	MaxLength            *int `json:"maxLength"`
	MinLength            *int `json:"minLength"`
}

// loadDocument gets the document of a server.
func loadDocument(t testing.TB, c client) (d document) {
	t.Helper()
	c.must("GET", "/openapi.json", nil, &d)
	if len(d.Paths) < 15 {
		t.Fatalf("the document has %d paths", len(d.Paths))
	}
	return d
}

func (d document) resolve(s *schema) *schema {
	for s != nil && s.Ref != "" {
		s = d.Components.Schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]]
	}
	return s
}

func (s *schema) types() (list []string) {
	switch t := s.Type.(type) {
	case string:
		return []string{t}
	case []any:
		for _, one := range t {
			list = append(list, one.(string))
		}
	}
	return list
}

// inner is the schema of properties that have no name in it; nil allows none.
func (s *schema) inner() (more *schema, open bool) {
	switch a := s.AdditionalProperties.(type) {
	case bool:
		return nil, a
	case map[string]any:
		text, _ := json.Marshal(a)
		more = &schema{}
		_ = json.Unmarshal(text, more)
		return more, true
	}
	return nil, true
}

// check says where a value does not fit its schema.
func (d document) check(s *schema, v any, at string) error {
	s = d.resolve(s)
	if s == nil {
		return nil
	}
	if len(s.OneOf) > 0 {
		for _, one := range s.OneOf {
			if d.check(one, v, at) == nil {
				return nil
			}
		}
		return fmt.Errorf("%s: %v fits no alternative", at, v)
	}
	if types := s.types(); len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool { return hasType(t, v) }) {
		return fmt.Errorf("%s: %v is not of type %v", at, v, types)
	}
	if s.Enum != nil && v != nil && !slices.Contains(s.Enum, v) {
		return fmt.Errorf("%s: %v is none of %v", at, v, s.Enum)
	}
	switch x := v.(type) {
	case map[string]any:
		return d.checkObject(s, x, at)
	case []any:
		for i, one := range x {
			if err := d.check(s.Items, one, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case float64:
		if s.Minimum != nil && x < *s.Minimum || s.Maximum != nil && x > *s.Maximum {
			return fmt.Errorf("%s: %g is out of bounds", at, x)
		}
	}
	return nil
}

func (d document) checkObject(s *schema, x map[string]any, at string) error {
	for _, name := range s.Required {
		if _, ok := x[name]; !ok {
			return fmt.Errorf("%s: %q is missing", at, name)
		}
	}
	more, open := s.inner()
	for name, one := range x {
		known := s.Properties[name]
		if known == nil {
			known = more
		}
		if known == nil && !open {
			return fmt.Errorf("%s: %q is not in the schema", at, name)
		}
		if err := d.check(known, one, at+"."+name); err != nil {
			return err
		}
	}
	return nil
}

func hasType(t string, v any) bool {
	switch x := v.(type) {
	case nil:
		return t == "null"
	case bool:
		return t == "boolean"
	case float64:
		return t == "number" || t == "integer" && x == math.Trunc(x)
	case string:
		return t == "string"
	case []any:
		return t == "array"
	case map[string]any:
		return t == "object"
	}
	return false
}

// generator makes values of schemas, and others.
type generator struct {
	document
	*rand.Rand
	wrong float64 // how likely a value is not of its schema
}

var oddValues = []any{nil, true, -1.0, 0.0, 1e300, 0.5, "", "x", "\x00ü猫", []any{}, []any{nil}, map[string]any{}, map[string]any{"x": []any{1.0}}}

func (g generator) value(s *schema, depth int) any {
	s = g.resolve(s)
	if s == nil || depth > 6 || g.Float64() < g.wrong {
		return oddValues[g.IntN(len(oddValues))]
	}
	if len(s.OneOf) > 0 {
		return g.value(s.OneOf[g.IntN(len(s.OneOf))], depth+1)
	}
	if len(s.Enum) > 0 {
		return s.Enum[g.IntN(len(s.Enum))]
	}
	types := s.types()
	if len(types) == 0 {
		return oddValues[g.IntN(len(oddValues))]
	}
	switch types[g.IntN(len(types))] {
	case "boolean":
		return g.IntN(2) == 0
	case "integer":
		return math.Trunc(g.number(s))
	case "number":
		return g.number(s)
	case "string":
		return []string{"rig", "x", "n", "w1", "2031-01-01T00:00:00Z", "sobol", "value"}[g.IntN(7)]
	case "array":
		list := []any{}
		for range 1 + g.IntN(2) {
			list = append(list, g.value(s.Items, depth+1))
		}
		return list
	case "object":
		return g.object(s, depth)
	}
	return nil
}

func (g generator) number(s *schema) float64 {
	low, high := -5.0, 5.0
	if s.Minimum != nil {
		low = *s.Minimum
		high = low + 4
	}
	if s.Maximum != nil {
		high = min(high, *s.Maximum)
	}
	return low + (high-low)*g.Float64()
}

func (g generator) object(s *schema, depth int) any {
	x := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || g.IntN(2) == 0 {
			x[name] = g.value(s.Properties[name], depth+1)
		}
	}
	if more, ok := s.inner(); ok && more != nil {
		for _, name := range []string{"x", "n"} { // the parameters of the study
			x[name] = g.value(more, depth+1)
		}
		if g.IntN(2) == 0 {
			x["n"] = float64(1 + g.IntN(5))
		}
	}
	return x
}
