package study

import (
	"encoding/json"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// Event is one entry of a study's log. One of the pointers is set.
type Event struct {
	Seq  int64     `json:"-"` // place in the log, from 1 on
	Time time.Time `json:"time"`

	Created   *created   `json:"created,omitempty"`
	Asked     *asked     `json:"asked,omitempty"`
	Told      *told      `json:"told,omitempty"`
	Heartbeat *heartbeat `json:"heartbeat,omitempty"`
	Enqueued  *enqueued  `json:"enqueued,omitempty"`
	Retried   *retried   `json:"retried,omitempty"`
	Released  *released  `json:"released,omitempty"`
	Noted     *noted     `json:"noted,omitempty"`
	Imported  *imported  `json:"imported,omitempty"`
	Corrected *corrected `json:"corrected,omitempty"`
	Changed   *changed   `json:"changed,omitempty"`
	Stopped   *stopped   `json:"stopped,omitempty"`
}

// created is the first event of every log.
type created struct {
	Format int    `json:"format,omitzero"` // of the log; 0 before it was counted
	Config Config `json:"config"`

	Former json.RawMessage `json:"former,omitempty"` // studies before this one, of package former
}

// format is the format of the logs that are written.
//
//	0  suggestions have no tags
//	1  they have the tags of their methods
//	2  trials have several outcomes, some of them told later
//	3  trials are stopped by a rule, or their cost counts
//	4  former studies are known
//
// A study without declared outcomes, rule, cost and former studies is of format 1.
//
// A new kind of event does not change it: a version that does not know the kind refuses the
// log where it stands, and reads all logs without it.
const (
	format         = 4
	formatStopped  = 3
	formatOutcomes = 2
	formatOneValue = 1
)

// asked is a batch that was served.
type asked struct {
	RequestID string        `json:"request_id,omitempty"`
	Batch     int           `json:"batch"`
	Worker    string        `json:"worker,omitempty"`
	Expires   time.Time     `json:"lease_expires,omitzero"` // zero: never
	Served    []int         `json:"served,omitempty"`       // trials that were waiting or stale
	New       []Placed      `json:"new,omitempty"`          // points of the method
	ModelInfo               // how they were chosen
	Basis     int64         `json:"basis,omitzero"`    // place in the log up to which the method knew it
	Wanted    int           `json:"wanted,omitzero"`   // points that the method was asked for, if not as many as are new
	First     int           `json:"first,omitzero"`    // of its points that is new, from 0 on
	Fixed     *space.Params `json:"fixed,omitempty"`   // parameters the caller held
	Command   string        `json:"command,omitempty"` // that evaluates them, if it is another than before
}

// Placed is a new trial: its values and the point of the box that stands for
// them. The point is kept so that a replay does not depend on how a machine
// rounds logarithms.
type Placed struct {
	Number int            `json:"number,omitzero"`
	Params space.Params   `json:"params,omitzero"` // with the point in a table of its own, where the store has one
	Point  strategy.Point `json:"point,omitempty"`
	Tag    string         `json:"tag,omitempty"` // of the method that chose the point

	Predicted *Prediction `json:"predicted,omitempty"` // by the method that chose the point
}

// told holds outcomes that arrived together.
type told struct {
	Results []Finished `json:"results"`
}

// stopped holds trials that were ended early. What a trial reported is in a table of its own; of that the
// log has what methods learn.
type stopped struct {
	Results []halted `json:"results"`
}

// halted is a trial that was ended early.
type halted struct {
	Number   int       `json:"number"`
	Reason   string    `json:"reason,omitempty"`
	Cost     float64   `json:"cost,omitzero"`
	Seconds  float64   `json:"seconds,omitzero"`    // that the evaluation took
	Worker   string    `json:"worker,omitempty"`    // who evaluated it, if another than it was served to
	Last     *Reported `json:"last,omitempty"`      // its last report; nil: it has none
	CountsAs *float64  `json:"counts_as,omitempty"` // what methods take for its value; nil: nothing
	Std      float64   `json:"std,omitzero"`        // of that, 0 when it is not known
}

// heartbeat extends the lease of a running trial.
type heartbeat struct {
	Number  int       `json:"number"`
	Expires time.Time `json:"lease_expires,omitzero"`
}

// enqueued holds points that a user chose.
type enqueued struct {
	RequestID string   `json:"request_id,omitempty"`
	New       []Placed `json:"new"`
}

// retried sends a failed trial back to the queue.
type retried struct {
	Number int `json:"number"`
}

// released gives running trials back to the queue.
type released struct {
	Numbers []int `json:"numbers"`
}

// noted is a remark on a trial.
type noted struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

// imported holds trials evaluated before or elsewhere. Outcomes[i] and, where there are
// any, Notes[i] belong to New[i]. A corrected event behind it excludes those that do not count.
type imported struct {
	Digest   string             `json:"digest,omitempty"` // of the file and how it was read: the same is not imported twice
	New      []Placed           `json:"new"`
	Outcomes []evaluate.Outcome `json:"outcomes"`
	Notes    [][]string         `json:"notes,omitempty"`
}
