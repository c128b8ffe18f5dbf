package cli

import (
	"fmt"
	"io"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mahabo/mahabo/internal/bench"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// benchProgress shows a benchmark: bars of the rows at work above one of the
// whole on a terminal, else plain lines.
type benchProgress interface {
	start(bench.Progress)  // a trial begins
	update(bench.Progress) // a trial is finished
	note(string)
	close()
}

func newBenchProgress(w io.Writer, quiet bool) benchProgress {
	inner := newProgress(w, "trials", quiet)
	if b, ok := inner.(*bar); ok {
		return &rowBars{out: b.out, rows: map[bench.Cell]*rowBar{}}
	}
	return benchLines{inner, w}
}

// benchLines tells of the last trial and its row.
type benchLines struct {
	progress
	out io.Writer
}

func (l benchLines) start(bench.Progress) {}

func (l benchLines) note(text string) { fmt.Fprintln(l.out, text) }

func (l benchLines) update(p bench.Progress) { l.progress.update(p.Done, p.Total, progressText(p)) }

func progressText(p bench.Progress) string {
	var parts []string
	if p.Kept > 0 && p.Last == nil {
		parts = append(parts, fmt.Sprintf("%d kept from before", p.Kept))
	}
	if row, ok := p.Row(); ok {
		parts = append(parts, fmt.Sprintf("%s, trial %d: %.4g in %s (%s)",
			row.Cell, p.Last.Trial, p.Last.Best, seconds(p.Last.Seconds), rowText(row)))
	}
	if p.Known && p.Done < p.Total {
		parts = append(parts, left(p.ETA))
	}
	return strings.Join(parts, "  ")
}

// rowText says how far a row is.
func rowText(r bench.RowProgress) string {
	text := fmt.Sprintf("%d/%d of the row", r.Done, r.Total)
	if r.Known && r.Done < r.Total {
		text += ", " + left(r.ETA)
	}
	return text
}

// rowBars are the bars of a terminal. They start with the first update.
type rowBars struct {
	out   io.Writer
	group *mpb.Progress
	whole *rowBar
	rows  map[bench.Cell]*rowBar
}

// rowBar is a bar with a time left, which runs down.
type rowBar struct {
	*mpb.Bar
	end atomic.Pointer[time.Time] // nil when it is not known
}

// until sets the time left.
func (r *rowBar) until(known bool, eta time.Duration) {
	if !known || eta <= 0 {
		r.end.Store(nil)
		return
	}
	end := time.Now().Add(eta)
	r.end.Store(&end)
}

// text is the time left; nothing when it is unknown or over.
func (r *rowBar) text(decor.Statistics) string {
	if end := r.end.Load(); end != nil && time.Until(*end) > 0 {
		return left(time.Until(*end))
	}
	return ""
}

func (b *rowBars) add(name string, total, priority int) *rowBar {
	r := &rowBar{}
	r.Bar = b.group.AddBar(int64(total), mpb.BarPriority(priority),
		mpb.PrependDecorators(decor.Name(name, decor.WCSyncSpaceR), decor.CountersNoUnit("%d/%d", decor.WCSyncSpace)),
		mpb.AppendDecorators(decor.Any(r.text)))
	return r
}

func (b *rowBars) start(p bench.Progress) { b.update(p) }

// note writes above the bars.
func (b *rowBars) note(text string) {
	if b.group == nil {
		fmt.Fprintln(b.out, text)
		return
	}
	fmt.Fprintln(b.group, text)
}

func (b *rowBars) update(p bench.Progress) {
	if b.group == nil {
		b.group = mpb.New(mpb.WithOutput(b.out), mpb.WithWidth(30))
		b.whole = b.add("all trials", p.Total, math.MaxInt32) // below the others
	}
	for i, row := range p.Rows {
		shown, ok := b.rows[row.Cell]
		switch {
		case row.Running == 0 && ok:
			shown.Abort(true)
			delete(b.rows, row.Cell)
			continue
		case row.Running == 0:
			continue
		case !ok:
			shown = b.add(row.String(), row.Total, i)
			b.rows[row.Cell] = shown
		}
		shown.SetCurrent(int64(row.Done))
		shown.until(row.Known, row.ETA)
	}
	b.whole.until(p.Known, p.ETA)
	b.whole.SetCurrent(int64(p.Done))
}

func (b *rowBars) close() {
	if b.group == nil {
		return
	}
	for _, r := range b.rows {
		r.Abort(true)
	}
	b.whole.Abort(false) // no effect on a full bar
	b.group.Wait()
}
