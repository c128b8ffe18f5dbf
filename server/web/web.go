package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
)

//go:embed templates
var templates embed.FS

//go:embed static
var static embed.FS

// dashboard answers browsers.
type dashboard struct {
	api   http.Handler
	pages *template.Template
	files map[string]file
}

// Handler makes the dashboard of an API, which has to check who calls it.
func Handler(api http.Handler) http.Handler {
	d := &dashboard{api: api, files: readFiles()}
	d.pages = template.Must(template.New("").Funcs(d.functions()).ParseFS(templates, "templates/*.html"))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", d.list)
	mux.HandleFunc("GET /new", d.newStudy)
	mux.HandleFunc("POST /new", d.createStudy)
	mux.HandleFunc("GET /studies/{study}", d.study)
	mux.HandleFunc("GET /studies/{study}/overview", d.overview)
	mux.HandleFunc("GET /studies/{study}/model", d.model)
	mux.HandleFunc("GET /studies/{study}/trials", d.trials)
	mux.HandleFunc("GET /studies/{study}/trials/{number}", d.trial)
	mux.HandleFunc("POST /studies/{study}/ask", d.ask)
	mux.HandleFunc("POST /studies/{study}/enqueue", d.enqueue)
	mux.HandleFunc("POST /studies/{study}/import", d.load)
	mux.HandleFunc("POST /studies/{study}/delete", d.remove)
	mux.HandleFunc("POST /studies/{study}/trials/{number}/tell", d.tell)
	mux.HandleFunc("POST /studies/{study}/trials/{number}/retry", d.retry)
	mux.HandleFunc("GET /login", d.loginForm)
	mux.HandleFunc("POST /login", d.logIn)
	mux.HandleFunc("POST /logout", d.logOut)
	mux.HandleFunc("GET /static/", d.static)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		d.fail(w, r, &problem{Status: http.StatusNotFound, Title: "Not found", Detail: "There is no such page."})
	})
	return mux
}

// file is an embedded file that browsers keep until it changes.
type file struct {
	data []byte
	tag  string
	kind string
}

var kinds = map[string]string{".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}

func readFiles() map[string]file {
	files := map[string]file{}
	err := fs.WalkDir(static, "static", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(static, path)
		sum := sha256.Sum256(data)
		kind := kinds[path[strings.LastIndex(path, "."):]]
		if kind == "" {
			kind = "text/plain"
		}
		files["/"+path] = file{data, hex.EncodeToString(sum[:8]), kind + "; charset=utf-8"}
		return err
	})
	if err != nil {
		panic(err) // the program was built without its files
	}
	return files
}

// asset is the address of a file, which changes with its content. Modules import
// each other without it, and are asked for again by their tag.
func (d *dashboard) asset(name string) string {
	path := "/static/" + name
	return path + "?v=" + d.files[path].tag
}

func (d *dashboard) static(w http.ResponseWriter, r *http.Request) {
	f, ok := d.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("ETag", `"`+f.tag+`"`)
	h.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == f.tag {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if r.Header.Get("If-None-Match") == h.Get("ETag") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(f.data) // the client is gone
}

// page is what the frame around every page needs.
type page struct {
	Title   string
	Session *session // nil before a login
	Body    any
}

// show writes a template, all or nothing.
func (d *dashboard) show(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := d.pages.ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // the server logs it
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "HX-Request")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// showPage writes a page for a caller whose session is known.
func (d *dashboard) showPage(w http.ResponseWriter, r *http.Request, status int, name, title string, body any) {
	s, err := d.session(r)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, status, name, page{title, s, body})
}

// partial says whether a script asks for a part of a page.
func partial(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }
