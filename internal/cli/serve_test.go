//go:build unix

package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
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

func TestServeEndsWithItsParent(t *testing.T) {
	c := exec.CommandContext(t.Context(), binary, "serve", "--with-parent", "--addr", "127.0.0.1:0", "--store", "memory:")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var at parentInfo
	if err := json.NewDecoder(out).Decode(&at); err != nil {
		t.Fatal(err)
	}
	study := `{"name": "rig", "space": {"parameters": {"x": {"float": [0, 1]}}}}`
	if status, text := post(t, at.URL+"/v1/studies", "wrong", study); status != 401 {
		t.Errorf("a wrong token gave %d %s", status, text)
	}
	if status, text := post(t, at.URL+"/v1/studies", at.Token, study); status != 201 {
		t.Errorf("creating a study gave %d %s", status, text)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// A shell that dies leaves a child that holds the server's standard input open.
func TestServeEndsWithAnOrphanedPipe(t *testing.T) {
	script := `sleep 60 | "$0" serve --with-parent --addr 127.0.0.1:0 --store memory: & echo $!; wait`
	c := exec.CommandContext(t.Context(), "sh", "-c", script, binary)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	text, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	server, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lines.ReadString('\n'); err != nil { // it listens
		t.Fatal(err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	for end := time.Now().Add(20 * time.Second); alive(server); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(server, syscall.SIGKILL)
			t.Fatal("the server outlives its parent")
		}
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
		{"--with-parent --insecure", "leave out --token-file"},
		{"--with-parent --addr 0.0.0.0:0", "127.0.0.1:0"},
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
