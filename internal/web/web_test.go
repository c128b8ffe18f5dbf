package web_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/internal/token"
	"github.com/mahabo/mahabo/internal/web"
	"github.com/mahabo/mahabo/server"
	"github.com/mahabo/mahabo/store"
	"github.com/mahabo/mahabo/study"
)

// visitor is a browser without scripts.
type visitor struct {
	t    *testing.T
	site string
	http *http.Client
}

// open runs a server with a dashboard on studies in memory.
func open(t *testing.T, tokenFile string) visitor {
	t.Helper()
	st, err := store.Open(t.Context(), "memory:")
	if err != nil {
		t.Fatal(err)
	}
	return openOn(t, st, tokenFile)
}

// openOn does so on the studies of a store, which it closes.
func openOn(t *testing.T, st study.Store, tokenFile string) visitor {
	t.Helper()
	s, err := server.New(server.Config{
		Store: st, TokenFile: tokenFile, Dashboard: web.Handler, Patience: 2 * time.Minute,
		Output: func(_ string, number int) (stdout, stderr []byte, err error) {
			if number%2 == 1 {
				return nil, nil, fs.ErrNotExist
			}
			return []byte("temperature 3 < 4\n0.5\n"), []byte("pump: slow start\n"), nil
		},
		Analyse: func(ctx context.Context, c study.Config, trials []study.Trial) (any, error) {
			return insight.ReviewTrials(ctx, c, trials)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(s)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		site.Close()
		st.Close()
	})
	return visitor{t, site.URL, &http.Client{Jar: jar}}
}

// send makes a request and returns its status, its body and where redirects led.
func (v visitor) send(method, path, kind, body string, header ...string) (int, string, *http.Response) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.site+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := v.http.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer
}

// get reads a page that has to be there.
func (v visitor) get(path string, header ...string) string {
	v.t.Helper()
	status, text, _ := v.send("GET", path, "", "", header...)
	if status != http.StatusOK {
		v.t.Fatalf("GET %s gave %d: %s", path, status, text)
	}
	return text
}

// fill sends a form, which has to give a status.
func (v visitor) fill(want int, path string, fields ...string) string {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	status, text, _ := v.send("POST", path, "application/x-www-form-urlencoded", form.Encode())
	if status != want {
		v.t.Fatalf("POST %s %v gave %d, want %d: %s", path, fields, status, want, text)
	}
	return text
}

// has checks that a page has texts.
func has(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q:\n%s", text, page[max(0, strings.Index(page, "<main")):])
		}
	}
}

const rig = "parameters:\n  x: {float: [0, 1]}\n  n: {int: [1, 5]}\n"

// A point is a recipe.
func TestPointsHaveUnits(t *testing.T) {
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "rig", "space", "parameters:\n  rate: {fixed: 0.5, unit: ml/min, description: of the <pump>}\n  x: {float: [0, 1]}\n", "method", "sobol")
	v.fill(http.StatusOK, "/studies/rig/ask", "count", "1")
	rate := `<th scope="row">rate <span class="soft">of the &lt;pump&gt;</span></th><td class="num">0.5 ml/min</td>`
	has(t, v.get("/studies/rig/trials/1"), rate, `<th scope="row">x</th>`)
	v.fill(http.StatusOK, "/studies/rig/trials/1/tell", "value", "1")
	has(t, v.get("/studies/rig"), rate)
}

// The list in which one types values shows the recipe that the trial's page shows.
func TestListShowsTheRecipe(t *testing.T) {
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "rig", "method", "sobol", "space", `parameters:
  temp: {float: [1000, 20000], step: 0.5, unit: K}
  t: {float: [20, 30], digits: 5}
  c: {choice: [a, b]}
  "w[0:2]": {float: [0, 1]}
`)
	has(t, v.fill(http.StatusOK, "/studies/rig/enqueue", "point", "temp: 14269.5\nt: 25.318\nc: a\nw0: 0\nw1: 0\nw2: 0"), "Trial 1")
	has(t, v.get("/studies/rig"), `temp=14269.5 K, t=25.318, c=a, w0=0, <a href="/studies/rig/trials/1">2 more</a>`)
	has(t, v.get("/studies/rig/trials"), `temp=14269.5 K, t=25.318, c=a, w0=0, … 2 more`)
	has(t, v.get("/studies/rig/trials/1"), `<td class="num">14269.5 K</td>`, `<td class="num">25.318</td>`)
}

