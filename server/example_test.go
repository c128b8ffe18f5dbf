package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"

	"github.com/mahabo/mahabo/server"
	"github.com/mahabo/mahabo/store/memory"
)

// A server is an http.Handler.
func ExampleNew() {
	s, err := server.New(server.Config{Store: memory.New()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	post := func(path, body string) string {
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, httptest.NewRequestWithContext(context.Background(), "POST", path, strings.NewReader(body)))
		text, _ := io.ReadAll(answer.Body)
		return strings.TrimSpace(string(text))
	}
	post("/v1/studies", `{"name": "rig", "method": "sobol", "space": {"parameters": {"n": {"int": [1, 5]}}}}`)
	var batch struct {
		Trials []struct{ Number int }
	}
	if err := json.Unmarshal([]byte(post("/v1/studies/rig/ask", `{"count": 2}`)), &batch); err != nil {
		fmt.Println(err)
	}
	fmt.Println(batch.Trials)
	post("/v1/studies/rig/trials/1/tell", `{"value": 0.5}`)
	// Output:
	// [{1} {2}]
}
