package bench

import (
	"testing"
)

// A rule behind a method's name ends evaluations early; fewer steps are reported, and trials say so.
func TestRulesOfMethods(t *testing.T) {
	run := func(method string) Trial {
		t.Helper()
		name, err := canonicalMethod(method)
		if err != nil {
			t.Fatal(err)
		}
		one, err := Assignment{Cell: Cell{Method: name, Problem: "learn-boosted", Batch: 1}, Evals: 10, Init: 5}.Run(t.Context(), nil, "test", 1)
		if err != nil {
			t.Fatal(err)
		}
		return one
	}
	plain, early := run("sobol"), run("sobol+asha:after=2")
	if plain.Steps != 15*81 || plain.Stopped != 0 {
		t.Errorf("without a rule there are %d steps and %d stopped", plain.Steps, plain.Stopped)
	}
	if early.Steps >= plain.Steps/2 || early.Stopped == 0 || early.Failed != 0 || early.Method != "sobol+asha:after=2" || len(early.Curve) != 15 {
		t.Errorf("with one the trial is %+v", early)
	}
	for _, wrong := range []string{"sobol+halve", "sobol+asha:factor=1", "nobody+asha"} {
		if _, err := canonicalMethod(wrong); err == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}