// Rows of a table are told apart by their values.
func TestRowsAreToldApart(t *testing.T) {
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "rig", "space", rig, "method", "sobol")
	v.fill(http.StatusOK, "/studies/rig/ask", "count", "2")
	v.fill(http.StatusOK, "/studies/rig/trials/1/tell", "value", "1.000000012")
	v.fill(http.StatusOK, "/studies/rig/trials/2/tell", "value", "1.000000034")
	has(t, v.get("/studies/rig/trials"), `<td class="num">1.00000001</td>`, `<td class="num">1.00000003</td>`)
}

func TestCreate(t *testing.T) {
	v := open(t, "")
	has(t, v.get("/"), "There is no study yet", "Create the first one")
	for _, bad := range []struct{ field, value, want string }{
		{"name", "", `id="name-error"><p class="error" role="alert">Give the study a name.`},
		{"name", "a b", `id="name-error"><p class="error" role="alert">name is`},
		{"space", "parameters: {x: {float: [1, 0]}}", `id="space-error"><p class="error" role="alert">`},
		{"space", "parameters: [", `id="space-error"><p class="error" role="alert">`},
		{"method", "adaptve", `id="method-error"><p class="error" role="alert">method`},
		{"batch", "two", "Write a whole number"},
		{"batch", "5000", `<p class="error" role="alert">`},
		{"budget", "0", `<p class="error" role="alert">`},
	} {
		fields := []string{"name", "rig", "space", rig, "method", "sobol", "goal", "maximize", bad.field, bad.value}
		page := v.fill(http.StatusUnprocessableEntity, "/new", fields...)
		has(t, page, bad.want, `value="maximize" checked`)
	}
	page := v.fill(http.StatusOK, "/new", "name", "rig", "space", rig, "method", "sobol", "goal", "maximize", "budget", "600")
	has(t, page, "<h1>rig</h1>", "<dd>0 of 600</dd>", "maximize over 2 parameters", "No trial is complete yet", "x: {float: [0, 1]}")
	has(t, v.fill(http.StatusUnprocessableEntity, "/new", "name", "rig", "space", rig), `id="name-error"><p class="error" role="alert">`)
	has(t, v.get("/?q=RI"), "1 of 1 studies", `href="/studies/rig"`)
	has(t, v.get("/?q=nothing"), "0 of 1 studies")
}

