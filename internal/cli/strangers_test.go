//go:build unix

package cli

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Requests without a token that never come to their end do not use up the descriptors of a
// server: it has fewer than there are requests, and answers.
func TestDescriptorsLastForStrangers(t *testing.T) {
	const few, strangers = 256, 300
	tokens := filepath.Join(t.TempDir(), "tokens")
	secret := strings.TrimSpace(must(t, "token", "create", "--token-file", tokens, "--role", "admin"))
	line := fmt.Sprintf("ulimit -n %d && exec %s serve --addr 127.0.0.1:0 --log-level error --store sqlite:%s --token-file %s",
		few, binary, filepath.Join(t.TempDir(), "a.db"), tokens)
	url, stop := listen(t, exec.CommandContext(t.Context(), "sh", "-c", line))
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	for i := range strangers {
		conn, err := net.DialTimeout("tcp", strings.TrimPrefix(url, "http://"), 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		begun := []string{"POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Length: 90\r\n\r\n{", "GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 90\r\n\r\n", ""}[i%3]
		_, _ = io.WriteString(conn, begun) // the server may have cut it
	}
	client := http.Client{Timeout: 5 * time.Second}
	answer, err := client.Get(url + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	if answer.Body.Close(); answer.StatusCode != http.StatusOK {
		t.Errorf("/healthz says %s", answer.Status)
	}
	if status, text := post(t, url+"/v1/studies", secret, `{"name": "rig", "space": {"parameters": {"x": {"float": [0, 1]}}}}`); status != 201 {
		t.Errorf("work with a token gave %d %s", status, text)
	}
	http.DefaultClient.CloseIdleConnections()
}
