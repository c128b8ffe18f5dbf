package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

const beamSpace = `parameters:
  x: {float: [0, 1]}
  y: {float: [0, 1]}
outcomes:
  mass: minimize
  range: maximize
  stress: {at_most: 10}
`

func TestOutcomes(t *testing.T) {
	dir := t.TempDir()
	in := func(args string) []string {
		return append(words(args), "--store", "sqlite:"+filepath.Join(dir, "a.db"))
	}
	file := writeIn(t, dir, "beam.yaml", beamSpace)
	must(t, in("study create beam --method sobol --space "+file)...)
	must(t, in("ask beam --count 4")...)
	must(t, in("tell beam 1 mass=1.2")...)
	for _, c := range []struct{ args, want string }{
		{"trials beam --state running", "mass=1.2"},
		{"tell beam 1 range=3 stress=11+-0.5", ""},
		{"best beam", "(no trial keeps all limits; this one violates stress=1) at trial 1\n"},
		{"front beam", "no trial keeps all limits"},
		{"tell beam 2 mass=2 range=3 stress=1", ""},
		{"tell beam 3 mass=1 range=1 stress=1", ""},
		{"best beam", "mass=1 range=1 stress=1 at trial 3\n"},
		{"front beam", "3*     1     1      x="},
		{"front beam", "limits of stress  kept by 2 of 3 trials"},
		{"front beam --json", `"hypervolume"`},
		{"study show beam", "minimize mass, maximize range within 1 limits over 2 parameters"},
		{"correct beam 1 stress=9", "trial 1: stress 11 -> 9\n"},
		{"study list", "beam"},
	} {
		if got := must(t, in(c.args)...); !strings.Contains(got, c.want) {
			t.Errorf("mahabo %s printed\n%s, want %q", c.args, got, c.want)
		}
	}
}

// A command prints an object with the names, and a person answers with the numbers.
func TestMinimizeOutcomes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeIn(t, dir, "beam.yaml", beamSpace)
	got := must(t, append(words("minimize --space beam.yaml --method random --init 3 --evals 5 --keep-output none --quiet -- sh -c"),
		`echo '{{"mass": '{x}', "range": '{y}', "stress": 3}}'`)...)
	if !strings.Contains(got, "front of ") || !strings.Contains(got, "stress=3") {
		t.Errorf("it printed %s", got)
	}
	got = must(t, append(words("minimize --space beam.yaml --method random --study fails --init 2 --evals 1 --keep-output none --json -- sh -c"),
		`test {trial} -eq 1 && echo '{{"mass": 1, "range": 2}}' || echo '{{"mass": 1, "range": 2, "stress": 12}}'`)...)
	if !strings.Contains(got, `"failed":1`) || !strings.Contains(got, `"violations":{"stress":2}`) {
		t.Errorf("it printed %s", got)
	}
}
