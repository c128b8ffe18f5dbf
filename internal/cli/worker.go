package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/mahabo/mahabo/command"
	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/queue"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/worker"
)

type workerCmd struct {
	Server string `placeholder:"URL" help:"Server that has the study, as http://localhost:8080."`
	Study  string `placeholder:"NAME" help:"Study to evaluate trials of."`
	Nats   string `placeholder:"URL" help:"Broker of the server, as nats://localhost:4222, to get trials from. Without it the server is asked."`
	Bench  bool   `help:"Run trials of benchmarks, which mahabo bench run --nats offers on the broker, instead of a study's."`
	Slots  int    `default:"1" placeholder:"K" help:"Trials to evaluate at a time (${default})."`
	loginFlags
	Evals      int           `default:"0" placeholder:"N" help:"End when the study has N trials with an outcome, whoever evaluated them (0: go on until interrupted)."`
	Timeout    time.Duration `placeholder:"T" help:"Longest evaluation, as 30m; the trial fails after that. Without it there is no limit."`
	KeepOutput string        `placeholder:"DIR" help:"Keep what the command prints in DIR, as N.out and N.err for trial N."`
	programFlags
	Lease   time.Duration `default:"1m" placeholder:"T" help:"How long the server waits for a sign of life before others get the trials (${default}); a tenth of the time that a trial has run, if that is longer."`
	Drain   bool          `help:"On the first Ctrl-C finish the running trials; on the second give them back."`
	Name    string        `placeholder:"NAME" help:"Name of this worker in the study, which no other may have; made of the host's when it is left out."`
	JSON    bool          `name:"json" help:"Print one JSON object per trial."`
	Quiet   bool          `short:"q" help:"Print nothing per trial."`
	Command []string      `arg:"" optional:"" help:"After --: the program to evaluate with and its arguments."`
}

// Help is the long help.
func (*workerCmd) Help() string {
	return `Examples:

  mahabo worker --server http://localhost:8080 --study rig -- ./simulate --rate {rate}
  mahabo worker --server http://keeper:8080 --nats nats://keeper:4222 --study rig --slots 8 -- ./simulate
  mahabo worker --nats nats://keeper:4222 --bench --slots 8
  mahabo worker --server https://rig.example.org --token-file token --study rig --slots 8 --evals 500 -- python3 train.py

The command gets the parameters as one JSON object on standard input, and {name} in its arguments is the value of a parameter. Its last line on standard output is the value, or a JSON object with "value"; another exit code than 0 is a failed trial, and the end of what the command wrote is kept with it.

Any number of workers on any machines can share a study. A worker that cannot reach its server goes on trying and loses nothing. Ctrl-C ends the running commands and gives their trials back; the trials of a worker that dies are given to others when the lease has run out.`
}

// Run evaluates trials until it is interrupted or there are enough.
func (c *workerCmd) Run(ctx context.Context, s streams) error {
	switch {
	case c.Bench:
		return c.workForBenchmarks(ctx, s)
	case c.Server == "":
		return usagef("--server is missing: name the server that has the study, as http://localhost:8080")
	case c.Study == "":
		return usagef("--study is missing: name the study to evaluate trials of")
	case len(c.Command) == 0:
		return usagef("the command is missing: write it after --, as in -- ./simulate {rate}")
	}
	token, err := c.token(ctx)
	if err != nil {
		return err
	}
	o := worker.Options{
		Server: c.Server, Token: token, Study: c.Study, Name: c.name(), Slots: c.Slots, Lease: c.Lease, Evals: c.Evals,
		Log: slog.New(slog.NewTextHandler(s.err, nil)), OnResult: c.printer(s),
		Evaluator: func(sp *space.Space) (evaluate.Evaluator, error) {
			program, err := command.New(sp, c.Command, command.Options{Timeout: c.Timeout, Grace: c.Grace, KeepOutput: c.KeepOutput, Checkpoints: c.checkpoints(c.Study)})
			if err != nil {
				return nil, usageError{err}
			}
			return program, nil
		},
	}
	if err := o.Validate(); err != nil {
		return usageError{err}
	}
	if c.Nats != "" {
		login, err := c.login(ctx, c.Nats)
		if err != nil {
			return err
		}
		o.Broker, o.BrokerToken, o.BrokerOptions = c.Nats, login.Token, login.NATS
	}
	hard, release := ctx, func() {}
	switch {
	case c.Drain:
		hard, release = secondInterrupt(ctx, s.err)
		o.Stop = ctx.Done()
	case !signal.Ignored(syscall.SIGHUP): // the end of the terminal: programs in groups of their own would go on
		hard, release = signal.NotifyContext(ctx, syscall.SIGHUP)
	}
	defer release()
	err = worker.Run(hard, o)
	var problem *worker.Problem
	switch {
	case errors.As(err, &problem) && problem.Status < 500, errors.Is(err, queue.ErrRefused):
		return usageError{err}
	case errors.Is(err, queue.ErrUnreachable):
		return usagef("--nats: %w", err)
	case err == nil && (ctx.Err() != nil || hard.Err() != nil):
		return interrupted("the worker was stopped; its trials were given back")
	}
	return err
}

// name is unique: a worker only gives back what is its own.
func (c *workerCmd) name() string {
	if c.Name != "" {
		return c.Name
	}
	return fmt.Sprintf("worker:%s:%d:%s", hostname(), os.Getpid(), strings.ToLower(rand.Text()[:4]))
}

// printer shows what came of a trial.
func (c *workerCmd) printer(s streams) func(evaluate.Result) {
	switch {
	case c.JSON:
		encoder := json.NewEncoder(s.out)
		return func(r evaluate.Result) {
			_ = encoder.Encode(newWorkerLine(r)) // nobody reads any more
		}
	case c.Quiet:
		return nil
	}
	return func(r evaluate.Result) {
		found := fmt.Sprintf("%.6g", r.Value)
		if r.State != evaluate.Complete {
			found = fmt.Sprintf("%s: %s", r.State, r.Reason)
		}
		fmt.Fprintf(s.out, "trial %d  %s  %s\n", r.Number, found, seconds(r.Ended.Sub(r.Started).Seconds()))
	}
}

// workerLine is the JSON output of one trial.
type workerLine struct {
	Number  int            `json:"number"`
	State   evaluate.State `json:"state"`
	Value   *float64       `json:"value,omitempty"` // of a complete trial
	Std     float64        `json:"std,omitzero"`
	Reason  string         `json:"reason,omitempty"`
	Seconds float64        `json:"seconds"`
}

func newWorkerLine(r evaluate.Result) workerLine {
	line := workerLine{Number: r.Number, State: r.State, Std: r.Std, Reason: r.Reason, Seconds: r.Ended.Sub(r.Started).Seconds()}
	if r.State == evaluate.Complete {
		line.Value = &r.Value
	}
	return line
}
