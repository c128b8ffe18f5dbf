package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/mahabo/mahabo/internal/figure/figuretest"
)

// tab is a page in a real browser.
type tab struct {
	t       *testing.T
	browser context.Context

	mu     sync.Mutex
	faults []string // messages and requests that should not be
}

// visit opens a browser that notes what should not happen: errors on the console and
// requests to anywhere but the site.
func visit(t *testing.T, site string) *tab {
	t.Helper()
	b := &tab{t: t, browser: figuretest.Visit(t, "about:blank")}
	note := func(fault string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.faults = append(b.faults, fault)
	}
	messages, requests := chromedp.Console(b.browser), chromedp.Events(b.browser, network.RequestWillBeSent)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			// A form that was wrong, and a page that is not there.
			refused := m.Source == "network" && (strings.Contains(m.Text, "422") || strings.HasSuffix(m.URL, "/nowhere"))
			if m.Type != chromedp.ConsoleLog && m.Type != chromedp.ConsoleInfo && m.Type != chromedp.ConsoleDebug && !refused {
				note(m.String() + " " + m.URL)
			}
		}
	}()
	go func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			if !strings.HasPrefix(r.Request.URL, site+"/") && !strings.HasPrefix(r.Request.URL, "data:") {
				note("request to " + r.Request.URL)
			}
		}
	}()
	return b
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.browser, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// click presses a button; the page may be another one at once.
func (b *tab) click(selector string) {
	b.t.Helper()
	figuretest.Ask(b.browser, b.t, chromedp.Evaluate[bool](fmt.Sprintf("document.querySelector(%q).click(), true", selector)))
}

// set fills a field at once.
func (b *tab) set(selector, text string) {
	b.t.Helper()
	figuretest.Ask(b.browser, b.t, chromedp.Evaluate[string](fmt.Sprintf("document.querySelector(%q).value = %q", selector, text)))
}

// write types into a field. The browser may give its nodes new numbers between the search for the field and the first key; then
// it is searched again.
func (b *tab) write(selector, text string) {
	b.t.Helper()
	for tries := 1; ; tries++ {
		b.set(selector, "")
		err := chromedp.Do(b.browser, chromedp.SendKeys(chromedp.CSS(selector), text))
		if err == nil {
			return
		}
		if tries == 5 || !strings.Contains(err.Error(), "Could not find node") {
			b.t.Fatal(err)
		}
	}
}

// until waits for an expression to become true.
func (b *tab) until(expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		ok, err := chromedp.Run(b.browser, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			text, _ := chromedp.Run(b.browser, chromedp.Evaluate[string]("document.body.innerText"))
			b.clean()
			b.t.Fatalf("%s never became true (%v):\n%s", expression, err, text)
		}
	}
}

// picture takes a screenshot of an element, or of the page when there is no selector.
func (b *tab) picture(selector string) image.Image {
	b.t.Helper()
	take := chromedp.FullScreenshot(100)
	if selector != "" {
		take = chromedp.Screenshot(chromedp.CSS(selector))
	}
	p, err := png.Decode(bytes.NewReader(figuretest.Ask(b.browser, b.t, take)))
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// colours counts the distinct colours of a picture; a chart has more than paper and
// frame.
func colours(p image.Image) int {
	seen := map[[3]uint32]bool{}
	for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x++ {
		for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y++ {
			r, g, b, _ := p.At(x, y).RGBA()
			seen[[3]uint32{r, g, b}] = true
		}
	}
	return len(seen)
}

// drawn waits until all charts are drawn and no analysis is under way.
func (b *tab) drawn() {
	b.t.Helper()
	b.until(`!document.querySelector("progress") && !document.body.innerText.includes("Looking at the data") &&
		[...document.querySelectorAll("figure[data-chart]")].every((f) => f.dataset.drawn || f.dataset.studies === "[]" || !f.checkVisibility())`)
}

// clean fails when something happened that should not.
func (b *tab) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.faults {
		b.t.Error(f)
	}
}

