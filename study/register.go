package study

import (
	"iter"
	"time"

	"github.com/mahabo/mahabo/space"
)

// pageTrials is how many trials a page of a register has.
const pageTrials = 256

// register is the list of a study's trials, in pages. Pages of a snapshot are read when one of
// their trials is needed: to list a study or to tell a value takes few of many.
//
// A copy shares the pages, as a copy of a list would: what is added behind its end does not
// concern it, a trial that is replaced does.
type register struct {
	pages [][]entry // nil: only the snapshot has it
	count int
	from  *unread
}

// unread are the pages of a snapshot.
type unread struct {
	texts  []string
	reader snapshotReader // has the words
	base   time.Time      // when the study was created
	space  *space.Space
	trials int
}

func (u *unread) page(k int) ([]entry, error) {
	page := make([]entry, min(pageTrials, u.trials-k*pageTrials))
	r := u.reader
	r.b, r.values = u.texts[k], make([]float64, 0, len(page))
	for i := range page {
		if err := r.trial(&page[i], k*pageTrials+i+1, u.base, u.space); err != nil {
			return nil, err
		}
	}
	return page, nil
}

func (r *register) len() int { return r.count }

// page returns a page that is in memory then.
func (r *register) page(k int) []entry {
	if r.pages[k] == nil {
		page, err := r.from.page(k)
		if err != nil { // what can fail was read when the snapshot was opened
			panic("study: page of a snapshot: " + err.Error())
		}
		r.pages[k] = page
	}
	return r.pages[k]
}

// at returns a trial by its number, which has to be one of the study's.
func (r *register) at(number int) *entry {
	return &r.page((number - 1) / pageTrials)[(number-1)%pageTrials]
}

// add appends a trial.
func (r *register) add(e entry) {
	k := r.count / pageTrials
	if k == len(r.pages) {
		r.pages = append(r.pages, nil)
	} else if r.count%pageTrials > 0 {
		r.page(k)
	}
	r.pages[k] = append(r.pages[k][:r.count%pageTrials], e)
	r.count++
}

// all goes through the trials by number.
func (r *register) all() iter.Seq[*entry] { return r.behind(0) }

// behind goes through the trials with higher numbers.
func (r *register) behind(number int) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for n := number + 1; n <= r.count; n++ {
			if !yield(r.at(n)) {
				return
			}
		}
	}
}

// loaded goes through the trials that are in memory. All others are packed.
func (r *register) loaded() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for n := 1; n <= r.count; {
			k := (n - 1) / pageTrials
			if r.pages[k] == nil {
				n = (k+1)*pageTrials + 1
				continue
			}
			if !yield(r.at(n)) {
				return
			}
			n++
		}
	}
}

// whole says whether all trials are in memory.
func (r *register) whole() bool {
	for _, p := range r.pages {
		if p == nil {
			return false
		}
	}
	return true
}
