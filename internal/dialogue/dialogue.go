// Package dialogue talks to a program in lines of JSON: one line to its standard input for
// every question, one line of its standard output for every answer.
//
// A program that ends, gives no answer in time or answers with anything else than one JSON
// object is ended, with its process group, and every later question fails. Errors have the
// end of what it wrote to its standard error. On Linux it ends with the process that started
// it, even when that is killed.
package dialogue

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	longestLine = 64 << 20        // bytes of an answer
	grace       = 2 * time.Second // to end when standard input is closed
)

// ErrLate says that a program gave no answer in time.
var ErrLate = errors.New("no answer in time")

// ErrEnded says that a program ended before it answered.
var ErrEnded = errors.New("the program ended")

// ErrGarbage says that an answer is not one JSON object.
var ErrGarbage = errors.New("not a JSON object")

// Program is a running program. It is asked from one goroutine.
type Program struct {
	name  string
	limit time.Duration // of an answer
	cmd   *exec.Cmd
	input io.WriteCloser
	lines chan line // of standard output; closed behind its end
	noise tail
	ended chan struct{} // closed when the program was waited for
	state error         // how it ended, then
	stop  sync.Once
	err   error // of the first question that failed
}

// line is one line of output, or why there is none.
type line struct {
	text []byte
	err  error
}

// Start runs a program. It must be closed, from the thread that started it: on Linux that
// thread's end is the program's.
func Start(argv []string, limit time.Duration) (*Program, error) {
	if len(argv) == 0 {
		return nil, errors.New("the command is empty: give a program and its arguments")
	}
	p := &Program{
		name: strings.Join(argv, " "), limit: limit, cmd: exec.Command(argv[0], argv[1:]...),
		lines: make(chan line, 1), ended: make(chan struct{}),
	}
	separate(p.cmd)
	var err error
	if p.input, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stderr = &p.noise
	p.cmd.WaitDelay = grace // a grandchild may hold the pipe of standard error
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	go p.follow(output)
	return p, nil
}

// follow hands the lines on and waits for the end.
func (p *Program) follow(output io.Reader) {
	defer close(p.ended)
	r := bufio.NewReader(output)
	for {
		text, err := readLine(r)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				p.lines <- line{err: err}
			}
			break
		}
		p.lines <- line{text: text}
	}
	_, _ = io.Copy(io.Discard, r)
	p.state = p.cmd.Wait()
	close(p.lines)
}

// readLine reads up to the next newline. The last line may do without.
func readLine(r *bufio.Reader) (text []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case err == nil || errors.Is(err, io.EOF) && len(text) > 0:
			return bytes.TrimSpace(text), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(text) > longestLine:
			return nil, fmt.Errorf("a line of more than %d bytes: %w", longestLine, ErrGarbage)
		}
	}
}

// Ask sends a question and reads the answer into a pointer.
func (p *Program) Ask(ctx context.Context, question, answer any) error {
	if p.err != nil {
		return p.err
	}
	data, err := json.Marshal(question)
	if err != nil {
		return err
	}
	sent := make(chan struct{})
	go func() { // a program that reads nothing must not hold up its limit
		defer close(sent)
		_, _ = p.input.Write(append(data, '\n'))
	}()
	err = p.read(ctx, answer)
	select { // a failure has closed the pipe
	case <-sent:
	case <-time.After(p.limit):
		err = p.fail(fmt.Errorf("%w: it answers without reading", ErrGarbage))
		<-sent
	}
	return err
}

// Read reads a line that was not asked for into a pointer.
func (p *Program) Read(ctx context.Context, answer any) error {
	if p.err != nil {
		return p.err
	}
	return p.read(ctx, answer)
}

func (p *Program) read(ctx context.Context, answer any) error {
	late := time.NewTimer(p.limit)
	defer late.Stop()
	for {
		select {
		case l, ok := <-p.lines:
			switch {
			case !ok:
				return p.fail(p.end())
			case l.err != nil:
				return p.fail(l.err)
			case len(l.text) == 0:
				continue
			}
			if err := decode(l.text, answer); err != nil {
				return p.fail(err)
			}
			return nil
		case <-late.C:
			return p.fail(fmt.Errorf("%w: it had %v", ErrLate, p.limit))
		case <-ctx.Done():
			return p.fail(ctx.Err())
		}
	}
}

// end says how the program ended.
func (p *Program) end() error {
	if p.state == nil {
		return ErrEnded
	}
	return fmt.Errorf("%w: %w", ErrEnded, p.state)
}

// decode reads one JSON object. The NaN and Infinity that some languages write are null.
func decode(text []byte, answer any) error {
	if !json.Valid(text) {
		text = withoutNaN(text)
	}
	if len(text) == 0 || text[0] != '{' || !json.Valid(text) {
		return fmt.Errorf("it answered %s: %w; print one JSON object for every question, and all else to standard error", shorten(text), ErrGarbage)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("it answered %s: %w", shorten(text), err)
	}
	return nil
}

// withoutNaN replaces the words NaN, Infinity and -Infinity outside of strings.
func withoutNaN(text []byte) []byte {
	var out []byte
	quoted := false
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch {
		case quoted && text[i] == '\\' && i+1 < len(text):
			out = append(out, text[i])
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted:
			for _, word := range []string{"-Infinity", "Infinity", "NaN"} {
				if bytes.HasPrefix(rest, []byte(word)) {
					out = append(out, "null"...)
					i += len(word)
					break
				}
			}
			if i >= len(text) {
				return out
			}
		}
		out = append(out, text[i])
	}
	return out
}

// shorten quotes the beginning of a line.
func shorten(text []byte) string {
	const most = 120
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most])
	}
	return fmt.Sprintf("%q", text)
}

// fail ends the program and keeps why.
func (p *Program) fail(err error) error {
	p.kill()
	p.err = fmt.Errorf("%s: %w%s", p.name, err, p.noise.quote())
	return p.err
}

// kill ends the program's group and waits for it.
func (p *Program) kill() {
	p.stop.Do(func() {
		end(p.cmd)
		_ = p.input.Close()
		for range p.lines { // until follow is through
		}
	})
	<-p.ended
}

// Close ends the program: it has a moment after the end of its input.
func (p *Program) Close() {
	_ = p.input.Close()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	for {
		select {
		case _, more := <-p.lines:
			if more {
				continue
			}
		case <-timer.C:
		}
		p.kill() // and what it has started
		return
	}
}

// CPU is a clock of the time that the program's own process spends, in all its threads, where
// the system tells; else it is that of the wall.
func (p *Program) CPU() time.Duration { return cpuTime(p.cmd.Process.Pid) }

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
	cut  bool
}

const longestTail = 2000 // bytes

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if extra := len(t.text) - longestTail; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
		t.cut = true
	}
	return len(b), nil
}

// quote is the end of an error message.
func (t *tail) quote() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.text), "?"))
	switch {
	case text == "":
		return ""
	case t.cut:
		return "; its standard error ends with\n..." + text
	}
	return "; its standard error is\n" + text
}