func TestWorkByHand(t *testing.T) {
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "rig", "space", rig, "method", "sobol")
	has(t, v.fill(http.StatusOK, "/studies/rig/ask", "count", "3", "worker", "<ann>", "minutes", "5"), "&lt;ann&gt;", `class="lease"`, "Trial 3", "Latest batches")
	v.fill(http.StatusUnprocessableEntity, "/studies/rig/ask", "count", "many")
	for _, value := range []string{"", "1,5", "NaN", "1e999"} {
		has(t, v.fill(http.StatusUnprocessableEntity, "/studies/rig/trials/1/tell", "value", value), "write a number such as 0.25")
	}
	has(t, v.fill(http.StatusOK, "/studies/rig/trials/1/tell", "value", "0.5", "std", "0.1"), "0.5 ± 0.1", "complete")
	has(t, v.fill(http.StatusConflict, "/studies/rig/trials/1/tell", "value", "7"), "complete with value 0.5 ± 0.1 already")
	failed := v.fill(http.StatusOK, "/studies/rig/trials/2/tell", "state", "failed", "reason", "<b>oil")
	has(t, failed, "&lt;b&gt;oil", "Try it again", "Correct it")
	if strings.Contains(failed, "Tell what came of it") || strings.Count(failed, "/retry") != 1 {
		t.Error("the page of a failed trial has two forms for its outcome")
	}
	has(t, v.get("/new"), `placeholder="name"`, `placeholder="unit"`)
	has(t, v.fill(http.StatusOK, "/studies/rig/trials/2/retry"), "waiting")
	v.fill(http.StatusNotFound, "/studies/rig/trials/9/tell", "value", "1")
	has(t, v.fill(http.StatusUnprocessableEntity, "/studies/rig/trials/1/notes", "text", " "), "the note is empty")
	has(t, v.fill(http.StatusUnprocessableEntity, "/studies/rig/trials/1/notes", "text", strings.Repeat("oh ", 5000)), `id="note-error" class="error" role="alert">text: `, `value="oh oh`)
	has(t, v.fill(http.StatusOK, "/studies/rig/trials/1/notes", "text", "smells of <almonds>"), "<dt>Note</dt><dd>smells of &lt;almonds&gt;")
	v.fill(http.StatusNotFound, "/studies/rig/trials/9/notes", "text", "nothing")

	has(t, v.fill(http.StatusUnprocessableEntity, "/studies/rig/enqueue", "point", "x: 7\nn: 1"), "x")
	has(t, v.fill(http.StatusUnprocessableEntity, "/studies/rig/enqueue", "point", ""), "point is empty")
	for _, bad := range [][2]string{{"x is 1", "&#34;x is 1&#34; cannot be read: write NAME=VALUE"}, {"x=0.1 x=0.2", "x is there twice"}, {"n=2\nx=", "x is &#34;&#34;: write a value, as in x=0.5"}, {"0.5", "cannot be read: write NAME=VALUE"}} {
		page := v.fill(http.StatusUnprocessableEntity, "/studies/rig/enqueue", "point", bad[0])
		has(t, page, bad[1])
		if strings.Contains(page, "yaml") {
			t.Errorf("%q is answered with %s", bad[0], page)
		}
	}
	for i, good := range []string{`{"x": 0.25, "n": 2}`, "x=0.75, n=3", "x = 0.125\r\n\r\nn=4;", "x: 0.5\nn: 1"} {
		has(t, v.fill(http.StatusOK, "/studies/rig/enqueue", "point", good), fmt.Sprintf("Trial %d", 4+i))
	}
	has(t, v.fill(http.StatusUnprocessableEntity, "/studies/rig/trials/3/tell", "value", "1", "params", "n is 2"), "really used: ", "n is 2</textarea>")
	has(t, v.fill(http.StatusUnprocessableEntity, "/studies/rig/trials/3/tell", "state", "failed", "value", "0.5"), "a trial that is failed has no value", `value="0.5"`)

	page := v.get("/studies/rig/trials?search=0.25&state=waiting", "HX-Request", "true")
	if strings.Contains(page, "<html") || strings.Count(page, "<tr id=") != 1 {
		t.Errorf("the search gave %s", page)
	}
	has(t, v.get("/studies/rig/trials?state=complete&sort=value"), "<html", "1 to 1 of 1")
	has(t, v.get("/studies/rig/overview"), `id="best-value">0.5<`, "1 complete")

	v.fill(http.StatusUnprocessableEntity, "/studies/rig/delete", "confirm", "other")
	has(t, v.fill(http.StatusOK, "/studies/rig/delete", "confirm", "rig"), "There is no study yet")
	if status, page, _ := v.send("GET", "/studies/rig", "", ""); status != http.StatusNotFound || !strings.Contains(page, "no such study") {
		t.Errorf("a study that is gone gave %d: %s", status, page)
	}
}

