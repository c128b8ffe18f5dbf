package strategy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mahabo/mahabo/internal/hint"
)

// Method describes a method.
type Method struct {
	Name      string
	Summary   string // idea and when to use it, one line
	Reference string // where it comes from
	Batch     bool   // whether it was made for batches
	ModelFree bool   // its points do not depend on values: it chooses at once
	Abilities
	Options []Option // what `name:key=value` accepts

	// New builds the method, which knows nothing yet, for a configuration that is valid,
	// has its defaults filled in and lies within the abilities.
	New func(Config, Settings) (Strategy, error)
}

// Abilities say what a method can do. The zero value is one objective, no limits, and
// parameters and constraints of all kinds: points are moved to the nearest that can be evaluated.
type Abilities struct {
	Kinds      []Kind // of parameters that it takes; nil for all
	NoRows     bool   // it does not take linear constraints
	Objectives int    // most objectives; 0 for 1
	Limits     bool   // it takes limits
}

// Option is one key of a method specification. An empty default means the
// method decides.
type Option struct {
	Key, Default, Meaning string
}

// Settings are the options given in a specification, by key.
type Settings map[string]string

// Registry is a list of methods by name. It does not change.
type Registry struct{ methods []Method }

// NewRegistry makes a registry of methods, to be shown in this order.
func NewRegistry(methods ...Method) (*Registry, error) {
	for i, m := range methods {
		switch {
		case m.Name == "" || strings.ContainsAny(m.Name, ":,= \t\n"):
			return nil, fmt.Errorf("method %d has the name %q: use a word without spaces and : , =", i, m.Name)
		case m.New == nil:
			return nil, fmt.Errorf("method %q has no New: give the function that builds it", m.Name)
		case slices.ContainsFunc(methods[:i], func(o Method) bool { return o.Name == m.Name }):
			return nil, fmt.Errorf("two methods have the name %q", m.Name)
		}
	}
	return &Registry{slices.Clone(methods)}, nil
}

// With returns a registry with more methods.
func (r *Registry) With(more ...Method) (*Registry, error) {
	return NewRegistry(slices.Concat(r.methods, more)...)
}

// Methods lists the methods in the order they should be shown.
func (r *Registry) Methods() []Method { return slices.Clone(r.methods) }

// Find returns the method that a specification names.
func (r *Registry) Find(spec string) (Method, error) {
	m, _, err := r.parse(spec)
	return m, err
}

// New builds a method from a specification `name` or `name:key=value,...`. The error wraps
// *UnableError when the method cannot do the task.
func (r *Registry) New(spec string, cfg Config) (Strategy, error) {
	m, s, err := r.parse(spec)
	if err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("method %q: %w", spec, err)
	}
	if why := m.unable(cfg); why != "" {
		return nil, &UnableError{Method: m.Name, Why: why, Able: r.able(cfg)}
	}
	built, err := m.New(cfg, s)
	if err != nil {
		return nil, fmt.Errorf("method %q: %w", spec, err)
	}
	return built, nil
}

// able lists the methods that can do a task.
func (r *Registry) able(cfg Config) (names []string) {
	for _, m := range r.methods {
		if m.unable(cfg) == "" {
			names = append(names, m.Name)
		}
	}
	return names
}

// unable says why a method cannot do a task, "" when it can.
func (a Abilities) unable(cfg Config) string {
	for _, k := range cfg.Domain.kinds() {
		if a.Kinds != nil && !slices.Contains(a.Kinds, k) {
			return fmt.Sprintf("parameters of kind %s", k)
		}
	}
	switch {
	case a.NoRows && len(cfg.Domain.Linear) > 0:
		return "linear constraints"
	case cfg.Objectives > max(a.Objectives, 1):
		return fmt.Sprintf("%d objectives", cfg.Objectives)
	case cfg.Limits > 0 && !a.Limits:
		return "limits"
	}
	return ""
}

// UnableError says that a method cannot do a task, and which can.
type UnableError struct {
	Method, Why string
	Able        []string
}

func (e *UnableError) Error() string {
	if len(e.Able) == 0 {
		return fmt.Sprintf("%s does not take %s, and no other method does", e.Method, e.Why)
	}
	return fmt.Sprintf("%s does not take %s: choose one of %s", e.Method, e.Why, strings.Join(e.Able, ", "))
}

// Canonical checks the names in a specification and writes it with its options
// in the order of the method's list, without those that repeat a default.
func (r *Registry) Canonical(spec string) (string, error) {
	m, s, err := r.parse(spec)
	if err != nil {
		return "", err
	}
	var kept []string
	for _, o := range m.Options {
		if v, given := s[o.Key]; given && (v != o.Default || o.Key == "d") {
			kept = append(kept, o.Key+"="+v)
		}
	}
	if len(kept) == 0 {
		return m.Name, nil
	}
	return m.Name + ":" + strings.Join(kept, ","), nil
}

// parse splits a specification and checks its names.
func (r *Registry) parse(spec string) (Method, Settings, error) {
	name, rest, hasOptions := strings.Cut(spec, ":")
	i := slices.IndexFunc(r.methods, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, nil, &UnknownMethodError{Name: name, Known: r.names()}
	}
	m := r.methods[i]
	s := Settings{}
	if !hasOptions {
		return m, s, nil
	}
	for _, pair := range strings.Split(rest, ",") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" || value == "" {
			return Method{}, nil, fmt.Errorf("method %q: option %q is not of the form key=value", spec, pair)
		}
		if !slices.ContainsFunc(m.Options, func(o Option) bool { return o.Key == key }) {
			return Method{}, nil, fmt.Errorf("method %q: unknown option %q, %s", spec, key, m.optionList())
		}
		if _, twice := s[key]; twice {
			return Method{}, nil, fmt.Errorf("method %q: option %q is given twice", spec, key)
		}
		s[key] = value
	}
	return m, s, nil
}

func (r *Registry) names() (names []string) {
	for _, m := range r.methods {
		names = append(names, m.Name)
	}
	return names
}

func (m Method) optionList() string {
	if len(m.Options) == 0 {
		return m.Name + " has no options"
	}
	var keys []string
	for _, o := range m.Options {
		keys = append(keys, o.Key)
	}
	return m.Name + " has " + strings.Join(keys, ", ")
}

// UnknownMethodError says that no method has this name.
type UnknownMethodError struct {
	Name  string
	Known []string
}

func (e *UnknownMethodError) Error() string {
	return fmt.Sprintf("unknown method %q%s: choose one of %s", e.Name, hint.DidYouMean(e.Name, e.Known), strings.Join(e.Known, ", "))
}
