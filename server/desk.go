package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/mahabo/mahabo/study"
)

// desk is where the asks of a study queue.
type desk struct {
	study *study.Study
}

func startDesk(one *study.Study, _ *bell, _ time.Duration, _ *metrics, _ *slog.Logger) *desk {
	return &desk{study: one}
}

func (d *desk) ask(ctx context.Context, r study.AskRequest) (study.Batch, error) {
	return d.study.Ask(ctx, r)
}

func (d *desk) close() {}