// One creates a study by the form, watches it, and tells a value by hand.
func TestBrowser(t *testing.T) {
	v := open(t, "")
	b := visit(t, v.site)
	b.do(chromedp.Navigate(v.site + "/new"))
	b.write("#name", "oven")
	b.set("#space", "parameters: {x: {float: [1, 0]}}")
	b.set("#method", "sobol")
	b.click("form.card button.primary")
	b.until(`document.querySelector("#space-error .error")?.textContent.includes("x")`)
	b.set("#space", "")
	b.write("[name=p-name]", "x")
	b.write("[name=p-low]", "0")
	b.write("[name=p-high]", "1")
	b.click("#add-parameter")
	b.click("#add-parameter")
	row := `tr:nth-child(2) `
	b.write(row+"[name=p-name]", "y")
	b.choose(row+"select", "log")
	b.write(row+"[name=p-low]", "0.001")
	b.write(row+"[name=p-high]", "1")
	row = `tr:nth-child(3) `
	b.write(row+"[name=p-name]", "kind")
	b.choose(row+"select", "choice")
	b.write(row+"[name=p-values]", "a, b, c")
	b.click("form.card button.primary")
	b.until(`document.querySelector("#live.on") && document.querySelector("#curve[data-drawn=nothing]")`)

	b.write("#ask-count", "24")
	b.click("#ask-form button")
	b.until(`document.querySelector("#ask-form .done") && document.querySelector("#value-24")`)

	// Values that come from elsewhere appear by themselves.
	for n := 2; n <= 24; n++ {
		x := float64(n) / 24
		status, text, _ := v.send("POST", fmt.Sprintf("/v1/studies/oven/trials/%d/tell", n), "application/json", fmt.Sprintf(`{"value": %g}`, 1+math.Sin(7*x)+x))
		if status != http.StatusOK {
			t.Fatal(text)
		}
	}
	b.until(`document.querySelector("#complete-count").textContent === "23" && document.querySelector("#curve").dataset.points === "23"`)
	before := b.picture("#curve .plot")
	if n := colours(before); n < 10 {
		t.Errorf("the chart has %d colours: nothing is drawn", n)
	}

	// A value told by hand moves the chart.
	b.write("#value-1", "-3")
	b.click("#tell-1 button")
	b.until(`document.querySelector("#best-value").textContent === "-3" && document.querySelector("#curve").dataset.points === "24" && !document.querySelector("#value-1")`)
	if bytes.Equal(pixels(before), pixels(b.picture("#curve .plot"))) {
		t.Error("the chart did not move")
	}
	b.until(`document.querySelector("#insight figure[data-drawn=yes]")`)
	b.readable("light")
	light := b.picture("")
	b.click("#theme")
	b.until(`document.documentElement.dataset.theme === "dark"`)
	b.readable("dark")
	if l, d := figuretest.Mean(light), figuretest.Mean(b.picture("")); d > l-0.3 {
		t.Errorf("dark mode has brightness %.2f, light mode %.2f", d, l)
	}

	// Brushing an axis filters the table.
	b.do(chromedp.Navigate(v.site + "/studies/oven/trials"))
	b.until(`document.querySelector("#parallel").dataset.lines === "24" && document.querySelectorAll("#trials tbody tr").length === 24`)
	type box struct{ X, Y, Height float64 }
	axis := figuretest.Ask(b.browser, t, chromedp.Evaluate[box](`(() => {
		const name = [...document.querySelectorAll("#parallel text")].find((e) => e.textContent === "value").getBoundingClientRect();
		const plot = document.querySelector("#parallel .plot").getBoundingClientRect();
		return { X: name.x + name.width / 2, Y: plot.y + 46, Height: plot.height - 74 };
	})()`))
	b.do(chromedp.DragAndDropXY(axis.X, axis.Y+2, axis.X, axis.Y+axis.Height*0.4, 8))
	b.until(`document.querySelector("#trials .chosen")?.textContent.includes("chosen in the chart") && document.querySelectorAll("#trials tbody tr").length < 24`)
	b.click("#trials-all")
	b.until(`document.querySelectorAll("#trials tbody tr").length === 24`)
	b.write("#trial-search", "nothing at all")
	b.until(`document.querySelector("#trials").textContent.includes("No trial matches")`)

	// Any parameter has a slice, any two a contour.
	b.do(chromedp.Navigate(v.site + "/studies/oven/parameters"))
	b.until(`document.querySelectorAll("#slices figure[data-drawn=yes]").length === 3 && document.querySelector("#contour[data-drawn=yes]")`)
	b.choose("#contour-x", "kind")
	b.choose("#contour-y", "x")
	b.until(`document.querySelector("#contour").dataset.shows === "kind x"`)
	b.choose("#contour-y", "kind")
	b.until(`document.querySelector("#contour-error").textContent.includes("two different")`)

	// A click on a point opens its trial.
	b.do(chromedp.Navigate(v.site + "/studies/oven"))
	b.until(`document.querySelector("#curve[data-drawn=yes]")`)
	dot := figuretest.Ask(b.browser, t, chromedp.Evaluate[box](`(() => {
		document.querySelector("#curve").scrollIntoView({ block: "nearest" });
		const paths = [...document.querySelectorAll("#curve svg path")].map((e) => e.getBoundingClientRect()).filter((r) => r.width > 4 && r.width < 8 && r.height > 4 && r.height < 8 && r.y > 0);
		const r = paths[paths.length >> 1];
		return { X: r.x + r.width / 2, Y: r.y + r.height / 2, Height: 0 };
	})()`))
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, dot.X-2, dot.Y), chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, dot.X, dot.Y))
	b.until(`document.querySelector("#curve .tip")?.textContent.includes("best so far")`)
	b.do(chromedp.MouseClickXY(dot.X, dot.Y))
	b.until(`/trials\/[0-9]+$/.test(location.pathname) && document.querySelector("h1")?.textContent.startsWith("Trial ")`)
	b.clean()
}

