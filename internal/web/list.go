package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mahabo/mahabo/space"
)

// study is how far a study is.
type study struct {
	Name    string
	Space   json.RawMessage
	Method  string
	Goal    string
	Seed    uint64
	Init    int
	Batch   int
	Budget  int
	Stop    string
	Cost    string
	Created time.Time
	Trials  int
	States  map[string]int
	Batches int
	Best    *best

	Objectives []string
	Error      string // why it cannot be read
}

type best struct {
	Number int
	Params space.Params
	Value  float64
	Count  int

	Outcomes   map[string]float64
	Violations map[string]float64
}

// objectives are the names of those that a space declares.
func objectives(s *space.Space) (names []string) {
	for _, o := range s.Outcomes() {
		if o.Goal != "" {
			names = append(names, o.Name)
		}
	}
	return names
}

// BestIs says what the value of the best point is: of several objectives it is the first one's at the knee of the
// front, and there may be lower ones.
func (s study) BestIs() string {
	what, broken := "Best", s.Best != nil && len(s.Best.Violations) > 0
	switch o := s.Objectives; {
	case len(o) > 1 && broken:
		return o[0] + ", limits violated"
	case len(o) > 1:
		return o[0] + " at the knee"
	case broken:
		return what + ", limits violated"
	}
	return what
}

// BestIsWithin is the same within a sentence.
func (s study) BestIsWithin() string {
	if what, ok := strings.CutPrefix(s.BestIs(), "Best"); ok && len(s.Objectives) < 2 {
		return "best" + what
	}
	return s.BestIs()
}

// states in the order in which they are shown.
var states = []string{"complete", "stopped", "running", "waiting", "stale", "failed", "infeasible"}

// share is a part of a bar.
type share struct {
	State    string
	Count    int
	At, Wide float64 // per cent
}

// Shares are the states that trials are in.
func (s study) Shares() []share { return shares(s.States, s.Trials) }

func shares(counts map[string]int, total int) (list []share) {
	at := 0.0
	for _, state := range states {
		if n := counts[state]; n > 0 {
			wide := 100 * float64(n) / float64(total)
			list = append(list, share{state, n, at, wide})
			at += wide
		}
	}
	return list
}

// listing is a page of the list of studies.
type listing struct {
	Search         string
	Studies        []study
	Total          int // that match
	All            int
	Previous, Next string // addresses
}

const studiesPerPage = 50

func (d *dashboard) list(w http.ResponseWriter, r *http.Request) {
	var all struct{ Studies []study }
	if err := d.get(r, "/v1/studies", nil, &all); err != nil {
		d.fail(w, r, err)
		return
	}
	l := listing{Search: r.URL.Query().Get("q"), All: len(all.Studies)}
	word := strings.ToLower(strings.TrimSpace(l.Search))
	found := slices.DeleteFunc(all.Studies, func(s study) bool {
		return !strings.Contains(strings.ToLower(s.Name+" "+s.Method+" "+s.Goal), word)
	})
	slices.SortStableFunc(found, func(a, b study) int { return b.Created.Compare(a.Created) })
	l.Total = len(found)
	from, _ := strconv.Atoi(r.URL.Query().Get("offset")) // anything else is the beginning
	from = min(max(from, 0), l.Total)
	to := min(from+studiesPerPage, l.Total)
	l.Studies = found[from:to]
	address := func(offset int) string {
		return "/?" + url.Values{"q": {l.Search}, "offset": {strconv.Itoa(max(offset, 0))}}.Encode()
	}
	if from > 0 {
		l.Previous = address(from - studiesPerPage)
	}
	if to < l.Total {
		l.Next = address(to)
	}
	d.showPage(w, r, http.StatusOK, "list", "Studies", l)
}
