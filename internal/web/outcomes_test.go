package web_test

import (
	"fmt"
	"image/png"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A front grows in the browser while trials come from elsewhere, and one is told by hand.
func TestFrontGrows(t *testing.T) {
	v := open(t, "")
	send := func(path, body string) {
		t.Helper()
		if status, text, _ := v.send("POST", path, "application/json", body); status >= http.StatusBadRequest {
			t.Fatal(text)
		}
	}
	send("/v1/studies", `{"name": "beam", "method": "sobol", "space": {"parameters": {"x": {"float": [0, 1]}, "y": {"float": [0, 1]}}},
		"outcomes": {"mass": "minimize", "range": "maximize", "stress": {"at_most": 10}}}`)
	send("/v1/studies/beam/ask", `{"count": 9}`)
	b := visit(t, v.site)
	b.do(chromedp.Navigate(v.site + "/studies/beam"))
	b.until(`document.querySelector("#live.on") && document.querySelector("#front[data-drawn=nothing]")`)
	for n := 1; n <= 8; n++ {
		stress := 9
		if n%4 == 0 {
			stress = 12
		}
		send(fmt.Sprintf("/v1/studies/beam/trials/%d/tell", n), fmt.Sprintf(`{"outcomes": {"mass": %d, "range": %d, "stress": %d}}`, n, n*n, stress))
		if n == 3 {
			b.until(`document.querySelector("#front").dataset.points === "3"`)
		}
	}
	b.until(`document.querySelector("#front").dataset.points === "6" && document.querySelector("#limits[data-drawn=yes]") && document.querySelector("#hypervolume[data-drawn=yes]")`)
	b.set("#value-9-0", "2")
	b.set("#value-9-1", "50")
	b.set("#value-9-2", "3")
	b.set(`[aria-label="Standard deviation of stress of trial 9"]`, "0.1")
	b.readable("light")
	b.click("#tell-9 button")
	b.until(`document.querySelector("#front").dataset.points === "2" && document.querySelector("#complete-count").textContent === "9"`)
	if n := colours(b.picture("#front .plot")); n < 10 {
		t.Errorf("the chart has %d colours: nothing is drawn", n)
	}
	keep(b, "front.png")
	b.do(chromedp.Navigate(v.site + "/studies/beam/trials/9"))
	b.until(`document.body.innerText.includes("stress") && ["2,,50,,3,0.1", "2"].join("|") === [[...document.querySelectorAll(".measured input")].map((e) => e.value).join(), document.querySelector("#right-0").value].join("|")`)
	b.readable("light")
	b.clean()
}

// keep writes a picture of the page where PICTURES names a folder.
func keep(b *tab, name string) {
	dir := os.Getenv("PICTURES")
	if dir == "" {
		return
	}
	if f, err := os.Create(dir + "/" + name); err == nil {
		_ = png.Encode(f, b.picture(""))
		_ = f.Close()
	}
}

// A front of three objectives has a panel for each pair, coloured by the third.
func TestFrontOfThree(t *testing.T) {
	v := open(t, "")
	send := func(path, body string) {
		t.Helper()
		if status, text, _ := v.send("POST", path, "application/json", body); status >= http.StatusBadRequest {
			t.Fatal(text)
		}
	}
	send("/v1/studies", `{"name": "car", "method": "sobol", "space": {"parameters": {"x": {"float": [0, 1]}, "y": {"float": [0, 1]}}},
		"outcomes": {"mass": "minimize", "range": "maximize", "noise": "minimize", "heat": {"at_most": 8}}}`)
	send("/v1/studies/car/ask", `{"count": 12}`)
	for n := 1; n <= 12; n++ {
		send(fmt.Sprintf("/v1/studies/car/trials/%d/tell", n), fmt.Sprintf(`{"outcomes": {"mass": %d, "range": %d, "noise": %d, "heat": %d}}`, n, n*n, (n*5)%7, n-2))
	}
	has(t, v.get("/studies/car"), "mass at the knee", "The values of mass, the first objective.", `data-value="mass"`, "Knee of the front", `class="num">Best mass</th>`)
	has(t, v.get("/"), "<dt>mass at the knee</dt>")
	has(t, v.get("/compare?study=car"), "12 trials, mass at the knee ", `data-value="mass"`)
	b := visit(t, v.site)
	for _, width := range []int64{1280, 390} {
		b.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(v.site+"/studies/car"))
		b.until(`document.querySelector("#front[data-drawn=yes]")`)
		for _, name := range []string{"mass", "range", "noise"} {
			b.until(`document.querySelector("#front .plot").textContent.includes("colour: ` + name + `, dark is better")`)
		}
		keep(b, fmt.Sprintf("three-%d.png", width))
	}
	b.clean()
}

