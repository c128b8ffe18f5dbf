package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/live"
	"github.com/mahabo/mahabo/space"
)

// Options says how the program is run. The zero value is fine.
type Options struct {
	Timeout    time.Duration // of one evaluation; 0 for none
	Grace      time.Duration // between SIGTERM and SIGKILL; 0 for defaultGrace
	Dir        string        // working folder; "" for the current one
	Env        []string      // key=value pairs in addition to the environment
	KeepOutput string        // folder for N.out and N.err of every trial N; "" for none

	// Checkpoints is a folder in which every trial N gets one of its own, N, named by MAHABO_CHECKPOINT in its
	// environment. When the trial is evaluated again, by any process that shares the folder, it finds it as it was. ""
	// for none.
	Checkpoints string
}

// defaultGrace is the time a program has to end when it is asked to.
const defaultGrace = 5 * time.Second

// Command is a program as an objective.
type Command struct {
	path string
	args []template
	opt  Options

	outcomes map[string]bool // by the names that the space declares, whether they are needed; nil without any
}

var _ evaluate.Evaluator = (*Command)(nil)

// New checks the program and the placeholders of its arguments against the parameters of
// a space.
func New(s *space.Space, argv []string, o Options) (*Command, error) {
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("the command is empty: give a program and its arguments")
	}
	if o.Timeout < 0 || o.Grace < 0 {
		return nil, fmt.Errorf("Timeout is %v and Grace %v: they cannot be negative", o.Timeout, o.Grace)
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	c := &Command{opt: o}
	var err error
	if c.path, err = find(argv[0], o.Dir); err != nil {
		return nil, err
	}
	var names []string
	for _, p := range s.Params() {
		names = append(names, p.Name)
	}
	for _, o := range s.Outcomes() {
		if c.outcomes == nil {
			c.outcomes = map[string]bool{}
		}
		c.outcomes[o.Name] = o.Goal != "" || o.AtMost != nil || o.AtLeast != nil
	}
	for i, arg := range argv[1:] {
		t, err := parseTemplate(arg, names)
		if err != nil {
			return nil, fmt.Errorf("argument %d of the command: %w", i+1, err)
		}
		c.args = append(c.args, t)
	}
	if o.KeepOutput != "" {
		if err := os.MkdirAll(o.KeepOutput, 0o755); err != nil {
			return nil, fmt.Errorf("KeepOutput: %w", err)
		}
	}
	return c, nil
}

// find returns the absolute path of a program. A path with a separator is relative to
// dir.
func find(program, dir string) (string, error) {
	if filepath.Base(program) != program && !filepath.IsAbs(program) {
		program = filepath.Join(dir, program)
		if !filepath.IsAbs(program) {
			program = "." + string(filepath.Separator) + program
		}
	}
	path, err := exec.LookPath(program)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("the command cannot be run: %w: make it executable with chmod +x", err)
	case err != nil:
		return "", fmt.Errorf("the command cannot be run: %w", err)
	}
	return filepath.Abs(path)
}

// Evaluate runs the program for the values of a trial. It returns an error when the
// program cannot be run at all or ctx is done.
func (c *Command) Evaluate(ctx context.Context, number int, v space.Params) (evaluate.Outcome, error) {
	input, err := json.Marshal(v)
	if err != nil {
		return evaluate.Outcome{}, err
	}
	args := make([]string, len(c.args))
	for i, t := range c.args {
		if args[i], err = t.fill(number, v); err != nil {
			return evaluate.Outcome{}, err
		}
	}
	r := &execution{}
	if err := r.keep(c.opt.KeepOutput, number); err != nil {
		return evaluate.Outcome{}, err
	}
	dir, leave, err := c.folder(number)
	if err != nil {
		return evaluate.Outcome{}, errors.Join(err, r.close())
	}
	if dir != "" {
		r.env = []string{checkpointVariable + "=" + dir}
	}
	runErr := c.run(ctx, args, append(input, '\n'), r)
	leave()
	if err := errors.Join(ctx.Err(), r.close()); err != nil {
		return evaluate.Outcome{}, err
	}
	if errors.Is(runErr, errStop) {
		return evaluate.Outcome{State: evaluate.Stopped, Reason: r.stop}, nil
	}
	return r.outcome(runErr, c.outcomes)
}

// errTimeout is the cause of an evaluation's end when its time is over.
var errTimeout = errors.New("timeout")

