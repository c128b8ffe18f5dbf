package cli

import (
	"io"
	"sync/atomic"
	"time"
)

// patience is how long an import goes on before its progress is shown.
const patience = 2 * time.Second

// importProgress shows a bar on a terminal while a long import goes on. The trials are
// stored when all lines are read, at once, so that a clock has to move the bar.
type importProgress struct {
	done, total atomic.Int64
	stop, ended chan struct{}
}

func newImportProgress() *importProgress {
	return &importProgress{stop: make(chan struct{}), ended: make(chan struct{})}
}

func showImport(w io.Writer) *importProgress {
	p := newImportProgress()
	go p.show(newProgress(w, "lines", !isTerminal(w)), patience, 200*time.Millisecond)
	return p
}

// update hears of the lines that are read.
func (p *importProgress) update(done, total int) {
	p.done.Store(int64(done))
	p.total.Store(int64(total))
}

// close ends the bar.
func (p *importProgress) close() {
	close(p.stop)
	<-p.ended
}

func (p *importProgress) show(out progress, patience, every time.Duration) {
	defer close(p.ended)
	defer out.close()
	wait, shown := patience, false
	for {
		select {
		case <-p.stop:
			if done, total := p.lines(); shown {
				out.update(done, total, "")
			}
			return
		case <-time.After(wait):
			wait, shown = every, true
		}
		done, total := p.lines()
		text := "reading"
		if done == total {
			done, text = total-1, "storing the trials" // a full bar would not move any more
		}
		out.update(done, total, text)
	}
}

// lines returns how many are read, of at least one.
func (p *importProgress) lines() (done, total int) {
	total = max(int(p.total.Load()), 1)
	return min(int(p.done.Load()), total), total
}
