// Package figuretest looks at pages as a reader does, in a browser.
package figuretest

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Open shows a file in a window of 1200 x 900 pixels until the test ends.
func Open(t *testing.T, file string) context.Context {
	t.Helper()
	return Visit(t, "file://"+file)
}

// Visit shows the page of an address in such a window.
func Visit(t *testing.T, address string) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1200, 900))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	browser, stop := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("no browser starts, install Chromium (apt-get install chromium): %v", err)
	}
	browser, stop = context.WithTimeout(browser, 2*time.Minute) // the first call must have none
	t.Cleanup(stop)
	if err := chromedp.Do(browser, chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
	return browser
}

// Ask runs one action of the browser.
func Ask[T any](browser context.Context, t *testing.T, a chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(browser, a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// prefer sets the reader's colour scheme.
func prefer(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}

// Brightness is the mean of a screenshot in a colour scheme, light or dark, from 0 to 1.
func Brightness(browser context.Context, t *testing.T, scheme string) float64 {
	t.Helper()
	Ask(browser, t, prefer(scheme))
	picture, err := png.Decode(bytes.NewReader(Ask(browser, t, chromedp.FullScreenshot(100))))
	if err != nil {
		t.Fatal(err)
	}
	return Mean(picture)
}

// Mean is the brightness of a picture, from 0 to 1.
func Mean(picture image.Image) float64 {
	var sum, n float64
	for x := 0; x < picture.Bounds().Dx(); x += 7 {
		for y := 0; y < picture.Bounds().Dy(); y += 7 {
			r, g, b, _ := picture.At(x, y).RGBA()
			sum += float64(r+g+b) / (3 * 0xffff)
			n++
		}
	}
	return sum / n
}

// faults lists what a reader cannot read on the page that is shown: labels of charts that overlap
// or leave their chart, numbers that are cut, and a page that is wider than its window.
const faults = `(() => {
	const list = [], wide = document.documentElement.clientWidth;
	const shown = (e) => e.checkVisibility() && e.getBoundingClientRect().width > 0;
	const spread = Math.max(document.documentElement.scrollWidth, document.body.scrollWidth);
	if (spread > wide + 1) list.push("the page is " + spread + " pixels wide in a window of " + wide);
	for (const svg of document.querySelectorAll("figure.chart svg")) {
		if (!shown(svg)) continue;
		const frame = svg.getBoundingClientRect(), name = svg.closest("figure").dataset.chart;
		const texts = [...svg.querySelectorAll("text")].filter((t) => t.textContent.trim() && shown(t)).map((t) => ({ text: t.textContent, box: t.getBoundingClientRect() }));
		for (const [i, a] of texts.entries()) {
			if (a.box.left < frame.left - 1 || a.box.right > frame.right + 1 || a.box.top < frame.top - 2 || a.box.bottom > frame.bottom + 2) list.push(name + ": " + a.text + " leaves the chart");
			for (const b of texts.slice(i + 1)) {
				const x = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left), y = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
				if (x > 2 && y > 3) list.push(name + ": " + a.text + " and " + b.text + " overlap");
			}
		}
	}
	for (const e of document.querySelectorAll("td.num, th.num, dd, .big, time")) {
		if (!shown(e) || !/\d/.test(e.textContent)) continue;
		const box = e.getBoundingClientRect(), around = e.closest(".scroll")?.getBoundingClientRect();
		if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible") list.push(e.textContent.trim() + " is cut");
		if (box.right > (around ? around.right : wide) + 1) list.push(e.textContent.trim() + " is cut at the edge");
	}
	return list.join("\n");
})()`

// Faults lists what cannot be read on a page, one fault a line.
func Faults(browser context.Context, t *testing.T) string {
	t.Helper()
	return Ask(browser, t, chromedp.Evaluate[string](faults))
}

// Keep writes a screenshot of the whole page to the folder that MAHABO_SCREENSHOTS names, if any,
// under a name.
func Keep(browser context.Context, t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv("MAHABO_SCREENSHOTS")
	if dir == "" {
		return
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), Ask(browser, t, chromedp.FullScreenshot(100)), 0o644); err != nil {
		t.Fatal(err)
	}
}
