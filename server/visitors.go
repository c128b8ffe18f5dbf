package server

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// visitors are the connections on which nobody has shown who he is. When there are too many,
// the one that has done nothing for longest is cut, so that connections that only wait use
// up neither memory nor descriptors, and a newcomer can still be heard.
type visitors struct {
	most int

	mu        sync.Mutex
	strangers *list.List // of net.Conn, the one that was heard of least recently first
	places    map[net.Conn]*list.Element
}

type connKey struct{}

func newVisitors(most int) *visitors {
	return &visitors{most: most, strangers: list.New(), places: map[net.Conn]*list.Element{}}
}

// arrive is for http.Server.ConnContext.
func (v *visitors) arrive(ctx context.Context, c net.Conn) context.Context {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.places[c] = v.strangers.PushBack(c)
	if v.strangers.Len() > v.most {
		oldest := v.strangers.Front().Value.(net.Conn)
		v.remove(oldest)
		cut(oldest)
	}
	return context.WithValue(ctx, connKey{}, c)
}

// change is for http.Server.ConnState.
func (v *visitors) change(c net.Conn, to http.ConnState) {
	if to == http.StateClosed || to == http.StateHijacked {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.remove(c)
	}
}

// heard says that a request has come to its end on the connection of ctx, and whether its
// sender is known: then the connection stays.
func (v *visitors) heard(ctx context.Context, known bool) {
	c, ok := ctx.Value(connKey{}).(net.Conn)
	if !ok {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if known {
		v.remove(c)
	} else if place := v.places[c]; place != nil {
		v.strangers.MoveToBack(place)
	}
}

// remove forgets a connection. The caller holds the lock.
func (v *visitors) remove(c net.Conn) {
	if place := v.places[c]; place != nil {
		v.strangers.Remove(place)
		delete(v.places, c)
	}
}

// cut closes a connection without a word: one of TLS would wait until it has said good-bye.
func cut(c net.Conn) {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	_ = c.Close() // it may be closed
}
