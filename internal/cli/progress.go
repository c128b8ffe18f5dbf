package cli

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress shows how far a run is: a bar on a terminal, else plain lines.
type progress interface {
	update(done, total int, text string)
	close()
}

// newProgress chooses by where w goes; quiet shows nothing.
func newProgress(w io.Writer, unit string, quiet bool) progress {
	if quiet {
		return silent{}
	}
	if isTerminal(w) {
		return &bar{out: w, unit: unit}
	}
	return &lines{out: w, unit: unit, every: 5 * time.Second}
}

// isTerminal says whether w shows a bar: a terminal without a width cannot hold one.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	width, _, err := cwriter.GetSize(int(f.Fd()))
	return err == nil && width > 0
}

type silent struct{}

func (silent) update(int, int, string) {}
func (silent) close()                  {}

// lines writes a line at most every few seconds, and the last one always.
type lines struct {
	out    io.Writer
	unit   string
	every  time.Duration
	last   time.Time
	unseen string
}

func (l *lines) update(done, total int, text string) {
	l.unseen = fmt.Sprintf("%d/%d %s  %s\n", done, total, l.unit, text)
	if time.Since(l.last) >= l.every {
		l.close()
	}
}

func (l *lines) close() {
	if l.unseen != "" {
		_, _ = io.WriteString(l.out, l.unseen)
		l.unseen, l.last = "", time.Now()
	}
}

// bar is a progress bar that starts with the first update.
type bar struct {
	out   io.Writer
	unit  string
	group *mpb.Progress
	bar   *mpb.Bar
	text  atomic.Value
}

func (b *bar) update(done, total int, text string) {
	b.text.Store(text)
	if b.group == nil {
		b.group = mpb.New(mpb.WithOutput(b.out), mpb.WithWidth(40))
		b.bar = b.group.AddBar(int64(total),
			mpb.PrependDecorators(decor.CountersNoUnit("%d/%d "+b.unit, decor.WCSyncSpaceR)),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return b.text.Load().(string) })))
	}
	b.bar.SetCurrent(int64(done))
}

func (b *bar) close() {
	if b.group != nil {
		b.bar.Abort(false) // no effect on a full bar
		b.group.Wait()
	}
}

// left writes a remaining time.
func left(d time.Duration) string {
	if d >= time.Minute {
		return d.Round(time.Second).String() + " left"
	}
	return d.Round(100*time.Millisecond).String() + " left"
}
