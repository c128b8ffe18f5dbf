package token

import "time"

// Private returns an admin's token that no file has, and what answers for it: for a server
// that serves the one program that started it.
func Private(now time.Time) (text string, f *File) {
	text, t := newToken(Grant{Role: Admin, Study: "*"}, now)
	return text, &File{now: time.Now, tokens: map[string]Token{t.ID: t}}
}
