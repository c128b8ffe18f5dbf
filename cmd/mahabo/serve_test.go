//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// serve starts a server on a random port and returns its address and how to stop it.
func serve(t *testing.T, args ...string) (address string, stop func() error) {
	t.Helper()
	args = append([]string{"serve", "--addr", "127.0.0.1:0", "--store", "sqlite:" + filepath.Join(t.TempDir(), "a.db")}, args...)
	return listen(t, exec.CommandContext(t.Context(), binary, args...))
}

// listen starts a command that serves.
func listen(t *testing.T, c *exec.Cmd) (address string, stop func() error) {
	t.Helper()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		t.Fatalf("the server said %q, %v", line, err)
	}
	return address, func() error {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		return c.Wait()
	}
}

// post sends JSON with a token and returns the status and the answer.
func post(t *testing.T, url, token, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded") // as curl -d does
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func TestServe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	secret := strings.TrimSpace(must(t, "token", "create", "--token-file", file, "--role", "admin", "--name", "me"))
	if list := must(t, "token", "list", "--token-file", file); !strings.Contains(list, "admin") || strings.Contains(list, secret) {
		t.Errorf("the tokens are listed as\n%s", list)
	}
	url, stop := serve(t, "--token-file", file)
	study := `{"name": "rig", "space": {"parameters": {"x": {"float": [0, 1]}}}}`
	if status, text := post(t, url+"/v1/studies", "wrong", study); status != 401 {
		t.Errorf("a wrong token gave %d %s", status, text)
	}
	if status, text := post(t, url+"/v1/studies", secret, study); status != 201 {
		t.Errorf("creating a study gave %d %s", status, text)
	}
	if status, text := post(t, url+"/v1/studies/rig/ask", secret, `{"count": 2}`); status != 200 || !strings.Contains(text, `"number":2`) {
		t.Errorf("asking gave %d %s", status, text)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := stop(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	must(t, "token", "revoke", "--token-file", file, strings.Split(secret, "_")[1])
	if list := must(t, "token", "list", "--token-file", file, "--json"); strings.TrimSpace(list) != "[]" {
		t.Errorf("after revoking the tokens are %s", list)
	}
}

func TestServeRefuses(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--addr 0.0.0.0:0", "--token-file"},
		{"--addr :8080", "--token-file"},
		{"--addr nonsense", "HOST:PORT"},
		{"--token-file none", "mahabo token create"},
		{"--insecure --token-file none", "contradict"},
		{"--tls-cert none.pem", "belong together"},
		{"--tls-cert none.pem --tls-key none.pem", "none.pem"},
		{"--patience 0s", "positive"},
		{"--nats sometimes", "nats://HOST:4222"},
		{"--nats nats://127.0.0.1:1", "--nats: NATS at nats://127.0.0.1:1"},
		{"--nats embedded --nats-addr 0.0.0.0:0", "--token-file"},
		{"--nats embedded --nats-addr nonsense", "--nats-addr"},
		{"--nats embedded --nats-creds file", "--nats-creds"},
	} {
		_, stderr, code := call(t, append([]string{"serve", "--store", "memory:"}, words(c.args)...)...)
		if code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("serve %s exits %d: %s, want %q", c.args, code, stderr, c.want)
		}
	}
}
