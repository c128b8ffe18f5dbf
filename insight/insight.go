// Package insight says what the trials of a study show: which parameters and directions
// matter, how well a model predicts, and whether to believe it.
package insight

import (
	"context"
	"encoding/json"

	"github.com/mahabo/mahabo/internal/insight"
	"github.com/mahabo/mahabo/study"
)

// Analyse returns what the trials show as the JSON object that the server answers with at
// GET /v1/studies/{study}/model and that `mahabo report --json` prints.
func Analyse(ctx context.Context, c study.Config, trials []study.Trial) (json.RawMessage, error) {
	review, err := insight.ReviewTrials(ctx, c, trials)
	if err != nil {
		return nil, err
	}
	return json.Marshal(review)
}
