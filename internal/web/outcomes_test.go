package web_test

import (
	"fmt"
	"image/png"
	"net/http"
	"os"
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
	b.set("#value-9", "mass=2 range=50 stress=3±0.1")
	b.click("#tell-9 button")
	b.until(`document.querySelector("#front").dataset.points === "2" && document.querySelector("#complete-count").textContent === "9"`)
	if n := colours(b.picture("#front .plot")); n < 10 {
		t.Errorf("the chart has %d colours: nothing is drawn", n)
	}
	keep(b, "front.png")
	b.do(chromedp.Navigate(v.site + "/studies/beam/trials/9"))
	b.until(`document.body.innerText.includes("stress") && document.querySelector("#correct-value").value === "mass=2 range=50 stress=3±0.1"`)
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
