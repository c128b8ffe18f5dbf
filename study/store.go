package study

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mahabo/mahabo/evaluate"
)

// Store keeps the logs of studies and the tables of trials derived from them.
// Package store has implementations, package store/storetest says what they have
// to keep. All methods may be called concurrently, from many processes too.
type Store interface {
	// Create begins a log with its first event, Seq 1. It returns ErrExists
	// when the name is taken. The id is new and never used again.
	Create(ctx context.Context, id, name string, created Event) error
	// Find returns the id of a study, or ErrNotFound.
	Find(ctx context.Context, name string) (id string, err error)
	// Names lists the studies in the order of their names.
	Names(ctx context.Context) ([]string, error)
	// Delete forgets a study, its log and its trials, or returns ErrNotFound.
	Delete(ctx context.Context, id string) error
	// Append adds events, at least one, to the end of the log and replaces the
	// changed trials, all or nothing, durably. It returns ErrMoved when the
	// first event's Seq is not the next place in the log, and ErrNotFound when
	// the study is gone. What the events and trials refer to is the store's from
	// then on: the caller does not change it.
	Append(ctx context.Context, id string, events []Event, changed []Trial) error
	// Events returns the log behind a place, in order, or ErrNotFound.
	Events(ctx context.Context, id string, after int64) ([]Event, error)
	// Trials returns one page of the table of trials, or ErrNotFound.
	Trials(ctx context.Context, id string, page Page) ([]Trial, error)
	Close() error
}

// Locker is a Store whose processes can take turns.
type Locker interface {
	// Lock takes the lock of a study for a time, for the first time or again. It
	// returns false when another holder has it, unless that ends many times the lease
	// ahead: then a clock was set back. It is no guarantee: clocks may differ.
	Lock(ctx context.Context, id, holder string, lease time.Duration) (bool, error)
	// Unlock gives the lock back, if the holder has it.
	Unlock(ctx context.Context, id, holder string) error
}

// Page is a part of the table of trials in the order of their numbers.
type Page struct {
	After int // only trials with higher numbers
	Limit int // at most so many; 0 for all
}

// What a store and a study answer.
var (
	ErrExists     = errors.New("a study of this name exists")
	ErrNotFound   = errors.New("no such study")
	ErrMoved      = errors.New("the log has moved on")
	ErrNoTrial    = errors.New("no such trial")
	ErrLeaseLost  = errors.New("the lease is lost")
	ErrOvertaken  = errors.New("another ask came first: draft again")
	ErrUsedID     = errors.New("this request_id was used for other points: choose a new one")
	ErrContention = errors.New("other processes kept writing to this study: try again")
	// ErrUnavailable says that a store is away. What was being written may be there or not;
	// to repeat it does no harm.
	ErrUnavailable = errors.New("the store does not answer")
)

// UnavailableError is an ErrUnavailable with a reason that everybody may see, and the error
// behind it, which may name files and addresses and stands for nothing else.
type UnavailableError struct {
	Reason string
	Err    error
	Gone   bool // it is a file that is not at its path any more: it comes back when somebody puts it there
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("%v: %s: %v", ErrUnavailable, e.Reason, e.Err)
}

func (e *UnavailableError) Unwrap() error { return ErrUnavailable }

// Prober is a Store that can say whether it keeps what is written.
type Prober interface {
	// Probe writes what changes nothing. It returns an UnavailableError when that fails.
	Probe(ctx context.Context) error
}

// ConflictError is an outcome that contradicts the one a trial has.
type ConflictError struct {
	Number    int
	Had, Told evaluate.Outcome
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("trial %d is %s already, it cannot become %s: to mend a mistake, correct it; to evaluate its point again, enqueue it",
		e.Number, text(e.Had), text(e.Told))
}

// RequestError is a request that cannot be met as it is: the caller has to
// change it.
type RequestError struct{ Err error }

func (e *RequestError) Error() string { return e.Err.Error() }

func (e *RequestError) Unwrap() error { return e.Err }

func requestf(format string, args ...any) error {
	return &RequestError{fmt.Errorf(format, args...)}
}
