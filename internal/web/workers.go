package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// crew is the page of the workers of a study.
type crew struct {
	heading
	Workers     []worker
	Seen, Total int // trials
}

// worker is who evaluates trials.
type worker struct {
	Name                      string
	Running, Complete, Failed int
	Last                      time.Time
	took                      []time.Duration
}

// Usual is the time that half of its trials took at most.
func (w worker) Usual() string {
	if len(w.took) == 0 {
		return "–"
	}
	slices.Sort(w.took)
	return lasting(w.took[len(w.took)/2])
}

// spansRead is how many of the latest trials are looked at.
const spansRead = "1000"

func (d *dashboard) workers(w http.ResponseWriter, r *http.Request) {
	h, err := d.readHeading(r, "workers")
	if err != nil {
		d.fail(w, r, err)
		return
	}
	var line struct {
		Total int
		Spans []struct {
			State, Worker string
			Asked, Began  time.Time
			Told          *time.Time
		}
	}
	if err := d.get(r, studyPath(r)+"/timeline", url.Values{"limit": {spansRead}}, &line); err != nil {
		d.fail(w, r, err)
		return
	}
	c := crew{heading: h, Seen: len(line.Spans), Total: line.Total}
	known := map[string]*worker{}
	for _, s := range line.Spans {
		name := cmp.Or(s.Worker, "not named")
		one := known[name]
		if one == nil {
			one = &worker{Name: name}
			known[name] = one
		}
		at := s.Asked
		switch {
		case s.Told == nil:
			one.Running++
		case s.State == "complete":
			one.Complete++
		default:
			one.Failed++
		}
		if s.Told != nil {
			one.took = append(one.took, s.Told.Sub(s.Began))
			at = *s.Told
		}
		if at.After(one.Last) {
			one.Last = at
		}
	}
	for _, one := range known {
		c.Workers = append(c.Workers, *one)
	}
	slices.SortFunc(c.Workers, func(a, b worker) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Name, b.Name)) })
	if partial(r) {
		d.show(w, http.StatusOK, "workers-body", c)
		return
	}
	d.show(w, http.StatusOK, "workers", page{h.Study.Name, h.Session, c})
}
