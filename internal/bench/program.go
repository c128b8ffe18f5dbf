package bench

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/internal/problem"
	"github.com/mahabo/mahabo/internal/stop"
	"github.com/mahabo/mahabo/strategy"
)

// execPrefix begins the specification of a program, `exec:COMMAND` or `exec:NAME=COMMAND`.
// Results know it as exec:NAME.
const execPrefix = "exec:"

// DefaultAnswerLimit is how long a program has for an answer.
const DefaultAnswerLimit = 10 * time.Minute

// isProgram says whether a method or problem is a program.
func isProgram(spec string) bool { return strings.HasPrefix(spec, execPrefix) }

// program is a method or problem that is a process of its own.
type program struct {
	name string // exec:NAME
	argv []string
}

var programName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.+-]{1,64}$`) })

// parseProgram reads a specification.
func parseProgram(spec string) (program, error) {
	text := strings.TrimPrefix(spec, execPrefix)
	name, command, named := strings.Cut(text, "=")
	if !named || !programName().MatchString(name) {
		name, command = "", text
	}
	argv, err := splitWords(command)
	switch {
	case err == nil && len(argv) == 1 && strings.ContainsAny(argv[0], " \t"): // quoted as a whole
		argv, err = splitWords(argv[0])
	case err == nil && len(argv) == 0:
		err = errors.New("the command is empty: write exec:COMMAND or exec:NAME=COMMAND")
	}
	if err != nil {
		return program{}, fmt.Errorf("%q: %w", spec, err)
	}
	if name == "" {
		name = scriptName(argv)
	}
	if !programName().MatchString(name) {
		return program{}, fmt.Errorf("%q: %q is no name for tables: write exec:NAME=COMMAND with a name of letters, digits and _.+-", spec, name)
	}
	return program{execPrefix + name, argv}, nil
}

// interpreters are followed by the script that they run.
var interpreters = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(python|pypy|bash|sh|zsh|node|ruby|perl|Rscript|julia|php|lua)[0-9.]*$`)
})

// scriptName is the base name of what runs: the script of an interpreter, else the program.
func scriptName(argv []string) string {
	script := argv[0]
	if interpreters().MatchString(filepath.Base(script)) {
		if i := slices.IndexFunc(argv[1:], func(w string) bool { return !strings.HasPrefix(w, "-") }); i >= 0 {
			script = argv[1+i]
		}
	}
	base := filepath.Base(script)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// splitWords divides a command at spaces outside of quotes, as a shell does. A backslash
// keeps the next character, but not in single quotes.
func splitWords(text string) (words []string, err error) {
	var word strings.Builder
	var quote rune
	begun, escaped := false, false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			begun, escaped = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			begun, quote = true, r
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n'):
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// programs are those of a run, by name, beside the methods of a registry.
type programs struct {
	registry          *strategy.Registry // nil for the built-in methods
	methods, problems map[string]program
}

// known are the methods that are no programs.
func (p *programs) known() *strategy.Registry {
	if p.registry == nil {
		return methods.BuiltIn()
	}
	return p.registry
}

// add notes a program. A name belongs to one command.
func (p *programs) add(list *map[string]program, spec string) (name string, err error) {
	one, err := parseProgram(spec)
	if err != nil {
		return "", err
	}
	if old, ok := (*list)[one.name]; ok && !slices.Equal(old.argv, one.argv) {
		return "", fmt.Errorf("%s is the name of two commands, %q and %q: name one of them, exec:NAME=COMMAND", one.name, strings.Join(old.argv, " "), strings.Join(one.argv, " "))
	}
	if *list == nil {
		*list = map[string]program{}
	}
	(*list)[one.name] = one
	return one.name, nil
}

// method returns the canonical name of a method and notes a program.
func (p *programs) method(spec string) (string, error) {
	if isProgram(spec) {
		return p.add(&p.methods, spec)
	}
	name, rule := splitRule(spec)
	name, err := p.known().Canonical(name)
	if err != nil || rule == "" {
		return name, err
	}
	parsed, err := stop.Parse(rule)
	if err != nil {
		return "", fmt.Errorf("%q: %w", spec, err)
	}
	return name + ruleMark + parsed.String(), nil
}

// ruleMark divides a method from the rule that stops its trials, as in adaptive+asha.
const ruleMark = "+"

// splitRule returns a method and the rule that stops its trials, "" for none.
func splitRule(spec string) (method, rule string) {
	if isProgram(spec) {
		return spec, ""
	}
	method, rule, _ = strings.Cut(spec, ruleMark)
	return method, rule
}

// problem does the same for a problem.
func (p *programs) problem(spec string) (string, error) {
	if isProgram(spec) {
		return p.add(&p.problems, spec)
	}
	return problem.Canonical(spec)
}

// canonicalMethod is the name that results have for a method.
func canonicalMethod(spec string) (string, error) { return new(programs).method(spec) }

// canonicalProblem is the name that results have for a problem.
func canonicalProblem(spec string) (string, error) { return new(programs).problem(spec) }

// CheckProblem says what is wrong with the specification of a problem.
func CheckProblem(spec string) error {
	_, err := canonicalProblem(spec)
	return err
}

// find returns a program by its name.
func find(list map[string]program, name string) (program, error) {
	p, ok := list[name]
	if !ok {
		return p, fmt.Errorf("%s is a program whose command is not given: write %s=COMMAND", name, name)
	}
	return p, nil
}