func TestCorrectByHand(t *testing.T) {
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "rig", "space", rig, "method", "sobol")
	v.fill(http.StatusOK, "/studies/rig/ask", "count", "3")
	if page := v.get("/studies/rig/trials/1"); strings.Contains(page, "Correct it") {
		t.Error("a running trial has an outcome to correct")
	}
	has(t, v.fill(http.StatusUnprocessableEntity, "/studies/rig/trials/1/correct", "act", "exclude"), "only a trial with an outcome can be excluded")
	has(t, v.fill(http.StatusOK, "/studies/rig/trials/1/tell", "value", "-8.2", "params", "n: 2"), "<h3>History</h3>", " -&gt; 2", `id="correct-value" name="value" inputmode="decimal" value="-8.2"`)
	v.fill(http.StatusOK, "/studies/rig/trials/2/tell", "value", "0.5", "std", "0.1")
	has(t, v.fill(http.StatusUnprocessableEntity, "/studies/rig/trials/1/correct", "state", "complete", "value", "o.82"), `value="o.82"`, "write a number such as 0.25")
	has(t, v.fill(http.StatusUnprocessableEntity, "/studies/rig/trials/1/correct", "state", "complete", "value", "1", "params", "z: 1"), `class="error" role="alert">`, "z: 1")
	has(t, v.fill(http.StatusOK, "/studies/rig/trials/1/correct", "state", "complete", "value", "0.82"), "value -8.2 -&gt; 0.82")
	has(t, v.get("/studies/rig/overview"), `id="best-value">0.5<`)
	has(t, v.fill(http.StatusOK, "/studies/rig/trials/2/correct", "state", "complete", "value", "0.5", "std", ""), "std 0.1 -&gt; 0")
	has(t, v.fill(http.StatusOK, "/studies/rig/trials/2/correct", "act", "exclude"), "excluded: nobody learns from it", "Include it again")
	has(t, v.get("/studies/rig/trials"), `<span class="soft">excluded</span>`)
	has(t, v.get("/studies/rig/trials?state=excluded&sort=value"), "1 to 1 of 1", `id="trial-2"`, "<option selected>excluded</option>")
	has(t, v.get("/studies/rig/trials?state=excluded&offset=25"), "No trial matches")
	has(t, v.get("/studies/rig/overview"), `id="best-value">0.82<`)
	has(t, v.fill(http.StatusOK, "/studies/rig/trials/2/correct", "act", "include"), "Exclude it")
	v.fill(http.StatusOK, "/studies/rig/trials/2/notes", "text", "too hot")
	has(t, v.fill(http.StatusOK, "/studies/rig/trials/2/correct", "act", "delete-note", "note", "1"), "deleted note 1: &#34;too hot&#34;")
}

// The parameters of a study change on a page, which shows first what would happen.
func TestChangeByHand(t *testing.T) {
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "rig", "space", "parameters:\n  x: {float: [0, 1]}\n  n: {int: [1, 3]}\n", "method", "sobol")
	kind, body := part("table", "x,n,value\n0.5,2,1\n0.9,1,2\n", "action", "import")
	if status, page, _ := v.send("POST", "/studies/rig/import", kind, body); status != http.StatusOK {
		t.Fatal(page)
	}
	has(t, v.get("/studies/rig"), `href="/studies/rig/change"`)
	has(t, v.get("/studies/rig/change"), "float: [0, 1]")
	narrow := "parameters:\n  x: {float: [0, 0.6]}\n  n: {int: [1, 3]}\n  ph: {float: [3, 9]}\n"
	has(t, v.fill(http.StatusUnprocessableEntity, "/studies/rig/change", "space", narrow, "action", "preview"), `role="alert">`, "is new: say which value the 2 trials so far had", "float: [0, 0.6]")
	has(t, v.fill(http.StatusOK, "/studies/rig/change", "space", narrow, "values", "ph: 7", "action", "preview"), "Nothing was changed yet. With this change 1 of 2 trials", "Trial 2</a>: ", "ph: 7")
	has(t, v.get("/studies/rig/change"), "float: [0, 1]")
	has(t, v.fill(http.StatusOK, "/studies/rig/change", "space", narrow, "values", "ph: 7", "action", "change"), "Changed. 1 of 2 trials", "float: [3, 9]")
	has(t, v.fill(http.StatusOK, "/studies/rig/change", "space", narrow, "action", "change"), "has these parameters already")
	has(t, v.fill(http.StatusUnprocessableEntity, "/studies/rig/change", "space", "x: [", "action", "preview"), "parameters: ")
}

// part is a form with a table.
func part(fields ...string) (kind, body string) {
	var b strings.Builder
	for i := 0; i < len(fields); i += 2 {
		fmt.Fprintf(&b, "--cut\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", fields[i], fields[i+1])
	}
	return "multipart/form-data; boundary=cut", b.String() + "--cut--\r\n"
}

