// Package token keeps the tokens that let clients use a server.
//
// A file holds one JSON object per line: a token that was created, with the hash
// of its secret, or the id of one that was revoked. Lines are only added. A change is
// written aside and put in place in one step, so that neither a crash nor a full disk
// harms what was there; a line that is damaged all the same costs no other.
//
//	role    what a holder may do: read; write, which is read, ask and tell;
//	        admin, which is write, create and delete
//	study   where: the name of a study, PREFIX* for all that begin so, * for all
//	text    what a client sends: mhb_ID_SECRET
package token

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Role says what the holder of a token may do.
type Role string

// The roles, each of which includes those before it.
const (
	Read  Role = "read"
	Write Role = "write"
	Admin Role = "admin"
)

// Roles lists the roles from the least to the most powerful.
func Roles() []Role { return []Role{Read, Write, Admin} }

// Includes says whether a role may do what another may.
func (r Role) Includes(other Role) bool {
	have, need := slices.Index(Roles(), r), slices.Index(Roles(), other)
	return need >= 0 && have >= need
}

// Token is what is kept of a token; the secret is not.
type Token struct {
	ID      string    `json:"id"`
	Name    string    `json:"name,omitempty"` // who has it
	Role    Role      `json:"role"`
	Study   string    `json:"study"` // a name, PREFIX* or *
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
	Hash    string    `json:"hash"`             // SHA-256 of the secret
}

// Allows says whether the token permits a role on a study.
func (t Token) Allows(study string, role Role) bool {
	return t.Role.Includes(role) && t.covers(study)
}

// AllowsAll says whether the token permits a role on every study.
func (t Token) AllowsAll(role Role) bool { return t.Role.Includes(role) && t.Study == "*" }

func (t Token) covers(study string) bool {
	if prefix, ok := strings.CutSuffix(t.Study, "*"); ok {
		return strings.HasPrefix(study, prefix)
	}
	return t.Study == study
}

// Grant is what a new token is for.
type Grant struct {
	Name    string
	Role    Role
	Study   string
	Expires time.Time // zero: never
}

func (g Grant) validate() error {
	if !slices.Contains(Roles(), g.Role) {
		return fmt.Errorf("role is %q: write read, write or admin", g.Role)
	}
	if g.Study == "" || strings.Contains(strings.TrimSuffix(g.Study, "*"), "*") {
		return fmt.Errorf("study is %q: write the name of a study, PREFIX* for all that begin so, or * for all", g.Study)
	}
	return nil
}

// line is an entry of the file.
type line struct {
	*Token
	Revoked string `json:"revoked,omitempty"` // id of an earlier token
}

const prefix = "mhb"

// Create adds a token to a file, which it makes when there is none, and returns
// the text that a client sends. It is shown this once: the file has its hash only.
func Create(path string, g Grant, now time.Time) (text string, t Token, err error) {
	if err := g.validate(); err != nil {
		return "", t, err
	}
	text, t = newToken(g, now)
	return text, t, add(path, line{Token: &t})
}

func newToken(g Grant, now time.Time) (text string, t Token) {
	secret := rand.Text()
	t = Token{
		ID: strings.ToLower(rand.Text()[:8]), Name: g.Name, Role: g.Role, Study: g.Study,
		Created: now.UTC().Round(0), Expires: g.Expires, Hash: hash(secret),
	}
	return strings.Join([]string{prefix, t.ID, secret}, "_"), t
}

// ErrUnknown is a token that a file does not have.
var ErrUnknown = errors.New("no such token")

// Revoke ends a token.
func Revoke(path, id string) error {
	tokens, _, err := List(path)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(tokens, func(t Token) bool { return t.ID == id }) {
		return fmt.Errorf("token %q: %w: mahabo token list shows their ids", id, ErrUnknown)
	}
	return add(path, line{Revoked: id})
}

// List returns the tokens of a file that are not revoked, in the order they were created.
// damaged names the lines that cannot be read.
func List(path string) (tokens []Token, damaged error, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("there is no file %s: mahabo token create makes it", path)
	}
	if err != nil {
		return nil, nil, err
	}
	n := 0
	for text := range bytes.Lines(data) {
		n++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil || (l.Token == nil) == (l.Revoked == "") {
			damaged = errors.Join(damaged, fmt.Errorf("%s:%d is not the line of a token and counts for nothing: remove it", path, n))
			continue
		}
		if l.Token != nil {
			tokens = append(tokens, *l.Token)
			continue
		}
		tokens = slices.DeleteFunc(tokens, func(t Token) bool { return t.ID == l.Revoked })
	}
	return tokens, damaged, nil
}

func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret)) // 128 random bits need no slow hash
	return hex.EncodeToString(sum[:])
}

// find returns the token that a client's text names and proves.
func find(tokens map[string]Token, text string, now time.Time) (Token, bool) {
	parts := strings.Split(text, "_")
	if len(parts) != 3 || parts[0] != prefix {
		return Token{}, false
	}
	t, known := tokens[parts[1]] // ids are no secret
	same := subtle.ConstantTimeCompare([]byte(hash(parts[2])), []byte(t.Hash)) == 1
	if !known || !same || !t.Expires.IsZero() && !now.Before(t.Expires) {
		return Token{}, false
	}
	return t, true
}