// run executes the program once.
func (c *Command) run(ctx context.Context, args []string, input []byte, r *execution) error {
	if c.opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.opt.Timeout, errTimeout)
		defer cancel()
	}
	send := live.From(ctx)
	whole := context.WithoutCancel(ctx) // what was reported is kept
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	cmd := exec.CommandContext(ctx, c.path, args...)
	cmd.Dir = c.opt.Dir
	if len(c.opt.Env)+len(r.env) > 0 {
		cmd.Env = slices.Concat(cmd.Environ(), c.opt.Env, r.env)
	}
	cmd.Stdin = bytes.NewReader(input)
	var reports *follower
	if send != nil {
		reports = follow(whole, send, c.outcomes, end)
	}
	cmd.Stdout = r.writer(&r.stdout, r.outFile)
	if reports != nil {
		cmd.Stdout = io.MultiWriter(cmd.Stdout, reports)
	}
	cmd.Stderr = r.writer(&r.stderr, r.errFile)
	cmd.Cancel = func() error { return terminate(cmd) }
	cmd.WaitDelay = c.opt.Grace
	separate(cmd)
	runtime.LockOSThread() // a program may end with the thread that started it
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		if reports != nil {
			reports.close()
		}
		return &startError{err}
	}
	err := cmd.Wait()
	late := err != nil && ctx.Err() != nil
	if reports != nil {
		r.stop = reports.close()
	}
	// A group keeps its number while it has members, also without its leader: what a failed
	// program leaves behind ends too.
	if err != nil {
		kill(cmd)
	}
	if late && errors.Is(context.Cause(ctx), errStop) {
		return errStop
	}
	if late && errors.Is(context.Cause(ctx), errTimeout) {
		return fmt.Errorf("it was ended after %v: %w", c.opt.Timeout, errTimeout)
	}
	return err
}

// startError says that the program could not be started.
type startError struct{ error }

func (e *startError) Unwrap() error { return e.error }

// execution is one run of the program.
type execution struct {
	stdout           lastLine
	stderr           tail
	outFile, errFile *os.File // nil when output is not kept
	env              []string
	stop             string // why the trial should end
}

// keep opens the files for a trial's output. A repeated trial appends.
func (r *execution) keep(dir string, number int) (err error) {
	if dir == "" {
		return nil
	}
	if r.outFile, err = openToAppend(filepath.Join(dir, fmt.Sprintf("%d.out", number))); err != nil {
		return fmt.Errorf("KeepOutput: %w", err)
	}
	if r.errFile, err = openToAppend(filepath.Join(dir, fmt.Sprintf("%d.err", number))); err != nil {
		return errors.Join(fmt.Errorf("KeepOutput: %w", err), r.outFile.Close())
	}
	return nil
}

// openToAppend opens a file that is one: whoever can write to the folder must not lead output
// elsewhere by a link.
func openToAppend(name string) (*os.File, error) {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is a link or no plain file: remove it, or name another folder", name)
	}
	return os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND|noFollow, 0o644)
}

func (r *execution) writer(w io.Writer, file *os.File) io.Writer {
	if file == nil {
		return w
	}
	return io.MultiWriter(w, file)
}

func (r *execution) close() error {
	if r.outFile == nil {
		return nil
	}
	return errors.Join(r.outFile.Close(), r.errFile.Close())
}

// outcome judges a run that has ended with err.
func (r *execution) outcome(err error, names map[string]bool) (evaluate.Outcome, error) {
	var start *startError
	var exit *exec.ExitError
	switch {
	case errors.As(err, &start):
		return evaluate.Outcome{}, fmt.Errorf("the command cannot be run: %w", start.error)
	case errors.As(err, &exit):
		return r.exited(exit), nil
	case errors.Is(err, exec.ErrWaitDelay): // it ended well and left a process behind
	case err != nil:
		return r.failure(err.Error()), nil
	}
	line, long := r.stdout.last()
	switch {
	case len(line) == 0:
		return r.failure("it printed nothing on standard output"), nil
	case long:
		return r.failure(fmt.Sprintf("its last line is longer than %d bytes", maxLine)), nil
	}
	o, err := parseResult(line, names)
	if err != nil {
		return r.failure(err.Error()), nil
	}
	return o, nil
}

// exited is the outcome of a program that ended with "exit status 3" or "signal: killed".
// What it says is the end of standard error, or else of standard output.
func (r *execution) exited(exit *exec.ExitError) evaluate.Outcome {
	reason := exit.String()
	if line, _ := r.stdout.last(); len(r.stderr.bytes) == 0 && len(line) > 0 {
		reason += ": its last line is " + quote(line)
	}
	return r.failure(reason)
}

// failure adds the end of standard error to a reason.
func (r *execution) failure(reason string) evaluate.Outcome {
	if said := r.stderr.lines(); said != "" {
		reason += ": " + said
	}
	return evaluate.Outcome{State: evaluate.Failed, Reason: reason}
}