func TestImport(t *testing.T) {
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "rig", "space", rig, "method", "sobol")
	load := func(want int, fields ...string) string {
		t.Helper()
		kind, body := part(fields...)
		status, page, answer := v.send("POST", "/studies/rig/import", kind, body, "HX-Request", "true")
		if status != want {
			t.Fatalf("%v gave %d: %s", fields, status, page)
		}
		return page + answer.Header.Get("HX-Trigger")
	}
	table := "pos,n,value\n0.5,2,1\n0.25,9,2\n0.75,3,3\n"
	page := load(http.StatusOK, "table", table, "columns", "x=pos", "action", "preview")
	has(t, page, "can be imported: 2, that cannot: 1", "Nothing was changed", "line 3")
	if strings.Contains(page, "study-changed") || !strings.Contains(v.get("/studies/rig/overview"), "No trial is complete yet") {
		t.Error("the preview changed the study")
	}
	has(t, load(http.StatusOK, "table", table, "columns", "x=pos", "action", "import"), "Trials added: 2, rows left out: 1", "study-changed")
	has(t, load(http.StatusOK, "table", table, "columns", "x=pos", "action", "import"), "imported before")
	mended := strings.Replace(table, ",9,2", ",1,2", 1)
	has(t, load(http.StatusOK, "table", mended, "columns", "x=pos", "action", "preview"), "can be imported: 1, that cannot: 0, that are in the study already: 2")
	has(t, load(http.StatusOK, "table", mended, "columns", "x=pos", "action", "import"), "Trials added: 1, rows left out: 0, rows that are in the study already: 2")
	has(t, load(http.StatusOK, "table", mended, "columns", "x=pos", "repeats", "true", "action", "preview"), "can be imported: 3, that cannot: 0. Nothing")
	has(t, load(http.StatusOK, "table", mended, "columns", "x=pos", "repeats", "true", "action", "import"), "Trials added: 3, rows left out: 0.")
	has(t, load(http.StatusOK, "table", `{"params":{"x":0.1,"n":1},"value":4}`, "action", "import"), "Trials added: 1")
	has(t, load(http.StatusUnprocessableEntity, "table", " ", "action", "import"), "there is no table")
	unclear := "x;n;value\n0;1;1,250\n"
	has(t, load(http.StatusUnprocessableEntity, "table", unclear, "action", "preview"), "may stand before decimals or mark thousands")
	has(t, load(http.StatusOK, "table", unclear, "decimal", "comma", "action", "preview"), "can be imported: 1")
	load(http.StatusUnprocessableEntity, "table", table, "columns", "pos", "action", "import")
	comma := "\"pos, mm\";n;\"Ausbeute, %\"\n0;1;1\n"
	for _, columns := range []string{"x=pos, mm\nvalue=Ausbeute, %", "value=Ausbeute, %, x=pos, mm", "\r\nx=pos, mm\r\n\r\nvalue=Ausbeute, %\r\n"} {
		has(t, load(http.StatusOK, "table", comma, "columns", columns, "action", "preview"), "can be imported: 1")
	}
	kind, body := part("table", table, "columns", "x=pos", "action", "import")
	body = "--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"old.csv\"\r\n\r\nx,n,value\r\n0,1,1\r\n" + body
	if status, page, _ := v.send("POST", "/studies/rig/import", kind, body); status != http.StatusUnprocessableEntity || !strings.Contains(page, "two tables, the file old.csv and one that is pasted") {
		t.Errorf("a file beside a pasted table gave %d: %s", status, page)
	}
}

