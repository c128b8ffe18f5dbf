//go:build unix

package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mahabo/mahabo/server"
	"github.com/mahabo/mahabo/study"
)

var (
	loadTrials  = flag.Int("load.trials", 600, "trials of the load test")
	loadWorkers = flag.Int("load.workers", 50, "workers of the load test")
	loadP99     = flag.Duration("load.p99", 0, "longest that 99 of 100 asks of the load test may take; 0 only reports")
	loadStore   = flag.String("load.store", "", "store of the load test, sqlite:PATH or postgres://...; new ones of both kinds when empty")
)

// TestLoad has many workers ask and tell as fast as they can:
//
//	go test -run TestLoad -v ./server -load.trials 20000 -load.workers 200 -load.p99 100ms
func TestLoad(t *testing.T) {
	if *loadStore != "" {
		testLoad(t, *loadStore)
		return
	}
	t.Run("sqlite", func(t *testing.T) { testLoad(t, "sqlite:"+filepath.Join(t.TempDir(), "load.db")) })
	t.Run("postgres", func(t *testing.T) { testLoad(t, postgres.URL(t)) })
}

func testLoad(t *testing.T, url string) {
	st := open(t, url)
	c := start(t, server.Config{Store: st})
	space := object{"parameters": object{"w[0:19]": object{"float": []float64{-1, 1}}}}
	name := fmt.Sprintf("load%d", time.Now().UnixNano())
	c.must("POST", "/v1/studies", object{"name": name, "method": "sobol", "space": space}, nil)

	begin := time.Now()
	asks, tells := work(t, c, name)
	took := time.Since(begin)
	p := func(list []time.Duration, q float64) time.Duration {
		return list[int(q*float64(len(list)-1))].Round(100 * time.Microsecond)
	}
	t.Logf("%d trials by %d workers in %s: %.0f trials/s; ask p50 %s p99 %s max %s; tell p50 %s p99 %s",
		len(asks), *loadWorkers, took.Round(time.Millisecond), float64(len(asks))/took.Seconds(),
		p(asks, .5), p(asks, .99), p(asks, 1), p(tells, .5), p(tells, .99))
	checkTrials(t, st, name)
	if *loadP99 > 0 && p(asks, .99) > *loadP99 {
		t.Errorf("the 99th percentile of asks is %s, want at most %s", p(asks, .99), *loadP99)
	}
}

// work runs the workers and returns how long requests took, in order.
func work(t *testing.T, c client, name string) (asks, tells []time.Duration) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	web := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: *loadWorkers}}
	defer web.CloseIdleConnections()
	for w := range *loadWorkers {
		wait.Go(func() {
			for i := w; i < *loadTrials; i += *loadWorkers {
				var b batchJSON
				ask, err := timed(web, c.url+"/v1/studies/"+name+"/ask", object{"worker": fmt.Sprint(w), "request_id": fmt.Sprint(i), "lease_seconds": 600}, &b)
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Millisecond) // the objective
				tell, err := timed(web, fmt.Sprintf("%s/v1/studies/%s/trials/%d/tell", c.url, name, b.Trials[0].Number), object{"value": float64(i)}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				asks, tells = append(asks, ask), append(tells, tell)
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	slices.Sort(asks)
	slices.Sort(tells)
	return asks, tells
}

// timed posts and measures.
func timed(web *http.Client, url string, body, out any) (time.Duration, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	answer, err := web.Post(url, "application/json", bytes.NewReader(data))
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	took := time.Since(start)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", url, answer.Status, text)
	}
	if err == nil && out != nil {
		err = json.Unmarshal(text, out)
	}
	return took, err
}

// checkTrials looks for trials that were lost, doubled or are stuck.
func checkTrials(t *testing.T, st study.Store, name string) {
	s, err := study.Open(context.Background(), st, name)
	if err != nil {
		t.Fatal(err)
	}
	trials, err := s.Trials(t.Context(), study.Page{})
	if err != nil {
		t.Fatal(err)
	}
	values, stuck := map[float64]bool{}, 0
	for _, one := range trials {
		if one.Value == nil {
			stuck++
			continue
		}
		values[*one.Value] = true
	}
	doubled := len(trials) - stuck - len(values)
	if lost := *loadTrials - len(values); lost != 0 || doubled != 0 || stuck != 0 {
		t.Errorf("%d trials: %d lost, %d doubled, %d stuck", len(trials), lost, doubled, stuck)
	}
}