// beam makes a study with two objectives and two limits, and has four of its trials run.
func (v visitor) beam() {
	v.t.Helper()
	v.fill(http.StatusOK, "/new", "name", "beam", "method", "sobol", "space", `parameters: {x: {float: [0, 1]}, y: {float: [0, 1]}}
outcomes: {stress: {at_most: 10}, mass: {goal: minimize, unit: kg}, range: {goal: maximize, at_least: 0.5}, heat: record}`)
	v.fill(http.StatusOK, "/studies/beam/ask", "count", "4")
}

// Every outcome has fields of its own, and nothing that one writes into them is lost.
func TestTellOutcomes(t *testing.T) {
	v := open(t, "")
	v.beam()
	has(t, v.get("/studies/beam"), `<span class="hidden"> of trial 2</span>`, `aria-label="Standard deviation of mass of trial 2"`)
	tell := func(want int, number string, fields ...string) string {
		return v.fill(want, "/studies/beam/trials/"+number+"/tell", fields...)
	}
	has(t, tell(http.StatusUnprocessableEntity, "1", "value of mass", "1.x", "std of mass", "0.3", "value of range", "2"), "mass is &#34;1.x&#34;: write a number", `value="1.x"`, `value="0.3"`)
	has(t, tell(http.StatusUnprocessableEntity, "1", "std of mass", "0.3", "value of range", "2"), "mass has a standard deviation")
	has(t, tell(http.StatusUnprocessableEntity, "1", "value", "range=2", "std", "0.3"), "not clear which outcome has the standard deviation 0.3")
	has(t, tell(http.StatusUnprocessableEntity, "1", "value", "range=2", "value of range", "3"), "range is given twice")
	has(t, tell(http.StatusUnprocessableEntity, "1", "state", "failed", "value of mass", "1"), "a trial that is failed has no value", `value="1"`)
	has(t, tell(http.StatusUnprocessableEntity, "1", "value of mass", "1", "reason", "oil"), "a trial without a value", `value="oil"`)
	has(t, tell(http.StatusOK, "1", "value of mass", "1.5", "std of mass", "0.3", "value of range", "2"), "1.5 ± 0.3", "running")
	has(t, tell(http.StatusOK, "1", "value of stress", "12"), "complete", `name="value of mass" inputmode="decimal" value="1.5"`, `name="std of mass" inputmode="decimal" value="0.3"`)

	correct := func(fields ...string) string {
		return v.fill(http.StatusOK, "/studies/beam/trials/1/correct", append([]string{"state", "complete"}, fields...)...)
	}
	has(t, correct("value of mass", "1.4", "value of range", "2", "value of stress", "12"), "mass 1.5 -&gt; 1.4", "std of mass 0.3 -&gt; 0")
	// What the form began with is not in the way of another state.
	has(t, correct("state", "failed", "value of mass", "1.4", "value of range", "2", "value of stress", "12", "reason", "leaked"), "leaked", "Try it again")
	has(t, v.fill(http.StatusOK, "/studies/beam/trials/1/correct", "state", "complete", "value of mass", "1.4", "value of range", "2", "value of stress", "12", "reason", "leaked"), "<dt>mass</dt><dd>1.4</dd>")
}

// The pages say what a study with limits and several objectives is after, and which trials miss a limit.
func TestPagesOfOutcomes(t *testing.T) {
	v := open(t, "")
	v.beam()
	for n, values := range [][3]string{{"1.25", "2", "12"}, {"2", "0.25", "11"}, {"3", "4", "5"}} {
		v.fill(http.StatusOK, fmt.Sprintf("/studies/beam/trials/%d/tell", n+1), "value of mass", values[0], "value of range", values[1], "value of stress", values[2])
	}
	has(t, v.get("/studies/beam"), "minimize mass, maximize range within 2 limits over 2 parameters")
	page := v.get("/studies/beam/trials?sort=value", "HX-Request", "true")
	has(t, page, `<th scope="col" class="num">mass (kg)</th><th scope="col" class="num rest">stress</th><th scope="col" class="num rest">range</th>`, ">lowest mass</option>",
		`<td class="num">1.25</td><td class="num rest">12</td><td class="num rest">2</td>`, `<span class="misses">misses stress</span>`, `<span class="misses">misses stress, range</span>`)
	if n := strings.Count(page, "misses"); n != 4 {
		t.Errorf("%d trials miss limits", n/2)
	}
	has(t, v.get("/new"), "range: {goal: maximize, at_least: 0.9}")

	has(t, v.fill(http.StatusOK, "/new", "name", "up", "goal", "minimize", "method", "sobol", "space", rig+"outcomes: {range: maximize, stress: {at_most: 10}}"), "maximize range within 1 limit over 2 parameters")
	v.fill(http.StatusOK, "/new", "name", "high", "space", rig, "method", "sobol", "goal", "maximize")
	has(t, v.get("/compare?study=beam"), `data-goal="minimize"`)
	has(t, v.get("/compare?"+url.Values{"study": {"beam", "high"}}.Encode()), `data-goal=""`, "Some of these are minimised and others maximised.")
}