func TestLogin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	create := func(role token.Role) string {
		text, _, err := token.Create(path, token.Grant{Name: string(role), Role: role, Study: "*"}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	admin, read := create(token.Admin), create(token.Read)
	v := open(t, path)
	_, page, answer := v.send("GET", "/studies/rig?a=b", "", "")
	if answer.Request.URL.Path != "/login" || !strings.Contains(page, `name="next" value="/studies/rig?a=b"`) {
		t.Fatalf("without a token one gets to %s: %s", answer.Request.URL, page)
	}
	if _, _, answer := v.send("GET", "/studies/rig/overview", "", "", "HX-Request", "true"); answer.Header.Get("HX-Redirect") != "/login" {
		t.Errorf("a script without a token gets %v", answer.Header)
	}
	has(t, v.fill(http.StatusUnprocessableEntity, "/login", "token", "mhb_x"), "not known")
	for _, next := range []string{"//evil.example", "https://evil.example", `/\evil.example`} {
		has(t, v.get("/login?next="+url.QueryEscape(next)), `name="next" value="/"`)
	}

	v.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	_, _, answer = v.send("POST", "/login", "application/x-www-form-urlencoded", url.Values{"token": {admin}, "next": {"/new"}}.Encode())
	cookies := answer.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || answer.Header.Get("Location") != "/new" {
		t.Fatalf("the login answers %v", answer.Header)
	}
	v.http.CheckRedirect = nil
	v.fill(http.StatusOK, "/new", "name", "rig", "space", rig, "method", "sobol")
	has(t, v.get("/studies/rig"), "Ask for trials", "Delete this study", "Log out admin")
	has(t, v.fill(http.StatusOK, "/logout"), `id="token"`)
	if _, _, answer := v.send("GET", "/", "", ""); answer.Request.URL.Path != "/login" {
		t.Error("the token is still there after the logout")
	}

	v.fill(http.StatusOK, "/login", "token", read)
	if status, page, _ := v.send("GET", "/new", "", ""); status != http.StatusForbidden || strings.Contains(page, "Create</button>") {
		t.Errorf("a token that reads gets the form for a new study, %d", status)
	}
	page = v.get("/studies/rig")
	for _, form := range []string{"Ask for trials", "Delete this study", "New study"} {
		if strings.Contains(page, form) {
			t.Errorf("a reader is shown %q", form)
		}
	}
	has(t, v.fill(http.StatusForbidden, "/studies/rig/ask", "count", "1"), "may not write")
}

// Another site cannot make a browser change anything.
// TestFormLimits: a form that is too large is refused, and without a token it is not read.
func TestFormLimits(t *testing.T) {
	const kind = "application/x-www-form-urlencoded"
	large := strings.Repeat("a", 9<<20)
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "rig", "space", rig, "method", "sobol")
	for _, path := range []string{"/new", "/studies/rig/enqueue", "/studies/rig/ask", "/login"} {
		if status, _, _ := v.send("POST", path, kind, "name=x&points="+large); status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s takes %d bytes: %d", path, len(large), status)
		}
	}
	if status, _, _ := v.send("POST", "/studies/rig/ask", kind, "count=%zz"); status != http.StatusBadRequest {
		t.Errorf("a broken form gives %d", status)
	}
	if strings.Contains(v.get("/studies/rig"), "/studies/rig/trials/1\"") {
		t.Error("half a form has asked for a trial")
	}

	path := filepath.Join(t.TempDir(), "tokens")
	if _, _, err := token.Create(path, token.Grant{Name: "a", Role: token.Admin, Study: "*"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	stranger := open(t, path)
	const much = 64 << 20 // far more than the buffers between client and server take
	unread := &counter{Reader: strings.NewReader(strings.Repeat("a", much))}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, stranger.site+"/new", unread)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	if answer, err := stranger.http.Do(r); err == nil { // the server may hang up
		answer.Body.Close()
		if answer.Request.URL.Path != "/login" {
			t.Errorf("a stranger's form leads to %s", answer.Request.URL)
		}
	}
	if n := unread.read.Load(); n > much/2 {
		t.Errorf("%d bytes of a stranger's form were read", n)
	}
}

// counter counts what is read.
type counter struct {
	io.Reader
	read atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read.Add(int64(n))
	return n, err
}

func TestCrossSite(t *testing.T) {
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "rig", "space", rig, "method", "sobol")
	status, _, _ := v.send("POST", "/studies/rig/delete", "application/x-www-form-urlencoded", "confirm=rig", "Sec-Fetch-Site", "cross-site")
	if status != http.StatusForbidden {
		t.Errorf("a form of another site gave %d", status)
	}
	v.get("/studies/rig")
}

var inline = regexp.MustCompile(`(?i)<script>|<script [^>]*nonce|<style|\sstyle=|\son[a-z]+=|javascript:|https?://`)

