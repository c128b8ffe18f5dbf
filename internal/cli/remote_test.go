package cli

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command does the same to a study on a server as to one in a file.
func TestServerAsStore(t *testing.T) {
	dir := t.TempDir()
	file := writeIn(t, dir, "space.yaml", "parameters:\n  x: {float: [0, 10]}\n  n: {int: [1, 5]}\n  mode: {choice: [slow, fast]}\n")
	past := writeIn(t, dir, "past.csv", "x,n,mode,yield\n1,2,slow,4\n2,3,fast,9\n3,9,fast,1\n")
	address, stop := serve(t)
	defer func() { _ = stop() }()
	stores := map[string]string{"file": "sqlite:" + filepath.Join(dir, "a.db"), "server": address}
	csv := filepath.Join(dir, "out.csv")
	times := regexp.MustCompile(`\d{4}-\d\d-\d\d[T ][0-9:.]+Z?`)
	for _, c := range []struct{ args, want string }{
		{"study create rig --space " + file + " --method sobol --goal maximize", "created study rig"},
		{"study list", "rig    sobol   maximize  0"},
		{"enqueue rig x=2.5 n=3 mode=fast", "1  x=2.5 n=3 mode=fast"},
		{"ask rig --count 3 --worker ana --lease 1h", "n=3"},
		{"tell rig 1 --value 0.83 --std 0.02 --note hot", "trial 1 of rig is complete with value 0.83 ± 0.02, with the note"},
		{"tell rig 2 --state failed --reason smoke", "failed: smoke"},
		{"retry rig 2", "waits"},
		{"heartbeat rig 3 --worker ana --lease 0s", "for ever"},
		{"release rig 3 --worker ana", "released trial 3"},
		{"note rig 1 the door was open", "noted"},
		{"correct rig 1 --value 0.82", "value 0.83 -> 0.82"},
		{"correct rig 1 --value 0.82", "is so already"},
		{"study import rig " + past + " --column value=yield", "imported 2 rows, left out 1"},
		{"study import rig " + past + " --column value=yield", "imported 0 rows, left out 1; 2 rows are in the study already"},
		{"study change rig --bounds x=0,20 --fix n=3", "would change study rig"},
		{"study change rig --bounds x=0,20 --digits x=1 --yes", "changed study rig: 5 of its 5 trials count"},
		{"best rig", "9 at trial 5"},
		{"trials rig", "fast"},
		{"trials rig --best --limit 1", "complete"},
		{"study show rig", "maximize over 3 parameters"},
		{"study export rig --out " + csv, "wrote 5 trials"},
		{"study export rig --format csv", "number,state"},
		{"ask rig --count 2 --fixed mode=fast", "mode=fast"},
		{"study delete rig --yes", "deleted study rig and its 5 trials"},
		{"study list", "study"},
	} {
		said := map[string]string{}
		for name, store := range stores {
			out := must(t, append(words(c.args), "--store", store)...)
			if !strings.Contains(out, c.want) && !(strings.HasPrefix(c.args, "study delete") && strings.Contains(out, "deleted study rig")) {
				t.Errorf("%s, %s: it says\n%s\nwant %s", name, c.args, out, c.want)
			}
			said[name] = times.ReplaceAllString(strings.ReplaceAll(out, store, "STORE"), "TIME")
		}
		if said["file"] != said["server"] {
			t.Errorf("%s: with a file\n%s\nwith a server\n%s", c.args, said["file"], said["server"])
		}
	}
	refused(t, "no such study", "best", "nothing", "--store", address)
	for command, served := range map[string]bool{"best": true, "minimize": false, "serve": false} {
		if help := must(t, command, "--help"); strings.Contains(help, "http://HOST:PORT") != served {
			t.Errorf("the help of %s offers a server: %v\n%s", command, !served, help)
		}
	}
	refused(t, "mahabo worker --server", "minimize", "--space", file, "--store", address, "--", "true")
	if _, stderr, code := call(t, "study", "list", "--store", "http://127.0.0.1:1"); code == 0 || !strings.Contains(stderr, "is mahabo serve running there?") {
		t.Errorf("a server that is not there says %q", stderr)
	}
}

// A server with tokens says what is missing.
func TestServerAsStoreWithToken(t *testing.T) {
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	secret := strings.TrimSpace(must(t, "token", "create", "--token-file", tokens, "--role", "admin", "--name", "me"))
	address, stop := serve(t, "--token-file", tokens)
	defer func() { _ = stop() }()
	file := writeIn(t, dir, "space.yaml", "parameters:\n  x: {float: [0, 10]}\n")
	refused(t, "set MAHABO_TOKEN", "study", "create", "rig", "--space", file, "--store", address)
	t.Setenv("MAHABO_TOKEN", secret)
	must(t, "study", "create", "rig", "--space", file, "--store", address)
}
