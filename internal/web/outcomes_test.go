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
	if dir := os.Getenv("PICTURES"); dir != "" {
		f, err := os.Create(dir + "/front.png")
		if err == nil {
			_ = png.Encode(f, b.picture(""))
			_ = f.Close()
		}
	}
	b.do(chromedp.Navigate(v.site + "/studies/beam/trials/9"))
	b.until(`document.body.innerText.includes("stress") && document.querySelector("#correct-value").value === "mass=2 range=50 stress=3±0.1"`)
	b.clean()
}
