package web

import (
	"html/template"
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/mahabo/mahabo/internal/chart"
	"github.com/mahabo/mahabo/space"
	"go.yaml.in/yaml/v3"
)

// functions are what templates call.
func (d *dashboard) functions() template.FuncMap {
	return template.FuncMap{
		"asset":   d.asset,
		"number":  number,
		"count":   count,
		"instant": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"clock":   func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"path":    url.PathEscape,
		"json":    func(v space.Params) string { return v.String() },

		"following": func(i int) int { return i + 1 },
	}
}

// number writes a value for people to take in.
func number(v any) string {
	switch v := v.(type) {
	case float64:
		return chart.Number(v, 0)
	case *float64:
		if v != nil {
			return number(*v)
		}
	}
	return "–"
}

// lasting writes a duration as people do.
func lasting(d time.Duration) string {
	three := func(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
	switch s := d.Seconds(); {
	case s < 0:
		return "–"
	case s < 1:
		return three(math.Round(1000*s)) + " ms"
	case s < 120:
		return three(s) + " s"
	case s < 7200:
		return three(s/60) + " min"
	case s < 172800:
		return three(s/3600) + " h"
	default:
		return three(s/86400) + " days"
	}
}

// count groups the digits of a whole number.
func count(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}

// parameter is one of a point for people to read.
type parameter struct{ Name, Value, Unit, Description string }

// readableDigits is how long a number may be before it is written with fewer digits.
const readableDigits = 8

// point lists the parameters of a space that have a value; most of them, 0 for all. Values that the space rounds are
// written as they are.
func point(s *space.Space, v space.Params, most int) (list []parameter) {
	for _, p := range s.Params() {
		if most > 0 && len(list) == most {
			break
		}
		if value, ok := v.Text(p.Name); ok {
			if f, is := v.Get(p.Name); is && p.Step == 0 && p.Digits == 0 {
				if f, is := f.(float64); is && len(value) > readableDigits {
					value = number(f)
				}
			}
			list = append(list, parameter{p.Name, value, p.Unit, p.Description})
		}
	}
	return list
}

// brief is the beginning of a point, and how many parameters it leaves out.
type brief struct {
	Params []parameter
	More   int
}

// briefParams is how many parameters a row shows.
const briefParams = 4

func briefly(s *space.Space, v space.Params) brief {
	list := point(s, v, briefParams)
	return brief{list, v.Len() - len(list)}
}

// lines writes a point one parameter per line, as YAML.
func lines(v space.Params) string {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for name, value := range v.All() {
		var key, val yaml.Node
		_ = key.Encode(name)  // names and values
		_ = val.Encode(value) // are plain
		node.Content = append(node.Content, &key, &val)
	}
	text, err := yaml.Marshal(node)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