// Pages run under a policy that forbids inline scripts and styles.
func TestPolicy(t *testing.T) {
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "rig", "space", rig, "method", "sobol")
	v.fill(http.StatusOK, "/studies/rig/ask", "count", "20")
	for n := range 20 {
		v.fill(http.StatusOK, fmt.Sprintf("/studies/rig/trials/%d/tell", n+1), "value", fmt.Sprint(n*n))
	}
	for _, path := range []string{"/", "/new", "/compare", "/studies/rig", "/studies/rig/parameters", "/studies/rig/model", "/studies/rig/workers", "/studies/rig/trials", "/studies/rig/trials/1", "/login", "/nowhere"} {
		_, page, answer := v.send("GET", path, "", "")
		if found := inline.FindString(page); found != "" {
			t.Errorf("%s has %q", path, found)
		}
		policy := answer.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'self'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s comes with the policy %q", path, policy)
		}
	}
	has(t, v.analysed("/studies/rig/model"), "Can it be trusted?", `data-chart="calibration"`, "How points are chosen")
	has(t, v.analysed("/studies/rig/parameters"), `data-chart="importance"`, "Good trials have", `data-important="[`)
	page := v.analysed("/studies/rig/insight")
	has(t, page, `data-chart="importance"`)
	again := regexp.MustCompile(`hx-get="([^"]+)"`).FindStringSubmatch(page)[1]
	if status, text, _ := v.send("GET", again, "", "", "HX-Request", "true"); status != http.StatusNoContent {
		t.Errorf("what a page has already is sent again: %d %s", status, text)
	}
}

// analysed reads a part of a page until the analysis behind it is done.
func (v visitor) analysed(path string) string {
	v.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if page := v.get(path, "HX-Request", "true"); !strings.Contains(page, "<progress") {
			return page
		}
		if time.Now().After(deadline) {
			v.t.Fatalf("%s is not ready", path)
		}
	}
}

// All that is wrong with a form is said at once, beside what it is about.
func TestAllErrorsAtOnce(t *testing.T) {
	v := open(t, "")
	form := url.Values{
		"name": {"a b"}, "method": {"adaptve"}, "batch": {"two"}, "init": {"0"},
		"p-name": {"x", "y", "x", "", "z", ""}, "p-kind": {"float", "choice", "int", "log", "ordinal", "float"},
		"p-low": {"1", "", "1", "0.1", "", ""}, "p-high": {"0", "", "5", "one", "", ""}, "p-values": {"", "", "", "", "1, two", ""}, "p-unit": {"", "", "", "", "", ""},
	}
	post := func(want int) string {
		t.Helper()
		status, page, _ := v.send("POST", "/new", "application/x-www-form-urlencoded", form.Encode())
		if status != want {
			t.Fatalf("the form gave %d: %s", status, page)
		}
		return page
	}
	page := post(http.StatusUnprocessableEntity)
	has(t, page, "5 things are to be mended", `name is &#34;a b&#34;`, `method &#34;adaptve&#34; is not known`, "Write a whole number", "from 1 to 10000",
		"parameters that cannot be used: 5", "the name is missing", "x is there twice", "write numbers, separated by commas", `value="1, two"`, `<option value="choice" selected>`)

	form = url.Values{
		"name": {"lab"}, "method": {"sobol"}, "goal": {"maximize"}, "constraints": {"x + y <= 1\n"},
		"p-name": {"x", "y", "kind", "n", "dose", "on", "c", "rate"}, "p-kind": {"float", "float", "choice", "int", "ordinal", "bool", "fixed", "log"},
		"p-low": {"0", "0", "", "1", "", "", "", "1e-3"}, "p-high": {"1", "1", "", "9", "", "", "", "1"}, "p-values": {"", "", "a, b, c", "", "1, 2.5, 10", "", "7", ""}, "p-unit": {"°C", "", "", "", "", "", "", ""},
	}
	has(t, post(http.StatusOK), "maximize over 8 parameters", "x &#43; y &lt;= 1", "choice: [a, b, c]", "ordinal: [1, 2.5, 10]", "fixed: 7", "unit: ")
	has(t, post(http.StatusUnprocessableEntity), "1 thing is to be mended", "There is a study of this name", `value="a, b, c"`)
}

