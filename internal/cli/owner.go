package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/study"
)

// lease is how long a run on another machine has to be silent before its trials are served
// to others. On the same machine it is enough that the process is gone.
const lease = 15 * time.Minute

// workerName names this process in a study.
func workerName() string {
	return fmt.Sprintf("minimize:%s:%d", hostname(), os.Getpid())
}

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}

// takeOver gives back what runs of this machine had open when they died, so that it is
// served again at once.
func takeOver(ctx context.Context, s *study.Study) error {
	trials, _, err := s.Select(ctx, study.Query{States: []evaluate.State{study.Running, study.Stale}})
	if err != nil {
		return err
	}
	prefix := fmt.Sprintf("minimize:%s:", hostname())
	for _, t := range trials {
		pid, mine := strings.CutPrefix(t.Worker, prefix)
		if !mine {
			continue
		}
		if n, err := strconv.Atoi(pid); err == nil && !alive(n) {
			if err := s.Release(ctx, t.Worker, t.Number); err != nil {
				return err
			}
		}
	}
	return nil
}

// alive says whether a process may be there.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return pid != os.Getpid() && !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
