//go:build unix

package server_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mahabo/mahabo/server"
)

var (
	thinkMethod  = flag.String("think.method", "adaptive", "method of the choosing test")
	thinkDim     = flag.Int("think.dim", 4, "parameters of the choosing test")
	thinkWorkers = flag.Int("think.workers", 4, "workers of the choosing test")
	thinkKnown   = flag.Int("think.known", 30, "trials that the choosing test begins with")
	thinkTrials  = flag.Int("think.trials", 30, "trials of the choosing test")
	thinkTakes   = flag.Duration("think.takes", 20*time.Millisecond, "what an evaluation of the choosing test takes")
	thinkCheck   = flag.Bool("think.check", false, "fail when the median ask takes longer than one suggestion and 50 ms")
)

// TestThinking has many work for a study whose method chooses, and compares how long they wait
// with how long one suggestion takes. On a machine that does nothing else:
//
//	go test -run TestThinking -v ./server -think.dim 50 -think.known 500 -think.workers 20 -think.trials 200 -think.takes 3s -think.check
func TestThinking(t *testing.T) {
	c := start(t, server.Config{Patience: time.Minute})
	space := object{"parameters": object{fmt.Sprintf("w[0:%d]", *thinkDim-1): object{"float": []float64{-1, 1}}}}
	c.must("POST", "/v1/studies", object{"name": "rig", "method": *thinkMethod, "space": space}, nil)
	c.must("POST", "/v1/studies/rig/import?format=jsonl", evaluations(*thinkKnown), nil)
	web := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: *thinkWorkers}}
	defer web.CloseIdleConnections()
	var mu sync.Mutex
	var waits []time.Duration
	var begun atomic.Int64
	var workers sync.WaitGroup
	for w := range *thinkWorkers {
		workers.Go(func() {
			time.Sleep(time.Duration(w) * *thinkTakes / time.Duration(*thinkWorkers)) // they do not keep step
			for begun.Add(1) <= int64(*thinkTrials) {
				took, err := oneTrial(web, c.url, *thinkTakes)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				waits = append(waits, took)
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	var alone []time.Duration // at the same size
	for range 5 {
		took, err := oneTrial(web, c.url, 5*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		alone = append(alone, took)
	}
	slices.Sort(waits)
	slices.Sort(alone)
	one, median := alone[len(alone)/2], waits[len(waits)/2]
	t.Logf("%s, %d parameters, %d workers, %d+%d trials of %s: ask p50 %s p99 %s, alone %s", *thinkMethod, *thinkDim, *thinkWorkers, *thinkKnown, len(waits), *thinkTakes,
		median.Round(time.Millisecond), waits[len(waits)*99/100].Round(time.Millisecond), one.Round(time.Millisecond))
	if *thinkCheck && median > one+50*time.Millisecond {
		t.Errorf("the median ask took %s, one suggestion takes %s", median, one)
	}
}

// The server answers while a method thinks.
func TestAnswersWhileThinking(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds; make test runs it")
	}
	c := start(t, server.Config{Patience: time.Minute})
	space := object{"parameters": object{"w[0:29]": object{"float": []float64{-1, 1}}}}
	c.must("POST", "/v1/studies", object{"name": "rig", "method": "adaptive", "space": space}, nil)
	random := rand.New(rand.NewPCG(1, 1))
	var table strings.Builder
	for range 300 {
		row := map[string]float64{}
		for i := range 30 {
			row[fmt.Sprintf("w%d", i)] = 2*random.Float64() - 1
		}
		row["value"] = valley(row)
		line, _ := json.Marshal(row) // of numbers
		table.Write(append(line, '\n'))
	}
	c.must("POST", "/v1/studies/rig/import?format=jsonl", table.String(), nil)
	web := &http.Client{Transport: &http.Transport{}}
	defer web.CloseIdleConnections()
	done := make(chan error, 1)
	var batch struct {
		Model struct {
			Fit    float64 `json:"fit_seconds"`
			Search float64 `json:"search_seconds"`
			Wait   float64 `json:"wait_seconds"`
		}
	}
	go func() {
		_, err := timed(&http.Client{}, c.url+"/v1/studies/rig/ask", object{}, &batch)
		done <- err
	}()
	var waits []time.Duration
	for thinking := true; thinking; {
		begin := time.Now()
		answer, err := web.Get(c.url + "/v1/studies")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		waits = append(waits, time.Since(begin))
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			thinking = false
		case <-time.After(20 * time.Millisecond):
		}
	}
	slices.Sort(waits)
	if median := waits[len(waits)/2]; median > 100*time.Millisecond {
		t.Errorf("the list of studies takes %s while a method thinks, the median of %d", median, len(waits))
	}
	if m := batch.Model; !(m.Fit > 0 && m.Search > 0 && m.Wait+0.01 >= m.Fit+m.Search) {
		t.Errorf("learning took %g s, the search %g s, and the request waited %g s", m.Fit, m.Search, m.Wait)
	}
}

// oneTrial asks, evaluates and tells, and returns how long the answer to the ask took.
func oneTrial(web *http.Client, url string, takes time.Duration) (time.Duration, error) {
	var b struct {
		Trials []struct {
			Number int
			Params map[string]float64
		}
	}
	took, err := timed(web, url+"/v1/studies/rig/ask", object{"lease_seconds": 600}, &b)
	if err != nil {
		return 0, err
	}
	time.Sleep(takes)
	_, err = timed(web, fmt.Sprintf("%s/v1/studies/rig/trials/%d/tell", url, b.Trials[0].Number), object{"value": valley(b.Trials[0].Params)}, nil)
	return took, err
}

// valley is a function to minimise.
func valley(params map[string]float64) (value float64) {
	for name, x := range params {
		value += (x - 0.3) * (x - 0.3) * float64(len(name))
	}
	return value
}

// evaluations is a table of some points.
func evaluations(n int) string {
	random := rand.New(rand.NewPCG(1, 1))
	var table strings.Builder
	for range n {
		row := map[string]float64{}
		for i := range *thinkDim {
			row[fmt.Sprintf("w%d", i)] = 2*random.Float64() - 1
		}
		row["value"] = valley(row)
		line, _ := json.Marshal(row) // of numbers
		table.Write(append(line, '\n'))
	}
	return table.String()
}
