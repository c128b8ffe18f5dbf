package study

import (
	"time"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/strategy"
)

// Event is one entry of a study's log. One of the pointers is set.
type Event struct {
	Seq  int64     `json:"-"` // place in the log, from 1 on
	Time time.Time `json:"time"`

	Created   *Created   `json:"created,omitempty"`
	Asked     *Asked     `json:"asked,omitempty"`
	Told      *Told      `json:"told,omitempty"`
	Heartbeat *Heartbeat `json:"heartbeat,omitempty"`
	Enqueued  *Enqueued  `json:"enqueued,omitempty"`
	Retried   *Retried   `json:"retried,omitempty"`
	Released  *Released  `json:"released,omitempty"`
	Noted     *Noted     `json:"noted,omitempty"`
	Imported  *Imported  `json:"imported,omitempty"`
}

// Created is the first event of every log.
type Created struct {
	Format int    `json:"format,omitzero"` // of the log; 0 before it was counted
	Config Config `json:"config"`
}

// Format is the format of the logs that are written.
//
//	0  suggestions have no tags
//	1  they have the tags of their methods
const Format = 1

// Asked is a batch that was served.
type Asked struct {
	RequestID string        `json:"request_id,omitempty"`
	Batch     int           `json:"batch"`
	Worker    string        `json:"worker,omitempty"`
	Expires   time.Time     `json:"lease_expires,omitzero"` // zero: never
	Served    []int         `json:"served,omitempty"`       // trials that were waiting or stale
	New       []Placed      `json:"new,omitempty"`          // points of the method
	ModelInfo               // how they were chosen
	Basis     int64         `json:"basis,omitzero"`  // place in the log up to which the method knew it
	Wanted    int           `json:"wanted,omitzero"` // points that the method was asked for, if not as many as are new
	First     int           `json:"first,omitzero"`  // of its points that is new, from 0 on
	Fixed     *space.Params `json:"fixed,omitempty"` // parameters the caller held
}

// Placed is a new trial: its values and the point of the box that stands for
// them. The point is kept so that a replay does not depend on how a machine
// rounds logarithms.
type Placed struct {
	Number int            `json:"number"`
	Params space.Params   `json:"params"`
	Point  strategy.Point `json:"point"`
	Tag    string         `json:"tag,omitempty"` // of the method that chose the point

	Predicted *Prediction `json:"predicted,omitempty"` // by the method that chose the point
}

// Told holds outcomes that arrived together.
type Told struct {
	Results []Finished `json:"results"`
}

// Heartbeat extends the lease of a running trial.
type Heartbeat struct {
	Number  int       `json:"number"`
	Expires time.Time `json:"lease_expires,omitzero"`
}

// Enqueued holds points that a user chose.
type Enqueued struct {
	RequestID string   `json:"request_id,omitempty"`
	New       []Placed `json:"new"`
}

// Retried sends a failed trial back to the queue.
type Retried struct {
	Number int `json:"number"`
}

// Released gives running trials back to the queue.
type Released struct {
	Numbers []int `json:"numbers"`
}

// Noted is a remark on a trial.
type Noted struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}

// Imported holds trials evaluated before or elsewhere. Outcomes[i] and, where there are
// any, Notes[i] belong to New[i].
type Imported struct {
	Digest   string     `json:"digest,omitempty"` // of the file and how it was read: the same is not imported twice
	New      []Placed   `json:"new"`
	Outcomes []Outcome  `json:"outcomes"`
	Notes    [][]string `json:"notes,omitempty"`
}
