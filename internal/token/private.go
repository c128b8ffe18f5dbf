package token

import (
	"fmt"
	"strings"
	"time"
)

// Private returns the text of an admin's token that no file has, for a server that serves
// the one program that started it: Only answers for it.
func Private(now time.Time) (text string) {
	text, _ = newToken(Grant{Role: Admin, Study: "*"}, now)
	return text
}

// Only answers for one token, which may do everything.
func Only(text string, now time.Time) (*File, error) {
	parts := strings.Split(text, "_")
	if len(parts) != 3 || parts[0] != prefix || parts[1] == "" || len(parts[2]) < 16 {
		return nil, fmt.Errorf("a token reads %s_ID_SECRET with a secret of at least 16 letters", prefix)
	}
	t := Token{ID: parts[1], Role: Admin, Study: "*", Created: now.UTC().Round(0), Hash: hash(parts[2])}
	return &File{now: time.Now, warn: func(error) {}, tokens: map[string]Token{t.ID: t}}, nil
}
