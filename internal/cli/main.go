// Package cli is the command mahabo: flags and wiring.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/mahabo/mahabo"
	"github.com/mahabo/mahabo/internal/bench"
	"github.com/mahabo/mahabo/strategy"
)

// What the commands use when a flag is not given.
const (
	defaultMethod = mahabo.DefaultMethod
	defaultEvals  = 500
	defaultTrials = 20
)

const (
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// cli is the tree of commands.
type cli struct {
	ShowVersion kong.VersionFlag `name:"version" short:"v" help:"Print the version and exit."`

	Minimize minimizeCmd `cmd:"" set:"served=" help:"Minimise what a command, a person or a built-in problem evaluates."`
	Study    studyCmd    `cmd:"" help:"Create, list, show, delete, export and import studies."`
	Ask      askCmd      `cmd:"" help:"Get trials of a study to evaluate."`
	Tell     tellCmd     `cmd:"" help:"Record what came of a trial."`
	Best     bestCmd     `cmd:"" help:"Print the best point of a study."`
	Front    frontCmd    `cmd:"" help:"Print the front of a study with several objectives."`

	Trials    trialsCmd    `cmd:"" help:"List the trials of a study."`
	Enqueue   enqueueCmd   `cmd:"" help:"Add points of your own to a study, to be evaluated next."`
	Retry     retryCmd     `cmd:"" help:"Have failed or stopped trials evaluated again."`
	Step      stepCmd      `cmd:"" help:"Report what a running trial has reached at a step, or list what it has reported."`
	Heartbeat heartbeatCmd `cmd:"" help:"Extend the leases of trials that are being evaluated."`
	Release   releaseCmd   `cmd:"" help:"Give back trials that will not be evaluated."`
	Note      noteCmd      `cmd:"" help:"Add a remark to a trial."`
	Correct   correctCmd   `cmd:"" help:"Mend what was recorded of a trial; exclude or include it."`

	Report reportCmd `cmd:"" help:"Show what a study's data say, as a page or JSON."`
	Serve  serveCmd  `cmd:"" set:"served=" help:"Offer the studies of a store over HTTP."`
	Worker workerCmd `cmd:"" help:"Evaluate trials of a server with a program."`
	Token  tokenCmd  `cmd:"" help:"Make, list and revoke the tokens of a server."`

	Methods  methodsCmd  `cmd:"" help:"List the methods and their options."`
	Problems problemsCmd `cmd:"" help:"List the built-in problems."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
	Licenses licensesCmd `cmd:"" help:"Print the licences of mahabo and of what it contains."`
	Bench    benchCmd    `cmd:"" help:"Measure methods on problems."`
}

// streams are where a command reads and writes, results to out, progress, notes and
// questions to err, and the methods it knows.
type streams struct {
	in       io.Reader
	out, err io.Writer
	methods  *strategy.Registry
}

// Main runs the command with methods beside the built-in ones and returns its exit code.
func Main(args []string, own ...strategy.Method) int {
	registry, err := mahabo.Methods(own...)
	if err != nil {
		return fail(err)
	}
	collectLater()
	return run(args, registry)
}

func run(args []string, registry *strategy.Registry) int {
	if len(args) > 0 && args[0] == "help" { // mahabo help bench run
		args = append(slices.Clone(args[1:]), "--help")
	}
	command, err := parse(reflect.New(called(reflect.TypeFor[cli](), args)).Interface(), args)
	if err != nil { // said with all commands in view
		command, err = parse(&cli{}, args)
	}
	if err != nil {
		return fail(err)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	command.BindTo(ctx, (*context.Context)(nil))
	return fail(command.Run(streams{os.Stdin, os.Stdout, os.Stderr, registry}))
}

// called is a tree of commands with the one that is called and no others: to look at all flags of all
// commands takes longer than many commands do. Help shows the whole tree.
func called(tree reflect.Type, args []string) reflect.Type {
	if len(args) == 0 || slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		return tree
	}
	var fields []reflect.StructField
	found := false
	for f := range tree.Fields() {
		_, command := f.Tag.Lookup("cmd")
		if command && strings.ToLower(f.Name) != args[0] {
			continue
		}
		if command {
			f.Type, found = called(f.Type, args[1:]), true
		}
		fields = append(fields, f)
	}
	if !found {
		return tree
	}
	return reflect.StructOf(fields)
}

// parse reads a command line by a tree of commands.
func parse(tree any, args []string) (*kong.Context, error) {
	parser, err := kong.New(tree,
		kong.Name("mahabo"),
		kong.Description("Bayesian optimisation with tens to thousands of parameters."),
		kong.Vars{
			"version": versionLine(), "default_method": defaultMethod,
			"default_evals": strconv.Itoa(defaultEvals), "default_trials": strconv.Itoa(defaultTrials),
			"default_init": strconv.Itoa(strategy.DefaultInit),
			"served":       ", or http://HOST:PORT, a server (its token in MAHABO_TOKEN)", // not for commands that need the store itself
		},
		kong.WithHyphenPrefixedParameters(true), // so that a negative number reaches its own check
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
	)
	if err != nil {
		return nil, err
	}
	command, err := parser.Parse(args)
	if err != nil {
		return nil, usagef("%s%s (see %s --help)", plain(err.Error()), missingUnit(err), commandOf(err))
	}
	return command, givenTwice(command)
}

// givenTwice refuses what was measured of which only the last would count, and a name with two values. Settings may be overridden, as
// scripts do.
func givenTwice(command *kong.Context) error {
	at := command.Selected()
	measured := at != nil && (at.Name == "tell" || at.Name == "correct")
	given := map[*kong.Flag]int{}
	for _, at := range command.Path {
		if at.Flag == nil || at.Flag.IsSlice() || at.Flag.IsBool() {
			continue
		}
		given[at.Flag]++
		switch n := given[at.Flag]; {
		case at.Flag.IsMap() && n > at.Flag.Target.Len():
			return usagef("--%s is given twice for one name: leave out one of them", at.Flag.Name)
		case measured && !at.Flag.IsMap() && at.Flag.Name != "store" && n > 1:
			return usagef("--%s is given twice: leave out one of them", at.Flag.Name)
		}
	}
	return nil
}

// missingUnit suggests a duration for one that is only a number.
func missingUnit(err error) string {
	if m := regexp.MustCompile(`missing unit in duration "([0-9.]+)"`).FindStringSubmatch(err.Error()); m != nil {
		return fmt.Sprintf(": write %ss for seconds, %sm for minutes or %sh for hours", m[1], m[1], m[1])
	}
	return ""
}

// commandOf names the command that a command line was meant for, as far as it was understood.
func commandOf(err error) string {
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context.Selected() != nil {
		return wrong.Context.Selected().FullPath()
	}
	return "mahabo"
}

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// interrupted says how far a run came before Ctrl-C.
type interrupted string

func (e interrupted) Error() string { return string(e) }

// fail reports an error and returns the exit code that goes with it.
func fail(err error) int {
	if err == nil {
		return 0
	}
	code := exitFailed
	var usage usageError
	var input *bench.InputError
	var stopped interrupted
	switch {
	case errors.As(err, &usage), errors.As(err, &input):
		code = exitUsage
	case errors.As(err, &stopped):
		code = exitInterrupted
	}
	message := err.Error()
	if code == exitUsage {
		message = strings.ReplaceAll(message, "\n", " ")
	}
	fmt.Fprintln(os.Stderr, "mahabo:", message)
	return code
}
