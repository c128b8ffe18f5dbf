package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/server"
)

// serve runs a server with its own limits on connections. It wants tokens; the client has one.
func serve(t *testing.T, limits server.Limits) client {
	t.Helper()
	path, add := tokens(t)
	c := client{t: t, token: add("*", token.Admin)}
	s, err := server.New(server.Config{Store: open(t, "memory:"), TokenFile: path, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener, nil) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		s.Close()
	})
	c.url = "http://" + listener.Addr().String()
	return c
}

// dial opens a connection and sends a text, which may be the beginning of a request.
func (c client) dial(text string) net.Conn {
	c.t.Helper()
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(c.url, "http://"), 10*time.Second)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		c.t.Fatal(err)
	}
	return conn
}

// A request that does not come to its end is cut, whatever its route, and whether or not
// somebody reads it.
func TestUnsentRequestsAreCut(t *testing.T) {
	c := serve(t, server.Limits{Silence: 200 * time.Millisecond})
	for _, begun := range []string{
		"POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{",
		"POST /v1/studies/rig/ask HTTP/1.1\r\nHost: x\r\nContent-Length: 90\r\n\r\n{",
		"POST /v1/studies/rig/ask HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
		"POST /v1/studies HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + c.token + "\r\nContent-Length: 90\r\n\r\n{",
		"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 90\r\n\r\n",
		"GET /openapi.json HTTP/1.1\r\nHost: x\r\nContent-Length: 90\r\n\r\n",
		"PUT /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 90\r\n\r\n",
		"GET /healthz HTTP/1.1\r\nHo",
		"",
	} {
		conn := c.dial(begun)
		if err := conn.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); isTimeout(err) {
			t.Errorf("after 5 s the server still waits for the rest of %q", begun)
		}
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// A request that trickles is cut in the end.
func TestTricklingRequestIsCut(t *testing.T) {
	c := serve(t, server.Limits{Silence: 200 * time.Millisecond, Read: 600 * time.Millisecond})
	conn := c.dial("POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n")
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if _, err := io.WriteString(conn, " "); err != nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the server still reads")
		}
	}
}

// However many requests without a token do not come to their end, work with one goes on.
func TestStrangersBlockNobody(t *testing.T) {
	c := serve(t, server.Limits{Concurrent: 8, Strangers: 4})
	c.must("POST", "/v1/studies", rig("sobol"), nil)
	for range 20 {
		conn := c.dial("POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 90\r\nExpect: 100-continue\r\n\r\n")
		line, err := bufio.NewReader(conn).ReadString('\n') // the server waits for the body, or refuses it
		if err != nil {
			t.Fatalf("the server said %q, %v", line, err)
		}
		c.must("POST", "/v1/studies/rig/ask", nil, nil)
	}
}

// Connections that say nothing make room for new ones; those of who is known stay.
func TestSilentConnectionsMakeRoom(t *testing.T) {
	const strangers = 4
	c := serve(t, server.Limits{Strangers: strangers})
	c.must("GET", "/v1/studies", nil, nil)
	var silent []net.Conn
	for range 3 * strangers {
		silent = append(silent, c.dial(""))
	}
	for i, conn := range silent[:2*strangers] {
		if err := conn.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(make([]byte, 1)); isTimeout(err) {
			t.Fatalf("connection %d of %d is still open", i+1, len(silent))
		}
	}
	reused := false
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }})
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/v1/studies", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Body.Close(); answer.StatusCode != http.StatusOK || !reused {
		t.Errorf("the answer is %s, on the same connection: %v", answer.Status, reused)
	}
	stranger := client{t: t, url: c.url}
	stranger.must("GET", "/healthz", nil, nil)
}

// Bodies that take their time but come are read.
func TestSlowRequestIsRead(t *testing.T) {
	c := serve(t, server.Limits{Silence: 2 * time.Second})
	conn := c.dial(fmt.Sprintf("POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(`{"token":"`+c.token+`"}`)))
	for _, part := range []string{`{"tok`, `en":"` + c.token, `"}`} {
		time.Sleep(100 * time.Millisecond)
		if _, err := io.WriteString(conn, part); err != nil {
			t.Fatal(err)
		}
	}
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Errorf("the answer is %q, %v", line, err)
	}
}