// Who types values by keyboard hears what was recorded and goes on with the next trial; a half-written form is there after another one was sent.
func TestTypingByKeyboard(t *testing.T) {
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "rig", "space", rig, "method", "sobol")
	v.fill(http.StatusOK, "/studies/rig/ask", "count", "4")
	b := visit(t, v.site)
	b.do(chromedp.Navigate(v.site + "/studies/rig"))
	b.until(`document.querySelector("#live.on")`)
	b.write("#value-2", "0.4\r")
	b.until(`document.querySelector("#told").textContent === "Trial 2: 0.4 recorded." && !document.querySelector("#value-2") && document.activeElement.id === "value-3"`)
	b.write("#value-3", "0.5\r")
	b.until(`!document.querySelector("#value-3") && document.activeElement.id === "value-4"`)
	b.write("#value-4", "0.6\r")
	b.until(`!document.querySelector("#value-4") && document.activeElement.id === "open-title"`)

	b.do(chromedp.Navigate(v.site + "/studies/rig/trials/1"))
	b.until(`document.querySelector("#theme:not([hidden])")`)
	b.choose("#state", "failed")
	b.write("#value", "0.7")
	b.write("#reason", "leaked")
	b.write("#note", "smelled of almonds\r")
	b.until(`document.querySelector("dl").textContent.includes("almonds") && document.querySelector("#state").value === "failed" && document.querySelector("#value").value === "0.7" && document.querySelector("#reason").value === "leaked" && document.querySelector("#note").value === ""`)
	b.write("#note", "and of")
	b.click("#tell-form button")
	b.until(`document.querySelector("#tell-error").textContent.includes("has no value") && document.querySelector("#note").value === "and of"`)
	b.set("#value", "")
	b.click("#tell-form button")
	b.until(`document.querySelector("#correct-form") && document.querySelector("#correct-reason").value === "leaked" && document.querySelector("#note").value === "and of"`)
	b.do(chromedp.Navigate(v.site + "/studies/rig/trials/1"))
	b.until(`document.querySelector("#theme:not([hidden])") && document.querySelector("#note").value === ""`)
	b.clean()
}

