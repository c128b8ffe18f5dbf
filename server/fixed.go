package server

import (
	"embed"
	"io/fs"
	"net/http"
	"strings"
)

//go:embed docs
var docs embed.FS

// serveFixed adds what does not depend on a study.
func (s *Server) serveFixed(mux *http.ServeMux) {
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(s.document) // the client is gone
	})
	page := func(name, contentType string) http.HandlerFunc {
		data, err := fs.ReadFile(docs, "docs/"+name)
		if err != nil {
			panic(err) // the program was built without its files
		}
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType+"; charset=utf-8")
			_, _ = w.Write(data)
		}
	}
	mux.Handle("GET /docs", page("index.html", "text/html"))
	mux.Handle("GET /docs/page.js", page("page.js", "text/javascript"))
	mux.Handle("GET /docs/page.css", page("page.css", "text/css"))
	mux.Handle("GET /metrics", s.serveMetrics())
	mux.HandleFunc("GET /healthz", s.serveHealth)
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) { noOperation(w, r, mux) })
}

// noOperation says whether a path is wrong or only its method.
func noOperation(w http.ResponseWriter, r *http.Request, mux *http.ServeMux) {
	var allowed []string
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodPost} {
		other := *r
		other.Method = method
		if _, pattern := mux.Handler(&other); strings.HasPrefix(pattern, method) {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		writeProblem(w, http.StatusNotFound, "there is no such operation: /docs lists them")
		return
	}
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	writeProblem(w, http.StatusMethodNotAllowed, "this path takes "+list)
}
