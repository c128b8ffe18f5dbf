//go:build unix

package server_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mahabo/mahabo/store"
	"github.com/mahabo/mahabo/study"
)

// startReplica runs a server in a process of its own.
func startReplica(t *testing.T, url string) (client, *exec.Cmd) {
	t.Helper()
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(os.Environ(), replicaURL+"="+url)
	process.Stderr = os.Stderr
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		process.Process.Kill()
		process.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the replica did not start: %v", err)
	}
	return client{t: t, url: "http://" + strings.TrimSpace(address)}, process
}

// TestReplicas has two servers on one database serve asks, and kills one while it
// holds the study's lock.
func TestReplicas(t *testing.T) {
	url := postgres.URL(t)
	one, process := startReplica(t, url)
	two, _ := startReplica(t, url)
	one.must("POST", "/v1/studies", rig("sobol"), nil)

	// Both serve the same study, nothing is served twice.
	var mu sync.Mutex
	seen := map[int]int{}
	var wait sync.WaitGroup
	for w := range 8 {
		wait.Go(func() {
			for i := range 5 {
				var b batchJSON
				[]client{one, two}[w%2].must("POST", "/v1/studies/rig/ask", object{"request_id": fmt.Sprint(w, "-", i)}, &b)
				two.must("POST", fmt.Sprintf("/v1/studies/rig/trials/%d/tell", b.Trials[0].Number), object{"value": i}, nil)
				mu.Lock()
				seen[b.Trials[0].Number]++
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if len(seen) != 40 {
		t.Errorf("40 asks were served %d trials", len(seen))
	}

	// A replica that dies with the lock holds up the other for a few seconds only.
	two.must("POST", "/v1/studies", object{"name": "slow", "method": "vanilla", "init": 2, "space": rig("")["space"]}, nil)
	st, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	slow, err := study.Open(t.Context(), st, "slow")
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := slow.Lock(t.Context(), "a replica that will die", 5*time.Second); err != nil || !ok {
		t.Fatalf("the lock: %v, %v", ok, err)
	}
	process.Process.Kill()
	start := time.Now()
	for i := range 6 {
		var b batchJSON
		two.must("POST", "/v1/studies/slow/ask", nil, &b)
		two.must("POST", fmt.Sprintf("/v1/studies/slow/trials/%d/tell", b.Trials[0].Number), object{"value": i * i}, nil)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("asks went on after %s, want at most 10s", took)
	}
}
