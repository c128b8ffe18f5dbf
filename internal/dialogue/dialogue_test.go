package dialogue

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test program plays the programs that it talks to.
func TestMain(m *testing.M) {
	if script := os.Getenv("DIALOGUE_SCRIPT"); script != "" {
		play(script)
		return
	}
	goleak.VerifyTestMain(m)
}

// play answers every line of input as a script says.
func play(script string) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, longestLine)
	for n := 1; lines.Scan(); n++ {
		switch script {
		case "echo":
			fmt.Println(lines.Text())
		case "crash":
			fmt.Fprintln(os.Stderr, "Traceback: no such module")
			os.Exit(3)
		case "hang":
			time.Sleep(time.Hour)
		case "garbage":
			fmt.Println("Welcome to the solver!")
		case "nan":
			fmt.Println(`{"value": NaN, "other": [-Infinity, Infinity], "text": "a \"NaN\" stays"}`)
		case "list":
			fmt.Println(`[1]`)
		case "noise":
			for i := range 1000 {
				fmt.Fprintln(os.Stderr, "step", i)
			}
			os.Exit(1)
		case "second":
			if n == 2 {
				os.Exit(0)
			}
			fmt.Println("{}")
		}
	}
}

func start(t *testing.T, script string, limit time.Duration) *Program {
	t.Helper()
	t.Setenv("DIALOGUE_SCRIPT", script)
	p, err := Start([]string{os.Args[0]}, limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestAnswers(t *testing.T) {
	p := start(t, "echo", time.Minute)
	for i := range 3 {
		var got struct{ N int }
		if err := p.Ask(t.Context(), map[string]int{"n": i}, &got); err != nil || got.N != i {
			t.Fatalf("answer %d is %v, %v", i, got, err)
		}
	}
	if p.CPU() <= 0 {
		t.Error("the program has taken no time")
	}
	long := strings.Repeat("x", 1<<20)
	var got struct{ Text string }
	if err := p.Ask(t.Context(), map[string]string{"text": long}, &got); err != nil || got.Text != long {
		t.Errorf("a long line: %v", err)
	}
}

func TestWhatGoesWrong(t *testing.T) {
	for _, c := range []struct {
		script string
		is     error
		says   []string
	}{
		{"crash", ErrEnded, []string{"exit status 3", "its standard error is\nTraceback: no such module"}},
		{"hang", ErrLate, []string{"300ms"}},
		{"garbage", ErrGarbage, []string{`"Welcome to the solver!"`, "standard error"}},
		{"list", ErrGarbage, []string{"[1]"}},
		{"noise", ErrEnded, []string{"ends with\n...", "step 999"}},
	} {
		t.Run(c.script, func(t *testing.T) {
			limit := time.Minute
			if c.script == "hang" {
				limit = 300 * time.Millisecond
			}
			p := start(t, c.script, limit)
			err := p.Ask(t.Context(), struct{}{}, &struct{}{})
			if !errors.Is(err, c.is) {
				t.Fatalf("error is %v", err)
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("the error lacks %q: %v", s, err)
				}
			}
			if len(err.Error()) > 3000 {
				t.Errorf("the error has %d characters", len(err.Error()))
			}
			if again := p.Ask(t.Context(), struct{}{}, &struct{}{}); again == nil || again.Error() != err.Error() {
				t.Errorf("asked again: %v", again)
			}
			select {
			case <-p.ended:
			default:
				t.Error("the program runs on")
			}
		})
	}
}

func TestEndBetweenAnswers(t *testing.T) {
	p := start(t, "second", time.Minute)
	if err := p.Ask(t.Context(), struct{}{}, &struct{}{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Ask(t.Context(), struct{}{}, &struct{}{}); !errors.Is(err, ErrEnded) {
		t.Errorf("error is %v", err)
	}
}

func TestNaNIsNull(t *testing.T) {
	p := start(t, "nan", time.Minute)
	got := struct {
		Value *float64
		Other []*float64
		Text  string
	}{}
	if err := p.Ask(t.Context(), struct{}{}, &got); err != nil || got.Value != nil || len(got.Other) != 2 || got.Other[0] != nil || got.Text != `a "NaN" stays` {
		t.Errorf("answer is %+v, %v", got, err)
	}
}

func TestCancel(t *testing.T) {
	p := start(t, "hang", time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := p.Ask(ctx, struct{}{}, &struct{}{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
}

func TestNoProgram(t *testing.T) {
	for _, argv := range [][]string{nil, {"/no/such/program"}} {
		if p, err := Start(argv, time.Minute); err == nil {
			p.Close()
			t.Errorf("%q started", argv)
		}
	}
}
