package methods_test

import (
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/strategy"
)

func TestSpecifications(t *testing.T) {
	registry, cfg := methods.BuiltIn(), strategy.Config{Domain: strategy.Box(10), TrueDim: 2}
	for spec, want := range map[string]string{
		"maha": "maha", "maha:d=3": "maha:d=3", "maha:d=true": "maha:d=true", "maha:d=1": "maha:d=1",
		"maha:fit=lbfgs,d=2": "maha:d=2,fit=lbfgs", "maha:fit=adam,quirks=false": "maha",
		"maha:quirks=true": "maha:quirks=true", "sobol": "sobol", "random": "random",
		"rembo:k=4,d=2": "rembo:d=2", "rembo:k=2": "rembo:k=2", "hesbo:d=true": "hesbo:d=true",
		"maha-pinv:starts=inside,d=2": "maha-pinv:d=2,starts=inside", "maha-random:starts=corners": "maha-random",
	} {
		got, err := registry.Canonical(spec)
		if err != nil || got != want {
			t.Errorf("Canonical(%q) = %q, %v; want %q", spec, got, err, want)
		}
		if _, err := registry.New(spec, cfg); err != nil {
			t.Errorf("New(%q): %v", spec, err)
		}
	}
}

// Every refusal names what is wrong and what would be right.
func TestBadSpecifications(t *testing.T) {
	for _, c := range []struct {
		spec string
		cfg  strategy.Config
		want []string
	}{
		{"mahaa", strategy.Config{Domain: strategy.Box(3)}, []string{`"mahaa"`, "choose one of adaptive, maha, maha-pinv, maha-random", "cmaes, sobol, random"}},
		{"", strategy.Config{Domain: strategy.Box(3)}, []string{"unknown method"}},
		{"maha:e=1", strategy.Config{Domain: strategy.Box(3)}, []string{`"e"`, "d, fit, search, quirks"}},
		{"maha:d", strategy.Config{Domain: strategy.Box(3)}, []string{`"d"`, "key=value"}},
		{"maha:", strategy.Config{Domain: strategy.Box(3)}, []string{"key=value"}},
		{"maha:d=1,d=2", strategy.Config{Domain: strategy.Box(3)}, []string{"twice"}},
		{"maha:d=x", strategy.Config{Domain: strategy.Box(3)}, []string{"d is", "whole number"}},
		{"maha:d=0", strategy.Config{Domain: strategy.Box(3)}, []string{"between 1 and", "3"}},
		{"maha:d=4", strategy.Config{Domain: strategy.Box(3)}, []string{"d is 4", "3"}},
		{"maha:d=true", strategy.Config{Domain: strategy.Box(3)}, []string{"not known"}},
		{"maha:fit=sgd", strategy.Config{Domain: strategy.Box(3)}, []string{"fit", "adam, lbfgs"}},
		{"maha:search=grid", strategy.Config{Domain: strategy.Box(3)}, []string{"search", "joint, separate"}},
		{"maha:quirks=maybe", strategy.Config{Domain: strategy.Box(3)}, []string{"quirks", "true or false"}},
		{"maha-pinv:starts=outside", strategy.Config{Domain: strategy.Box(3)}, []string{"starts", "corners, inside"}},
		{"maha-random:fit=lbfgs", strategy.Config{Domain: strategy.Box(3)}, []string{`"fit"`, "maha-random has d, starts"}},
		{"rembo:k=0", strategy.Config{Domain: strategy.Box(3)}, []string{`k is "0"`, "from 1 to 100"}},
		{"rembo:k=101", strategy.Config{Domain: strategy.Box(3)}, []string{`k is "101"`, "from 1 to 100"}},
		{"rembo:k=two", strategy.Config{Domain: strategy.Box(3)}, []string{`k is "two"`, "whole number"}},
		{"hesbo:k=2", strategy.Config{Domain: strategy.Box(3)}, []string{`"k"`, "hesbo has d"}},
		{"sobol:d=1", strategy.Config{Domain: strategy.Box(3)}, []string{"sobol has no options"}},
		{"sobol", strategy.Config{}, []string{"Domain", "there are no parameters"}},
		{"sobol", strategy.Config{Domain: strategy.Box(2), Init: -1}, []string{"Init is -1"}},
		{"sobol", strategy.Config{Domain: strategy.Box(2), TrueDim: 3}, []string{"TrueDim is 3"}},
	} {
		_, err := methods.BuiltIn().New(c.spec, c.cfg)
		if err == nil {
			t.Errorf("%q was accepted", c.spec)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q: %q does not say %q", c.spec, err, w)
			}
		}
	}
}

func FuzzSpecification(f *testing.F) {
	f.Add("maha:d=1,fit=lbfgs")
	f.Add("sobol")
	f.Add("maha:d=true,quirks=1")
	registry := methods.BuiltIn()
	f.Fuzz(func(t *testing.T, spec string) {
		canonical, err := registry.Canonical(spec)
		if err != nil {
			return
		}
		if again, err := registry.Canonical(canonical); err != nil || again != canonical {
			t.Errorf("%q -> %q -> %q, %v", spec, canonical, again, err)
		}
	})
}
