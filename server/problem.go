package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/study"
)

// The types of problems that a program may want to tell apart.
const (
	problemNoStudy    = "urn:mahabo:no-such-study"
	problemNoTrial    = "urn:mahabo:no-such-trial"
	problemExists     = "urn:mahabo:study-exists"
	problemDiffers    = "urn:mahabo:study-differs"
	problemUsedID     = "urn:mahabo:request-id-used"
	problemConflict   = "urn:mahabo:outcome-conflict"
	problemLeaseLost  = "urn:mahabo:lease-lost"
	problemExhausted  = "urn:mahabo:space-exhausted"
	problemContention = "urn:mahabo:try-again"
)

// problem is an RFC 9457 problem.
func problem(status int, kind, detail string) *huma.ErrorModel {
	return &huma.ErrorModel{Type: kind, Title: http.StatusText(status), Status: status, Detail: detail}
}

// mostEcho bounds what a problem repeats of a request.
const mostEcho = 200

// shorten keeps a problem from sending a long request back.
func shorten(_ huma.Context, _ string, v any) (any, error) {
	p, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	for _, e := range p.Errors {
		if e != nil && len(fmt.Sprint(e.Value)) > mostEcho {
			e.Value = nil
		}
	}
	return p, nil
}

// reason says why a store is away, without what only its owner should know.
func reason(err error) string {
	var known *study.UnavailableError
	if errors.As(err, &known) {
		return study.ErrUnavailable.Error() + ": " + known.Reason
	}
	return study.ErrUnavailable.Error()
}

// explain turns an error of a study into the problem that a client gets. What a
// client cannot mend is logged and not shown.
func (s *Server) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var conflict *study.ConflictError
	var request *study.RequestError
	var status huma.StatusError
	is := func(target error) bool { return errors.Is(err, target) }
	switch {
	case errors.As(err, &status):
		return err
	case is(study.ErrNotFound):
		return problem(http.StatusNotFound, problemNoStudy, err.Error())
	case is(study.ErrNoTrial):
		return problem(http.StatusNotFound, problemNoTrial, err.Error())
	case is(study.ErrExists):
		return problem(http.StatusConflict, problemExists, err.Error())
	case is(study.ErrUsedID):
		return problem(http.StatusConflict, problemUsedID, err.Error())
	case errors.As(err, &conflict):
		return problem(http.StatusConflict, problemConflict, err.Error())
	case is(study.ErrLeaseLost):
		return problem(http.StatusConflict, problemLeaseLost, err.Error())
	case is(evaluate.ErrExhausted):
		return problem(http.StatusConflict, problemExhausted, err.Error())
	case errors.As(err, &request):
		return problem(http.StatusUnprocessableEntity, "", err.Error())
	case is(study.ErrUnavailable):
		s.log.ErrorContext(ctx, "the store is away", slog.String("request", requestID(ctx)), slog.Any("error", err))
		return problem(http.StatusServiceUnavailable, problemContention, reason(err)+": repeat the request with the same request_id")
	case is(study.ErrContention), is(errClosing):
		return problem(http.StatusServiceUnavailable, problemContention, err.Error())
	case is(context.DeadlineExceeded), is(context.Canceled):
		return problem(http.StatusServiceUnavailable, problemContention, "the request took too long: repeat it with the same request_id")
	}
	s.log.ErrorContext(ctx, "request failed", slog.String("request", requestID(ctx)), slog.Any("error", err))
	return problem(http.StatusInternalServerError, "", "something failed in the server; its log says more at request "+requestID(ctx))
}
