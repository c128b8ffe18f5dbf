package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"github.com/mahabo/mahabo/internal/bench"
	"github.com/mahabo/mahabo/internal/queue"
)

// loginFlags say how a broker or a server lets one in.
type loginFlags struct {
	NatsCreds string `placeholder:"FILE" help:"Credentials for the broker, if it is a NATS cluster that wants some."`
	TokenFile string `placeholder:"FILE" help:"File with the token that the server wants, as mahabo token create printed it."`
}

// login is how the broker is reached. An embedded one wants the server's token, another its
// own credentials.
func (f *loginFlags) login(ctx context.Context, url string) (queue.TasksOptions, error) {
	o := queue.TasksOptions{URL: url, Version: version(), NATS: natsOptions(f.NatsCreds)}
	if f.NatsCreds != "" || strings.Contains(url, "@") {
		return o, nil
	}
	var err error
	o.Token, err = f.token(ctx)
	return o, err
}

// token is what the file holds, "" when there is none.
func (f *loginFlags) token(ctx context.Context) (string, error) {
	if f.TokenFile == "" {
		return "", nil
	}
	text, err := readFile(ctx, f.TokenFile, mostInput)
	if err != nil {
		return "", inFlag("--token-file", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \n{") {
		return "", usagef("--token-file: %s does not hold one token: write what mahabo token create printed into it", f.TokenFile)
	}
	return token, nil
}

// mostOffered bounds the trials that wait for workers at a time.
const mostOffered = 1000

// elsewhere has the trials of a benchmark run by workers.
func (c *benchRunCmd) elsewhere(ctx context.Context) (run bench.Execute, stop func(), err error) {
	o, err := c.login(ctx, c.Nats)
	if err != nil {
		return nil, nil, err
	}
	tasks, err := queue.OfferTasks(o)
	if err != nil {
		return nil, nil, usagef("--nats: %w", err)
	}
	return func(ctx context.Context, a bench.Assignment) (t bench.Trial, err error) {
		data, err := json.Marshal(a)
		if err == nil {
			data, err = tasks.Do(ctx, data)
		}
		if err == nil {
			err = json.Unmarshal(data, &t)
		}
		return t, err
	}, tasks.Close, nil
}

// workForBenchmarks runs trials of benchmarks that others offer, until it is interrupted.
func (c *workerCmd) workForBenchmarks(ctx context.Context, s streams) error {
	switch {
	case c.Nats == "":
		return usagef("--nats is missing: --bench gets its trials from the broker that mahabo bench run --nats offers them on")
	case c.Study != "" || len(c.Command) > 0:
		return usagef("--bench needs no study and no command: it runs the built-in methods on the built-in problems")
	case c.Slots < 1:
		return usagef("--slots is %d: at least one trial must be run at a time", c.Slots)
	}
	o, err := c.login(ctx, c.Nats)
	if err != nil {
		return err
	}
	err = queue.Work(ctx, queue.WorkOptions{
		TasksOptions: o, Slots: c.Slots, Log: slog.New(slog.NewTextHandler(s.err, nil)),
		Do: func(ctx context.Context, data []byte) ([]byte, error) { return c.runAssignment(ctx, s, data) },
	})
	if err != nil {
		return usagef("--nats: %w", err)
	}
	return interrupted("the worker was stopped; its trials go to others")
}

// runAssignment makes a trial.
func (c *workerCmd) runAssignment(ctx context.Context, s streams, data []byte) ([]byte, error) {
	var a bench.Assignment
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, err
	}
	t, err := a.Run(ctx, s.methods, version(), 1)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(t)
	switch {
	case err != nil || c.Quiet:
	case c.JSON:
		fmt.Fprintf(s.out, "%s\n", line)
	default:
		fmt.Fprintf(s.out, "%s, trial %d  %.6g  %s\n", a.Cell, a.Trial, t.Best, seconds(t.Seconds))
	}
	return line, err
}
