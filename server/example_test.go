package server_test

import (
	"context"
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
	head, _, _ := strings.Cut(post("/v1/studies/rig/ask", `{"count": 2}`), `,"trials"`)
	fmt.Println(head)
	post("/v1/studies/rig/trials/1/tell", `{"value": 0.5}`)
	// Output:
	// {"batch_id":1,"model":{"method":"sobol","d":null,"fallback":null,"note":null}
}
