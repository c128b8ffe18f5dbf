package cli

import (
	"cmp"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/mahabo/mahabo/internal/token"
)

// tokenCmd groups what is done to the tokens of a server.
type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Make a token and print it, this once."`
	List   tokenListCmd   `cmd:"" help:"List the tokens."`
	Revoke tokenRevokeCmd `cmd:"" help:"End a token."`
}

// tokenFlags choose the file.
type tokenFlags struct {
	TokenFile string `required:"" placeholder:"FILE" help:"File of the tokens, the one that mahabo serve has."`
}

type tokenCreateCmd struct {
	Study string        `default:"*" placeholder:"NAME" help:"Study that it is for; PREFIX* for all that begin so, * for all (${default})."`
	Role  string        `enum:"read,write,admin" default:"write" help:"What it permits: read; write: also ask and tell; admin: also create and delete (${default})."`
	Name  string        `placeholder:"WHO" help:"Who gets it, for the list."`
	For   time.Duration `default:"0s" placeholder:"T" help:"How long it is valid, as 720h (0: until it is revoked)."`
	JSON  bool          `name:"json" help:"Print JSON."`
	tokenFlags
}

// Help is the long help.
func (*tokenCreateCmd) Help() string {
	return `Examples:

  mahabo token create --token-file tokens --role admin --name me
  mahabo token create --token-file tokens --study rig --role write --name "the workers" --for 720h

The file keeps a hash only: what is printed cannot be printed again. A running server knows a new token within a second.`
}

// Run makes the token.
func (c *tokenCreateCmd) Run(s streams) error {
	if c.For < 0 {
		return usagef("--for is %s: it cannot be negative", c.For)
	}
	g := token.Grant{Name: c.Name, Role: token.Role(c.Role), Study: c.Study}
	if c.For > 0 {
		g.Expires = time.Now().Add(c.For).UTC().Round(0)
	}
	text, t, err := token.Create(c.TokenFile, g, time.Now())
	if err != nil {
		return usagef("--token-file: %w", err)
	}
	if c.JSON {
		return writeJSON(s.out, struct {
			Token string `json:"token"`
			ID    string `json:"id"`
		}{text, t.ID})
	}
	_, err = fmt.Fprintln(s.out, text)
	return err
}

type tokenListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
	tokenFlags
}

// tokenInfo is a token in JSON, without its hash.
type tokenInfo struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Role    token.Role `json:"role"`
	Study   string     `json:"study"`
	Created time.Time  `json:"created"`
	Expires time.Time  `json:"expires,omitzero"`
}

// Help is the long help.
func (*tokenListCmd) Help() string {
	return `Examples:

  mahabo token list --token-file tokens`
}

// Run lists the tokens.
func (c *tokenListCmd) Run(s streams) error {
	tokens, damaged, err := token.List(c.TokenFile)
	if err != nil {
		return usagef("--token-file: %w", err)
	}
	if damaged != nil {
		fmt.Fprintln(s.err, "mahabo:", damaged)
	}
	infos := []tokenInfo{}
	for _, t := range tokens {
		infos = append(infos, tokenInfo{t.ID, t.Name, t.Role, t.Study, t.Created, t.Expires})
	}
	if c.JSON {
		return writeJSON(s.out, infos)
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "id\trole\tstudy\tname\tcreated\texpires")
	for _, t := range infos {
		expires := "never"
		if !t.Expires.IsZero() {
			expires = t.Expires.Format(time.DateTime)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Role, t.Study, cmp.Or(t.Name, "-"), t.Created.Format(time.DateTime), expires)
	}
	return w.Flush()
}

type tokenRevokeCmd struct {
	ID string `arg:"" help:"Id of the token, as mahabo token list shows it."`
	tokenFlags
}

// Help is the long help.
func (*tokenRevokeCmd) Help() string {
	return `Examples:

  mahabo token revoke kq3vtzpd --token-file tokens

A running server refuses it within a second.`
}

// Run ends the token.
func (c *tokenRevokeCmd) Run(s streams) error {
	err := token.Revoke(c.TokenFile, c.ID)
	if errors.Is(err, token.ErrUnknown) {
		return usageError{err}
	}
	if err != nil {
		return usagef("--token-file: %w", err)
	}
	_, err = fmt.Fprintf(s.out, "revoked token %s\n", c.ID)
	return err
}
