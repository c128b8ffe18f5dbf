package parallel

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

func TestForRunsEveryTaskOnce(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 7} {
		for _, tasks := range []int{0, 1, 3, 100} {
			runs := make([]atomic.Int32, tasks)
			busy := make([]atomic.Bool, max(threads, 1))
			For(threads, tasks, func(worker, i int) {
				if busy[worker].Swap(true) {
					t.Errorf("worker %d has two tasks at once", worker)
				}
				runs[i].Add(1)
				busy[worker].Store(false)
			})
			for i := range runs {
				if n := runs[i].Load(); n != 1 {
					t.Errorf("%d threads: task %d of %d ran %d times", threads, i, tasks, n)
				}
			}
		}
	}
}

// A panic on another goroutine would end the program.
func TestPanicsAreTheCallers(t *testing.T) {
	for bad := range 3 {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, "no such luck") || !strings.Contains(text, "parallel_test.go") {
					t.Errorf("task %d: the panic is %s", bad, text)
				}
			}()
			For(3, 3, func(_, i int) {
				if i == bad {
					panic("no such luck")
				}
			})
			t.Errorf("task %d: no panic", bad)
		}()
	}
}