// The page of a trial leads to its neighbours and shows how long it took and what was printed.
func TestTrialPage(t *testing.T) {
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "rig", "space", rig, "method", "sobol")
	v.fill(http.StatusOK, "/studies/rig/ask", "count", "3", "worker", "ann")
	if status, text, _ := v.send("POST", "/v1/studies/rig/trials/2/tell", "application/json", `{"value": 0.5, "seconds": 4000}`); status != http.StatusOK {
		t.Fatal(text)
	}
	page := v.get("/studies/rig/trials/2")
	has(t, page, "<dt>Took</dt><dd>66.7 min</dd>")
	has(t, page, `rel="prev" href="/studies/rig/trials/1"`, `rel="next" href="/studies/rig/trials/3"`, "<dt>Took</dt>", "What the program printed", "temperature 3 &lt; 4")
	if strings.Contains(v.get("/studies/rig/trials/3"), `rel="next"`) || strings.Contains(v.get("/studies/rig/trials/1"), "What the program printed") {
		t.Error("there is more than there is")
	}
	has(t, v.get("/studies/rig/workers"), `<th scope="row" class="who">ann</th>`, `data-chart="timeline"`)
	has(t, v.get("/studies/rig/trials?only=3,1", "HX-Request", "true"), "2 chosen in the chart", "1 to 2 of 2", `id="trial-3"`)
	has(t, v.get("/compare?study=rig&study=nothing"), `data-studies="[&#34;rig&#34;]"`, `value="rig" checked`)
	if _, _, answer := v.send("GET", "/favicon.ico", "", ""); answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "image/svg+xml; charset=utf-8" {
		t.Errorf("the icon is %d %v", answer.StatusCode, answer.Header)
	}
}

func TestFiles(t *testing.T) {
	v := open(t, "")
	address := regexp.MustCompile(`/static/page\.js\?v=[0-9a-f]+`).FindString(v.get("/"))
	_, _, answer := v.send("GET", address, "", "")
	if h := answer.Header; !strings.Contains(h.Get("Cache-Control"), "immutable") || !strings.HasPrefix(h.Get("Content-Type"), "text/javascript") {
		t.Errorf("%s comes with %v", address, h)
	}
	if status, _, _ := v.send("GET", "/static/page.js", "", "", "If-None-Match", answer.Header.Get("ETag")); status != http.StatusNotModified {
		t.Errorf("the same file again gave %d", status)
	}
	if status, _, _ := v.send("GET", "/static/../web.go", "", ""); status != http.StatusNotFound {
		t.Errorf("a file outside gave %d", status)
	}
}

// A large study gives small pages.
func TestLarge(t *testing.T) {
	const n = 100000
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "rig", "space", rig, "method", "sobol")
	var b strings.Builder
	b.WriteString("x,n,value\n")
	for i := range n {
		fmt.Fprintf(&b, "%g,%d,%d\n", float64(i)/n, 1+i%5, (i*7919)%n)
	}
	kind, body := part("table", b.String(), "action", "import")
	if status, page, _ := v.send("POST", "/studies/rig/import", kind, body); status != http.StatusOK {
		t.Fatal(page)
	}
	start := time.Now()
	for path, most := range map[string]int{
		"/studies/rig": 60000, "/studies/rig/overview": 20000, "/studies/rig/trials?sort=-value&offset=99990": 30000, "/studies/rig/workers": 20000, "/studies/rig/parameters": 20000,
		"/v1/studies/rig/curve?points=1000": 60000, "/v1/studies/rig/points?limit=400": 60000,
	} {
		if page := v.get(path); len(page) > most {
			t.Errorf("%s has %d bytes", path, len(page))
		}
	}
	t.Logf("these pages of %d trials took %s", n, time.Since(start))
}

// What a method reports of its own model is on the page of the model.
func TestMethodReport(t *testing.T) {
	answers := map[string]string{
		"/v1/session":           `{"role": "read"}`,
		"/v1/studies/rig":       `{"name": "rig", "goal": "minimize", "method": "adaptive", "space": {"parameters": {"x": {"float": [0, 1]}, "y": {"float": [0, 1]}}}}`,
		"/v1/studies/rig/model": `{"method": "adaptive", "analysis": null, "progress": null, "chosen": {"method": "adaptive", "d": null, "fallback": null, "note": null, "weights": {"y": 0.25, "x": 1}, "weight_share": 0.6, "weight_lead": 3.5}}`,
	}
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := answers[r.URL.Path]; ok {
			_, _ = io.WriteString(w, text)
			return
		}
		http.NotFound(w, r)
	})
	w := httptest.NewRecorder()
	web.Handler(api).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/studies/rig/model", nil))
	has(t, w.Body.String(), "60 % are made by models that have learned", "predict new values better.", `data-chart="weights"`, `[{"name":"x","value":1},{"name":"y","value":0.25}]`)
}
