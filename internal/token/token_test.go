package token_test

import (
	"os"
	"path/filepath"
	"strings"
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
	if _, err := token.Open(path); err == nil || !strings.Contains(err.Error(), "mahabo token create") {
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
	f, err := token.Open(path)
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
	if list, err := token.List(path); err != nil || len(list) != 1 || list[0].ID == made.ID {
		t.Errorf("the list is %v, %v", list, err)
	}
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := token.Open(path); err == nil || !strings.Contains(err.Error(), ":1 ") {
		t.Errorf("a damaged file gave %v", err)
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
