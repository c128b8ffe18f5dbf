package strategy

import "errors"

func mahaMethod() Method {
	return Method{
		Name:      "maha",
		Summary:   "learns a low-dimensional linear structure (Mahalanobis kernel), queries in the full space (EST + k-DPP)",
		Reference: "Horiguchi, Iwata, Tsuzuki & Ozawa 2022",
		Batch:     true,
		Options: []Option{
			{"d", "1", "embedding dimension: a number, or true for the problem's own"},
			{"fit", "adam", "adam (10 restarts, as the paper) or lbfgs (one cold start, another and often better method)"},
			{"quirks", "false", "true: follow the authors' program where it differs from the paper's text"},
		},
		build: func(cfg Config, s settings) (Strategy, error) { return nil, errors.New("under construction") },
	}
}
