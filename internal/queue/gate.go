package queue

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"maps"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// gate lets in the process itself, which may do everything, and workers, which may do
// what workers do as long as their tokens count.
type gate struct {
	own   string
	allow func(token string) (study string, ok bool)

	mu     sync.Mutex
	guests map[uint64]string // tokens of connections
}

const recheck = time.Second // how often the tokens of connections are looked at again

// Check is called for every connection.
func (g *gate) Check(c server.ClientAuthentication) bool {
	token := c.GetOpts().Token
	if subtle.ConstantTimeCompare([]byte(token), []byte(g.own)) == 1 {
		return true
	}
	part, inbox := "*", commonInbox
	if g.allow != nil {
		study, ok := g.allow(token)
		if !ok {
			return false
		}
		if study != "*" {
			part = key(study)
		}
		inbox = privateInbox(token)
		g.mu.Lock()
		g.guests[c.GetID()] = token
		g.mu.Unlock()
	}
	c.RegisterUser(&server.User{Permissions: permissions(part, inbox)})
	return true
}

// watch cuts the connections of tokens that do not count any more, until stop is called.
func (g *gate) watch(ns *server.Server) (stop func()) {
	if g.allow == nil {
		return func() {}
	}
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(recheck)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				g.review(ns)
			}
		}
	})
	return func() {
		close(done)
		watching.Wait()
	}
}

// review looks at all connections once.
func (g *gate) review(ns *server.Server) {
	g.mu.Lock()
	guests := maps.Clone(g.guests)
	g.mu.Unlock()
	for id, token := range guests {
		there := ns.GetClient(id) != nil
		if there {
			if _, ok := g.allow(token); ok {
				continue
			}
			_ = ns.DisconnectClientByID(id) // it may have left
		}
		g.mu.Lock()
		delete(g.guests, id)
		g.mu.Unlock()
	}
}

const commonInbox = "_INBOX"

// privateInbox is where answers to the holder of a token go. Who does not have the token
// cannot guess it.
func privateInbox(token string) string {
	sum := sha256.Sum256([]byte("inbox of " + token))
	return commonInbox + "." + hex.EncodeToString(sum[:16])
}

// permissions are those of a worker of one study, or of all: to have a consumer, to
// pull from it, to acknowledge, to say that it waits, and to read answers in its inbox. Who
// may work for all studies may also offer tasks and do them.
func permissions(part, inbox string) *server.Permissions {
	p := &server.Permissions{
		Publish: &server.SubjectPermission{Allow: []string{
			want + part,
			"$JS.API.INFO",
			"$JS.API.CONSUMER.CREATE." + streamName + "." + part + "." + trials + part + ".*",
			"$JS.API.CONSUMER.INFO." + streamName + "." + part,
			"$JS.API.CONSUMER.MSG.NEXT." + streamName + "." + part,
			"$JS.ACK." + streamName + "." + part + ".>",
		}},
		Subscribe: &server.SubjectPermission{Allow: []string{inbox + ".>"}},
	}
	if part == "*" {
		p.Publish.Allow = append(p.Publish.Allow, tasks+">")
		p.Subscribe.Allow = append(p.Subscribe.Allow, tasks+">")
		p.Response = &server.ResponsePermission{MaxMsgs: 1, Expires: startup}
	}
	return p
}
