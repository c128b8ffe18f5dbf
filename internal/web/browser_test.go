package web_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

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
			refused := m.Source == "network" && strings.Contains(m.Text, "422") // a form that was wrong
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

// write types into a field.
func (b *tab) write(selector, text string) {
	b.t.Helper()
	b.set(selector, "")
	b.do(chromedp.SendKeys(chromedp.CSS(selector), text))
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

// picture takes a screenshot of an element, or of the page when there is no selector. It is
// kept in the folder that MAHABO_SCREENSHOTS names, if any.
func (b *tab) picture(selector string) image.Image {
	b.t.Helper()
	take := chromedp.FullScreenshot(100)
	if selector != "" {
		take = chromedp.Screenshot(chromedp.CSS(selector))
	}
	data := figuretest.Ask(b.browser, b.t, take)
	if dir := os.Getenv("MAHABO_SCREENSHOTS"); dir != "" {
		name := fmt.Sprintf("%s/%s%d.png", dir, strings.Trim(selector, "#"), time.Now().UnixMilli())
		if err := os.WriteFile(name, data, 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
	p, err := png.Decode(bytes.NewReader(data))
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

// inked is the share of the pixels of a canvas that are drawn on.
func (b *tab) inked(selector string) float64 {
	b.t.Helper()
	return figuretest.Ask(b.browser, b.t, chromedp.Evaluate[float64](fmt.Sprintf(
		`(() => { const c = document.querySelector(%q), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
		let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return 4 * n / d.length; })()`, selector)))
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
	b.click("form.card button")
	b.until(`document.querySelector("#space-error .error")?.textContent.includes("x")`)
	b.set("#space", "parameters:\n  x: {float: [0, 1]}\n  y: {log: [0.001, 1]}\n  kind: {choice: [a, b, c]}\n")
	b.click("form.card button")
	b.until(`document.querySelector("#live.on") && document.querySelector("#curve canvas")`)

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
	before := b.picture("#curve")
	if n := colours(before); n < 10 {
		t.Errorf("the chart has %d colours: nothing is drawn", n)
	}

	// A value told by hand moves the chart.
	b.write("#value-1", "-3")
	b.click("#tell-1 button")
	b.until(`document.querySelector("#best-value").textContent === "-3" && document.querySelector("#curve").dataset.points === "24"`)
	if bytes.Equal(pixels(before), pixels(b.picture("#curve"))) {
		t.Error("the chart did not move")
	}
	b.until(`document.querySelector("#importances") && document.querySelector("canvas.calibration")?.dataset.dots === "24"`)
	for _, canvas := range []string{"#parallel", "#slices canvas", "canvas.calibration"} {
		if share := b.inked(canvas); share < 0.005 {
			t.Errorf("%s is drawn on %.4f of its pixels", canvas, share)
		}
	}
	b.write("#trial-search", "nothing at all")
	b.until(`document.querySelector("#trials").textContent.includes("No trial matches")`)

	b.readable("light")
	light := b.picture("")
	b.click("#theme")
	b.until(`document.documentElement.dataset.theme === "dark"`)
	b.readable("dark")
	if l, d := figuretest.Mean(light), figuretest.Mean(b.picture("")); d > l-0.3 {
		t.Errorf("dark mode has brightness %.2f, light mode %.2f", d, l)
	}
	b.phone(v.site, "/studies/oven", "/", "/new", "/studies/oven/trials/1", "/login")
	b.clean()
}

// Directions that the data support are shown, drawn, and compared with earlier ones.
func TestDirections(t *testing.T) {
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
	b.do(chromedp.Navigate(v.site + "/studies/ridge"))
	b.until(`document.querySelector("[data-response] canvas")?.dataset.dots > 0`)
	if share := b.inked("[data-response] canvas"); share < 0.005 {
		t.Errorf("the response is drawn on %.4f of its pixels", share)
	}
	// The model is drawn again when it is renewed.
	b.until(`(document.querySelector("[data-response]").id = "old") && (htmx.trigger(document.body, "model-stale"), true)`)
	b.until(`!document.getElementById("old") && document.querySelector("canvas.calibration")?.dataset.dots === "80"`)
	has(t, v.get("/studies/ridge/model"), "x3", "Drift", "low-dimensional", `aria-label="Loadings"`)
	b.readable("light")
	b.picture("")
	b.clean()
}

func pixels(p image.Image) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, p) // a buffer takes everything
	return b.Bytes()
}

// unnamed lists what a screen reader could not name, and ids that occur twice.
const unnamed = `[
	...[...document.querySelectorAll("input:not([type=hidden]), select, textarea")].filter((e) => !e.labels.length),
	...[...document.querySelectorAll("button, a, summary")].filter((e) => !e.textContent.trim()),
	...[...document.querySelectorAll("canvas:not(#curve canvas), svg")].filter((e) => !e.ariaLabel && !e.ariaHidden && !e.closest("[role=img]")),
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

// phone looks at pages on a small screen: they scroll in one direction only.
func (b *tab) phone(site string, paths ...string) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
	for _, path := range paths {
		b.do(chromedp.Navigate(site + path))
		if path == "/studies/oven" {
			b.until(`document.querySelector("#importances") && document.querySelector("canvas.calibration")?.dataset.dots`)
		}
		wide := figuretest.Ask(b.browser, b.t, chromedp.Evaluate[float64](`Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)`))
		if wide > 360 {
			b.t.Errorf("%s is %g pixels wide on a phone of 360", path, wide)
		}
		b.picture("")
	}
}
