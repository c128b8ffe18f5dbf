package bench

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitMethods(t *testing.T) {
	for _, c := range []struct {
		list string
		want []string
	}{
		{"sobol", []string{"sobol"}},
		{"sobol,random", []string{"sobol", "random"}},
		{"maha:d=1,maha:d=true", []string{"maha:d=1", "maha:d=true"}},
		{"maha:d=1,fit=lbfgs", []string{"maha:d=1,fit=lbfgs"}},
		{"maha:d=1,fit=lbfgs,sobol,maha:d=true,quirks=true", []string{"maha:d=1,fit=lbfgs", "sobol", "maha:d=true,quirks=true"}},
		{" maha:d=1 , fit=lbfgs , sobol ", []string{"maha:d=1,fit=lbfgs", "sobol"}},
		{"adaptive,exec:python3 peer.py,sobol", []string{"adaptive", "exec:python3 peer.py", "sobol"}},
		{"exec:peer=python3 peer.py --rate=0.5,exec:other.py", []string{"exec:peer=python3 peer.py --rate=0.5", "exec:other.py"}},
		{`sobol,exec:"python3 peer.py --sizes 1,2",random`, []string{"sobol", `exec:"python3 peer.py --sizes 1,2"`, "random"}},
		{"turbo:m=5,m=1", []string{"turbo:m=5,m=1"}}, // the registry refuses the repeated key
	} {
		got, err := SplitMethods(c.list)
		if err != nil {
			t.Errorf("%q: %v", c.list, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.list, diff)
		}
	}
	for list, says := range map[string]string{
		"":                         "empty entry",
		"sobol,":                   "empty entry",
		"sobol,,random":            "empty entry",
		"d=1":                      "name:d=1",
		"exec:peer.py,rate=1":      "quote a command that has commas",
		"sobol,d=1":                "sobol:d=1",
		"d=1,maha:d=1":             "name:d=1",
		"maha:d=1,sobol,fit=lbfgs": "sobol:fit=lbfgs",
	} {
		if got, err := SplitMethods(list); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q gave %q, %v; want an error with %q", list, got, err, says)
		}
	}
}

func FuzzSplitMethods(f *testing.F) {
	for _, s := range []string{"sobol", "maha:d=1,fit=lbfgs,sobol", "maha:d=1,maha:d=true", ",", "a=b", "a:=,=:", " x : y = z "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		specs, err := SplitMethods(list)
		if err != nil {
			return
		}
		// Nothing is lost: the pieces are those of the list, and splitting the
		// specifications again gives them back.
		joined := strings.Join(specs, ",")
		want := strings.Split(list, ",")
		for i := range want {
			want[i] = strings.TrimSpace(want[i])
		}
		if diff := cmp.Diff(want, strings.Split(joined, ",")); diff != "" {
			t.Fatalf("pieces of %q (-want +got):\n%s", list, diff)
		}
		again, err := SplitMethods(joined)
		if err != nil || !cmp.Equal(again, specs) {
			t.Fatalf("%q split into %q, then into %q (%v)", list, specs, again, err)
		}
		for _, s := range specs {
			one, err := SplitMethods(s)
			if err != nil || len(one) != 1 {
				t.Fatalf("specification %q of %q splits into %q (%v)", s, list, one, err)
			}
		}
	})
}