// choose sets a list, as a reader does.
func (b *tab) choose(selector, value string) {
	b.t.Helper()
	figuretest.Ask(b.browser, b.t, chromedp.Evaluate[bool](fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event("change", { bubbles: true })); return e.value === %q; })()`, selector, value, value)))
}

// Combinations that the data support are shown, drawn, and compared with earlier ones.
func TestCombinations(t *testing.T) {
	v := open(t, "")
	v.fill(http.StatusOK, "/new", "name", "ridge", "space", `parameters: {"x[0:4]": {float: [-1, 1]}}`, "method", "sobol")
	r := rand.New(rand.NewPCG(3, 4))
	table := "x0,x1,x2,x3,x4,value\n"
	for range 80 {
		x := [5]float64{}
		for i := range x {
			x[i] = 2*r.Float64() - 1
			table += fmt.Sprint(x[i], ",")
		}
		z := x[1] - 2*x[3]
		table += fmt.Sprintln(z*z + z)
	}
	kind, body := part("table", table, "action", "import")
	if status, page, _ := v.send("POST", "/studies/ridge/import", kind, body); status != http.StatusOK {
		t.Fatal(page)
	}
	b := visit(t, v.site)
	b.do(chromedp.Navigate(v.site + "/studies/ridge/model"))
	b.until(`document.querySelector('[data-chart="response"][data-drawn=yes]') && document.querySelector('[data-chart="calibration"][data-drawn=yes]')`)
	// The model is drawn again when it is renewed, and stays as it is when there is nothing new.
	b.until(`(document.querySelector('[data-chart="response"]').id = "old") && (htmx.trigger(document.body, "model-stale"), true)`)
	v.fill(http.StatusOK, "/studies/ridge/trials/7/correct", "act", "exclude")
	b.until(`!document.getElementById("old") && document.querySelector('[data-chart="response"][data-drawn=yes]')`)
	has(t, v.analysed("/studies/ridge/model"), "x3", "Has the answer changed?", "a few combinations explain the values", "Towards better values")
	b.readable("light")
	b.clean()
}

func pixels(p image.Image) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, p) // a buffer takes everything
	return b.Bytes()
}

// unnamed lists what a screen reader could not name, and ids that occur twice.
const unnamed = `[
	...[...document.querySelectorAll("input:not([type=hidden]), select, textarea")].filter((e) => !e.labels.length && !e.ariaLabel),
	...[...document.querySelectorAll("button, a, summary")].filter((e) => !e.textContent.trim()),
	...[...document.querySelectorAll("canvas, svg")].filter((e) => !e.ariaLabel && !e.ariaHidden && !e.closest("[role=img]")),
	...[...document.querySelectorAll("[id]")].filter((e) => document.querySelectorAll("#" + CSS.escape(e.id)).length > 1),
].map((e) => e.outerHTML.slice(0, 120)).join("\n")`

// contrast is the lowest ratio of a colour of text to what it is written on (WCAG 2).
const contrast = `(() => {
	const style = getComputedStyle(document.documentElement);
	const light = (name) => {
		const [r, g, b] = style.getPropertyValue(name).trim().match(/[0-9a-f]{2}/g).map((v) => parseInt(v, 16) / 255)
			.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
	const pairs = ["--card", "--paper"].flatMap((p) => ["--ink", "--soft", "--accent", "--bad", "--good"].map((t) => ratio(t, p)));
	return Math.min(ratio("--on-accent", "--accent"), ...pairs);
})()`

// readable checks what a page needs to be read by everyone.
func (b *tab) readable(theme string) {
	b.t.Helper()
	if list := figuretest.Ask(b.browser, b.t, chromedp.Evaluate[string](unnamed)); list != "" {
		b.t.Errorf("without a name, or with another's id:\n%s", list)
	}
	if c := figuretest.Ask(b.browser, b.t, chromedp.Evaluate[float64](contrast)); c < 4.5 {
		b.t.Errorf("the lowest contrast of the %s theme is %.2f, want 4.5", theme, c)
	}
}

// laboratory is a server with studies of all sorts: one with much of everything, one with a few
// trials, one without any.
func laboratory(t *testing.T) visitor {
	t.Helper()
	v := open(t, "")
	space := `parameters:
  temperature_of_the_bath: {float: [20, 90], unit: °C, description: measured at the inlet}
  catalyst: {log: [0.001, 1], unit: mol%}
  solvent: {choice: [water, ethanol, toluene, dimethylformamide, dichloromethane]}
  minutes: {int: [5, 120]}
  stir: {bool: [false, true]}
  acid: {float: [0, 1]}
  base: {float: [0, 1]}
  dose: {ordinal: [1, 2.5, 10]}
  vessel: {fixed: 250, unit: ml}
constraints: [acid + base <= 1.2]
`
	post := func(path, body string) string {
		status, text, _ := v.send("POST", path, "application/json", body)
		if status >= 300 {
			t.Fatalf("%s: %s", path, text)
		}
		return text
	}
	v.fill(http.StatusOK, "/new", "name", "reaction-yield-of-the-second-step", "space", space, "method", "sobol", "goal", "maximize", "budget", "200")
	v.fill(http.StatusOK, "/new", "name", "few", "space", rig, "method", "sobol")
	v.fill(http.StatusOK, "/new", "name", "empty", "space", rig, "method", "sobol")
	const api = "/v1/studies/reaction-yield-of-the-second-step"
	for round := range 10 {
		var batch struct {
			Trials []struct {
				Number int
				Params map[string]any
			}
		}
		if err := json.Unmarshal([]byte(post(api+"/ask", fmt.Sprintf(`{"count": 6, "worker": "robot-%d.lab.example"}`, round%3))), &batch); err != nil {
			t.Fatal(err)
		}
		for k, trial := range batch.Trials {
			p := trial.Params
			tell := fmt.Sprintf("%s/trials/%d/tell", api, trial.Number)
			heat, acid := (p["temperature_of_the_bath"].(float64)-62)/22, p["acid"].(float64)-0.4
			y := 70 * math.Exp(-heat*heat) * (1 - 0.15*math.Abs(math.Log10(p["catalyst"].(float64))+1.5))
			if p["solvent"] == "toluene" {
				y += 14
			}
			switch {
			case round == 9 && k > 3: // still running
			case k == 5 && round%3 == 1:
				post(tell, `{"state": "failed", "reason": "the pump stopped"}`)
			default:
				post(tell, fmt.Sprintf(`{"value": %.17g, "std": 0.12345678901234567}`, y-12*acid*acid))
			}
		}
	}
	v.learners(post)
	post(api+"/trials/2/notes", `{"text": "smelled of almonds"}`)
	v.beam()
	for n, values := range [][3]string{{"101325.0001", "2", "12"}, {"101325.2", "0.25", "11"}, {"101326", "4", "5"}} {
		v.fill(http.StatusOK, fmt.Sprintf("/studies/beam/trials/%d/tell", n+1), "value of mass", values[0], "value of range", values[1], "value of stress", values[2])
	}
	post("/v1/studies/few/ask", `{"count": 4}`)
	post("/v1/studies/few/trials/1/tell", `{"value": -1234567.125}`)
	post("/v1/studies/few/trials/2/tell", `{"value": 0.00001234567}`)
	return v
}

// learners makes a study whose trials report: complete, stopped and running ones.
func (v visitor) learners(post func(path, body string) string) {
	post("/v1/studies", `{"name": "long", "method": "sobol", "stop": "asha:first=3,after=2", "cost": "aware", "space": {"parameters": {"rate": {"log": [1e-5, 0.1]}}}}`)
	post("/v1/studies/long/ask", `{"count": 14, "worker": "trainer"}`)
	for n := 1; n <= 14; n++ {
		path := fmt.Sprintf("/v1/studies/long/trials/%d", n)
		level, stopped := 0.2+0.11*float64(n*5%14), false
		steps := 27
		if n > 12 {
			steps = 8
		}
		for step := 1; step <= steps && !stopped; step++ {
			value := level + 2/float64(step) + 0.02*math.Sin(float64(7*step+n))
			stopped = strings.Contains(post(path+"/report", fmt.Sprintf(`{"worker": "trainer", "reports": [{"step": %d, "value": %.6g}]}`, step, value)), `"stop":true`)
		}
		switch {
		case stopped:
			post(path+"/tell", `{"state": "stopped", "cost": 3}`)
		case n <= 12:
			post(path+"/tell", fmt.Sprintf(`{"value": %.6g, "cost": 27}`, level+2./27))
		}
	}
}

// TestWalk looks at every page at two widths: no label overlaps another, no number is cut, and
// nothing scrolls sideways but what says so.
func TestWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("it looks at every page twice; make test runs it")
	}
	v := laboratory(t)
	b := visit(t, v.site)
	const study = "/studies/reaction-yield-of-the-second-step"
	pages := map[string]string{
		"list": "/", "new": "/new", "compare": "/compare?study=reaction-yield-of-the-second-step&study=few", "compare-none": "/compare",
		"overview": study, "trials": study + "/trials", "parameters": study + "/parameters", "model": study + "/model", "workers": study + "/workers",
		"change": study + "/change", "trial": study + "/trials/2", "beam": "/studies/beam", "beam-trials": "/studies/beam/trials", "beam-trial": "/studies/beam/trials/4", "beam-corrected": "/studies/beam/trials/1", "trial-running": study + "/trials/60", "few": "/studies/few", "long": "/studies/long", "long-trial": "/studies/long/trials/6", "long-workers": "/studies/long/workers", "few-trials": "/studies/few/trials", "few-parameters": "/studies/few/parameters",
		"empty": "/studies/empty", "empty-trials": "/studies/empty/trials", "empty-model": "/studies/empty/model", "empty-workers": "/studies/empty/workers",
		"docs": "/docs", "login": "/login", "nowhere": "/studies/few/nowhere",
	}
	for _, width := range []int64{1280, 390} {
		size := chromedp.EmulateViewport(width, 900)
		if width < 600 {
			size = chromedp.EmulateViewport(width, 900, chromedp.EmulateMobile)
		}
		b.do(size)
		for _, name := range slices.Sorted(maps.Keys(pages)) {
			b.do(chromedp.Navigate(v.site + pages[name]))
			b.until(`document.readyState === "complete"`)
			b.drawn()
			figuretest.Keep(b.browser, t, fmt.Sprintf("%s-%d", name, width))
			if faults := figuretest.Faults(b.browser, t); faults != "" {
				t.Errorf("%s at %d pixels:\n%s", pages[name], width, faults)
			}
			if name != "docs" {
				b.readable("light")
			}
		}
	}
	b.clean()
}
