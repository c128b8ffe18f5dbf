// Package figuretest looks at pages as a reader does, in a browser.
package figuretest

import (
	"bytes"
	"context"
	"image"
	"image/png"
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
