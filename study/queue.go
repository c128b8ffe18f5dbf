package study

import "context"

// QueueWorker is the worker of the trials that are in a queue. Who evaluates them is
// the queue's to say.
const QueueWorker = "queue"

// Queue offers trials to workers that wait for them. Package queue has one. It only
// hands out work: a trial belongs to it while the store says that it runs and its
// worker is QueueWorker, and what comes of it goes into the store. A queue may deliver
// a trial more than once, and may lose all it has; then the trials are offered again.
type Queue interface {
	// Demands are received whenever workers begin to wait for trials of a study, and
	// now and then while they wait or work.
	Demands() <-chan Demand
	// Wanted returns how many trials workers wait for, less those on offer.
	Wanted(ctx context.Context, study string) (int, error)
	// Offer adds trials by their numbers. One that is there already stays as it is.
	Offer(ctx context.Context, study string, numbers ...int) error
	// Offered returns the trials that are on offer or with workers, in order.
	Offered(ctx context.Context, study string) ([]int, error)
	Close() error
}

// Demand says that workers wait for trials of a study, or work on them.
type Demand struct {
	Study string `json:"study"`
	Evals int    `json:"evals,omitzero"` // trials of the study that are enough; 0: none are
}
