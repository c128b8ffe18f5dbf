package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/internal/hint"
)

// readJSON says of NaN and Infinity, which other programs write, what to do instead.
func readJSON(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if word := hint.NotFinite(data, err); word != "" {
		return fmt.Errorf(`%s is no number in JSON, and no value: leave it out, and tell such a trial with "state": "failed" and a "reason"`, word)
	}
	return err
}

// mostNames of fields are listed.
const mostNames = 20

// suggest adds to a problem with a field of the request that does not exist the one that was meant, or all that do.
func suggest(schemas huma.Registry) huma.Transformer {
	return func(ctx huma.Context, _ string, v any) (any, error) {
		p, ok := v.(*huma.ErrorModel)
		if !ok || ctx.Operation() == nil || ctx.Operation().RequestBody == nil {
			return v, nil
		}
		content := ctx.Operation().RequestBody.Content["application/json"]
		for _, e := range p.Errors {
			if e == nil || e.Message != "unexpected property" || content == nil {
				continue
			}
			rest, inBody := strings.CutPrefix(e.Location, "body.")
			name, names := unknown(schemas, content.Schema, rest)
			if !inBody || len(names) == 0 {
				continue
			}
			if near := hint.DidYouMean(name, names); near != "" {
				e.Message += near
			} else if len(names) <= mostNames {
				e.Message += ": the fields are " + strings.Join(names, ", ")
			}
		}
		return p, nil
	}
}

// unknown returns the name at the end of a path that a schema does not have, and those it has in its place.
func unknown(schemas huma.Registry, s *huma.Schema, path string) (name string, names []string) {
	if s != nil && s.Ref != "" {
		s = schemas.SchemaFromRef(s.Ref)
	}
	if s == nil {
		return "", nil
	}
	if s.Items != nil {
		_, rest, _ := strings.Cut(path, "]")
		return unknown(schemas, s.Items, strings.TrimPrefix(rest, "."))
	}
	for _, one := range s.OneOf {
		if name, names = unknown(schemas, one, path); names != nil {
			return name, names
		}
	}
	for known, below := range s.Properties {
		rest, is := strings.CutPrefix(path, known)
		if is && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "[")) {
			return unknown(schemas, below, strings.TrimPrefix(rest, "."))
		}
	}
	switch below := s.AdditionalProperties.(type) {
	case *huma.Schema:
		_, rest, _ := strings.Cut(path, ".")
		return unknown(schemas, below, rest)
	case bool:
		if !below {
			return path, slices.Sorted(maps.Keys(s.Properties))
		}
	}
	return "", nil
}
