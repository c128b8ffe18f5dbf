package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/table"
	"github.com/mahabo/mahabo/study"
)

// readFormer reads the studies and files that a new study learns from.
func readFormer(ctx context.Context, st studies, from []string, c study.Config) (map[string][]study.Row, error) {
	if len(from) == 0 {
		return nil, nil
	}
	former := map[string][]study.Row{}
	for _, name := range from {
		rows, err := readOneFormer(ctx, st, name, c)
		if err != nil {
			return nil, err
		}
		key := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		if !isFile(name) {
			key = name
		}
		if _, twice := former[key]; twice {
			return nil, usagef("--from names %s twice", key)
		}
		former[key] = rows
	}
	return former, nil
}

// isFile says that a name of --from is that of a table.
func isFile(name string) bool { return strings.EqualFold(filepath.Ext(name), ".csv") }

func readOneFormer(ctx context.Context, st studies, name string, c study.Config) ([]study.Row, error) {
	if isFile(name) {
		data, err := readFile(ctx, name, table.MostBytes)
		if err != nil {
			return nil, err
		}
		rows, err := table.ReadFormer(data, c.Space)
		if err != nil {
			return nil, usagef("--from %s: %w", name, err)
		}
		return rows, nil
	}
	old, err := st.open(ctx, name)
	if errors.Is(err, study.ErrNotFound) {
		return nil, usagef("--from %s: there is no study of this name in the store; mahabo study list shows all, and a table has to end in .csv", name)
	}
	if err != nil {
		return nil, fmt.Errorf("--from %s: %w", name, err)
	}
	trials, _, err := old.Select(ctx, study.Query{States: []evaluate.State{evaluate.Complete}})
	if err != nil {
		return nil, fmt.Errorf("--from %s: %w", name, err)
	}
	return table.Former(trials, old.Config().Goal, c.Goal), nil
}

// formerText says what a new study learns from.
func formerText(from []string) string {
	if len(from) == 0 {
		return ""
	}
	return ", learning from " + strings.Join(from, " and ")
}
