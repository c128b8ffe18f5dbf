package strategy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Method describes one entry of the registry.
type Method struct {
	Name      string
	Summary   string   // idea and when to use it, one line
	Reference string   // where it comes from
	Batch     bool     // whether it was made for batches
	ModelFree bool     // its points do not depend on values: it chooses at once
	Options   []Option // what `name:key=value` accepts

	build func(Config, settings) (Strategy, error)
}

// Option is one key of a method specification. An empty default means the
// method decides.
type Option struct {
	Key, Default, Meaning string
}

// Methods lists every method in the order they should be shown.
func Methods() []Method {
	return []Method{
		adaptiveMethod(),
		mahaMethod(), mahaPinvMethod(), mahaRandomMethod(),
		rbfMethod(), remboMethod(), hesboMethod(), aleboMethod(), silboMethod(),
		turboMethod(), vanillaMethod(),
		cmaesMethod(), sobolMethod(), randomMethod(),
	}
}

// Find returns the method that a specification names.
func Find(spec string) (Method, error) {
	m, _, err := parse(spec)
	return m, err
}

// New builds a method from a specification `name` or `name:key=value,...`.
func New(spec string, cfg Config) (Strategy, error) {
	m, s, err := parse(spec)
	if err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("method %q: %w", spec, err)
	}
	built, err := m.build(cfg, s)
	if err != nil {
		return nil, fmt.Errorf("method %q: %w", spec, err)
	}
	return built, nil
}

// Canonical checks the names in a specification and writes it with its options
// in the order of the registry, without those that repeat a default.
func Canonical(spec string) (string, error) {
	m, s, err := parse(spec)
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
func parse(spec string) (Method, settings, error) {
	name, rest, hasOptions := strings.Cut(spec, ":")
	methods := Methods()
	i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, nil, &UnknownMethodError{Name: name}
	}
	m := methods[i]
	s := settings{}
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
type UnknownMethodError struct{ Name string }

func (e *UnknownMethodError) Error() string {
	var names []string
	for _, m := range Methods() {
		names = append(names, m.Name)
	}
	return fmt.Sprintf("unknown method %q: choose one of %s", e.Name, strings.Join(names, ", "))
}

// settings are the options given in a specification.
type settings map[string]string

// boolean reads a true/false option.
func (s settings) boolean(key string) (bool, error) {
	v, given := s[key]
	if !given {
		return false, nil
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		return false, fmt.Errorf("option %s is %q: write true or false", key, v)
	}
	return b, nil
}

// choice reads an option that takes one of a few words; the first is the default.
func (s settings) choice(key string, words ...string) (string, error) {
	v, given := s[key]
	if !given {
		return words[0], nil
	}
	if !slices.Contains(words, v) {
		return "", fmt.Errorf("option %s is %q: choose one of %s", key, v, strings.Join(words, ", "))
	}
	return v, nil
}

// count reads a whole number from 1 to most.
func (s settings) count(key string, fallback, most int) (int, error) {
	v, given := s[key]
	if !given {
		return fallback, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("option %s is %q: write a whole number from 1 to %d", key, v, most)
	}
	return n, nil
}

// embeddingDim reads d, a number or the word true for the problem's own
// dimension, and checks it against D.
func (s settings) embeddingDim(cfg Config, fallback int) (int, error) {
	v, given := s["d"]
	if !given {
		return min(fallback, cfg.Dim), nil
	}
	if v == "true" {
		if cfg.TrueDim == 0 {
			return 0, fmt.Errorf("option d=true: the true dimension of this problem is not known, give a number")
		}
		return cfg.TrueDim, nil
	}
	d, err := strconv.Atoi(v)
	if err != nil {
		return 0, fmt.Errorf("option d is %q: write a whole number, or true for the problem's own dimension", v)
	}
	if d < 1 || d > cfg.Dim {
		return 0, fmt.Errorf("option d is %d: it must lie between 1 and the number of parameters, %d", d, cfg.Dim)
	}
	return d, nil
}
