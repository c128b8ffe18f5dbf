package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/mahabo/mahabo/internal/chart"
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
	d.pages = template.Must(template.New("").Funcs(chart.Functions()).Funcs(d.functions()).ParseFS(templates, "templates/*.html"))
	template.Must(chart.Parse(d.pages))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", d.list)
	mux.HandleFunc("GET /new", d.newStudy)
	mux.Handle("POST /new", d.form(mostForm, d.createStudy))
	mux.HandleFunc("GET /studies/{study}", d.study)
	mux.HandleFunc("GET /studies/{study}/overview", d.overview)
	mux.HandleFunc("GET /studies/{study}/insight", d.insight)
	mux.HandleFunc("GET /studies/{study}/parameters", d.analysisPage("parameters"))
	mux.HandleFunc("GET /studies/{study}/model", d.analysisPage("model"))
	mux.HandleFunc("GET /studies/{study}/workers", d.workers)
	mux.HandleFunc("GET /compare", d.compare)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/static/icon.svg", http.StatusFound)
	})
	mux.HandleFunc("GET /studies/{study}/trials", d.trials)
	mux.HandleFunc("GET /studies/{study}/trials/{number}", d.trial)
	mux.Handle("POST /studies/{study}/ask", d.form(mostForm, d.ask))
	mux.Handle("POST /studies/{study}/enqueue", d.form(mostForm, d.enqueue))
	mux.Handle("POST /studies/{study}/import", d.form(mostTable, d.load))
	mux.HandleFunc("GET /studies/{study}/change", d.changePage)
	mux.Handle("POST /studies/{study}/change", d.form(mostForm, d.changeSpace))
	mux.Handle("POST /studies/{study}/delete", d.form(mostForm, d.remove))
	mux.Handle("POST /studies/{study}/trials/{number}/tell", d.form(mostForm, d.tell))
	mux.Handle("POST /studies/{study}/trials/{number}/retry", d.form(mostForm, d.retry))
	mux.Handle("POST /studies/{study}/trials/{number}/notes", d.form(mostForm, d.note))
	mux.Handle("POST /studies/{study}/trials/{number}/correct", d.form(mostForm, d.correct))
	mux.HandleFunc("GET /login", d.loginForm)
	mux.Handle("POST /login", limit(mostLogin, d.logIn))
	mux.Handle("POST /logout", limit(mostLogin, d.logOut))
	mux.HandleFunc("GET /static/", d.static)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		d.fail(w, r, &problem{Status: http.StatusNotFound, Title: "Not found", Detail: "There is no such page."})
	})
	return mux
}

// The largest forms, in bytes, and how long a browser may take to send one.
const (
	mostLogin = 64 << 10
	mostForm  = 8 << 20
	readForm  = time.Minute
)

// form reads a form of someone who may be here.
func (d *dashboard) form(most int64, handle http.HandlerFunc) http.Handler {
	return limit(most, func(w http.ResponseWriter, r *http.Request) {
		_, err := d.session(r)
		if err == nil {
			err = read(r)
		}
		if err != nil {
			d.fail(w, r, err)
			return
		}
		handle(w, r)
	})
}

// read reads a form; one with a file is left to who wants the file. Half a form must not
// count as one whose other fields are empty.
func read(r *http.Request) error {
	err := r.ParseForm()
	if err == nil {
		return nil
	}
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return &problem{Status: http.StatusRequestEntityTooLarge, Title: "Too large", Detail: fmt.Sprintf("The form is larger than %d KiB.", large.Limit>>10)}
	}
	return &problem{Status: http.StatusBadRequest, Title: "Not understood", Detail: "The form could not be read: " + err.Error()}
}

// limit bounds a form in size and time, and removes the files that it may have brought.
func limit(most int64, handle http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readForm)) // not all writers can
		r.Body = http.MaxBytesReader(w, r.Body, most)
		defer func() {
			if r.MultipartForm != nil {
				_ = r.MultipartForm.RemoveAll()
			}
		}()
		handle(w, r)
	})
}

// file is an embedded file that browsers keep until it changes.
type file struct {
	data   []byte
	tag    string
	kind   string
	packed bool // by gzip
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
		files["/"+path] = file{data: data, tag: hex.EncodeToString(sum[:8]), kind: kind + "; charset=utf-8"}
		return err
	})
	add := func(name, kind string, data []byte, packed bool) {
		sum := sha256.Sum256(data)
		files["/static/"+name] = file{data, hex.EncodeToString(sum[:8]), kind + "; charset=utf-8", packed}
	}
	add("chart.js", kinds[".js"], []byte(chart.Script), false)
	add("chart.css", kinds[".css"], []byte(chart.Style), false)
	add("vendor/"+chart.LibraryName, kinds[".js"], chart.Library, true)
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
	if f.packed {
		h.Set("Vary", "Accept-Encoding")
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			_, _ = io.WriteString(w, chart.Unpacked()) // the client is gone
			return
		}
		h.Set("Content-Encoding", "gzip")
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
