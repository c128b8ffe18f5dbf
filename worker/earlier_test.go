package worker

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
)

// A server of an earlier version refuses the seconds of an evaluation; the value counts all the same.
func TestServerWithoutSeconds(t *testing.T) {
	var told []map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		if _, has := body["seconds"]; has {
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"title":"Unprocessable Entity","status":422,"detail":"validation failed","errors":[{"message":"unexpected property","location":"body.seconds"}]}`)
			return
		}
		told = append(told, body)
		_, _ = io.WriteString(w, `{}`)
	}))
	defer server.Close()
	outcome := evaluate.Value(3)
	outcome.Seconds = 1.5
	r := newRemote(server.URL, "", "rig", slog.New(slog.DiscardHandler))
	if _, err := r.tell(t.Context(), 1, "w", outcome); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || told[0]["value"] != 3.0 {
		t.Errorf("the server was told %v, want the value 3 once", told)
	}
}
