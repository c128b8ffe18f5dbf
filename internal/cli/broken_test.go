package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/internal/studytest"
	"github.com/mahabo/mahabo/store"
)

// A study whose log is damaged is listed with the reason, and can be deleted.
func TestListWithBrokenStudy(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "a.db")
	file := write(t, "rig.yaml", "parameters: {x: {float: [0, 1]}}")
	for _, name := range []string{"a", "broken", "c"} {
		must(t, "study", "create", name, "--space", file, "--store", url)
	}
	st, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	studytest.Damage(t, st, "broken", studytest.Misfit)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	site, stop := serve(t, "--store", url)
	for _, from := range []string{url, site} {
		lines := strings.Split(must(t, "study", "list", "--store", from), "\n")
		if len(lines) != 5 || !strings.HasPrefix(lines[1], "a ") || !strings.HasPrefix(lines[3], "c ") || !strings.HasPrefix(lines[2], "broken ") || !strings.Contains(lines[2], "cannot be read: ") {
			t.Errorf("%s lists\n%s", from, strings.Join(lines, "\n"))
		}
		var list []struct {
			Config struct{ Name string }
			Error  string
		}
		if err := json.Unmarshal([]byte(must(t, "study", "list", "--store", from, "--json")), &list); err != nil {
			t.Fatal(err)
		}
		if len(list) != 3 || list[1].Config.Name != "broken" || list[1].Error == "" || list[0].Error+list[2].Error != "" {
			t.Errorf("%s lists %+v", from, list)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if _, stderr, code := call(t, "study", "delete", "broken", "--store", url); code == 0 || !strings.Contains(stderr, "add --yes") {
		t.Errorf("without --yes: %d %s", code, stderr)
	}
	if out := must(t, "study", "delete", "broken", "--store", url, "--yes"); !strings.Contains(out, "deleted study broken") {
		t.Error(out)
	}
	if lines := strings.Split(must(t, "study", "list", "--store", url), "\n"); len(lines) != 4 {
		t.Errorf("%q", lines)
	}
}
