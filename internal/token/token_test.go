package token_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mahabo/mahabo/internal/token"
)

var now = time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)

func TestAllows(t *testing.T) {
	for _, c := range []struct {
		role  token.Role
		study string
		on    string
		to    token.Role
		want  bool
	}{
		{token.Read, "rig", "rig", token.Read, true},
		{token.Read, "rig", "rig", token.Write, false},
		{token.Read, "rig", "rig2", token.Read, false},
		{token.Write, "rig*", "rig2", token.Read, true},
		{token.Write, "rig*", "other", token.Read, false},
		{token.Admin, "*", "anything", token.Admin, true},
		{"", "*", "rig", token.Read, false},
		{token.Admin, "*", "rig", "unknown", false},
		{token.Admin, "", "rig", token.Read, false},
	} {
		if got := (token.Token{Role: c.role, Study: c.study}).Allows(c.on, c.to); got != c.want {
			t.Errorf("%s on %q permits %s on %q: %v", c.role, c.study, c.to, c.on, got)
		}
	}
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	if _, err := token.Open(path, nil); err == nil || !strings.Contains(err.Error(), "mahabo token create") {
		t.Errorf("a file that is not there gave %v", err)
	}
	text, made, err := token.Create(path, token.Grant{Name: "me", Role: token.Write, Study: "rig"}, now)
	if err != nil {
		t.Fatal(err)
	}
	old, _, err := token.Create(path, token.Grant{Role: token.Read, Study: "*", Expires: time.Unix(1, 0)}, now)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if secret := strings.Split(text, "_")[2]; strings.Contains(string(data), secret) {
		t.Error("the file has the secret")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	f, err := token.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok, err := f.Find(text); err != nil || !ok || got != made {
		t.Errorf("the token was found as %+v, %v, %v", got, ok, err)
	}
	for _, wrong := range []string{"", "mhb", text + "x", text[:len(text)-1], "mhb__", old, "mhb_" + made.ID + "_"} {
		if _, ok, _ := f.Find(wrong); ok {
			t.Errorf("%q was let in", wrong)
		}
	}
	if err := token.Revoke(path, "nobody"); err == nil {
		t.Error("a token that is not there was revoked")
	}
	if err := token.Revoke(path, made.ID); err != nil {
		t.Fatal(err)
	}
	if list, _, err := token.List(path); err != nil || len(list) != 1 || list[0].ID == made.ID {
		t.Errorf("the list is %v, %v", list, err)
	}
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var damaged error
	if _, err := token.Open(path, func(err error) { damaged = err }); err == nil || damaged == nil || !strings.Contains(damaged.Error(), ":1 ") {
		t.Errorf("a damaged file gave %v, %v", err, damaged)
	}
}

// A damaged line costs no other token, and is warned of.
func TestDamagedLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	create := func() string {
		text, _, err := token.Create(path, token.Grant{Role: token.Read, Study: "*"}, now)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	first := create()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole, whole[:40]...), 0o640); err != nil { // torn, and without an end
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	second := create()
	var warnings []error
	f, err := token.Open(path, func(err error) { warnings = append(warnings, err) })
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{first, second, first} {
		if _, ok, err := f.Find(text); !ok || err != nil {
			t.Errorf("beside a damaged line a token is refused: %v", err)
		}
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "tokens:2 ") {
		t.Errorf("the warnings are %v", warnings)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode became %v, %v", info.Mode(), err)
	}
}

// Processes that change the tokens together lose none.
func TestCreateTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if _, _, err := token.Create(path, token.Grant{Role: token.Read, Study: "*"}, now); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if list, damaged, err := token.List(path); len(list) != 20 || damaged != nil || err != nil {
		t.Errorf("%d tokens, %v, %v", len(list), damaged, err)
	}
}

func TestCreateRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	for _, g := range []token.Grant{{Role: "boss", Study: "*"}, {Role: token.Read}, {Role: token.Read, Study: "a*b"}} {
		if _, _, err := token.Create(path, g, now); err == nil {
			t.Errorf("%+v was granted", g)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a refused token left a file behind")
	}
}
