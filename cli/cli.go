// Package cli is the command mahabo as a function, for programs that add methods of their
// own to it:
//
//	func main() { os.Exit(cli.Main(os.Args[1:], mine)) }
//
// is all of mahabo, minimize, studies, server and benchmarks, with one method more.
package cli

import (
	"github.com/mahabo/mahabo/internal/cli"
	"github.com/mahabo/mahabo/strategy"
)

// Main runs the command with the given arguments and methods beside the built-in ones, and
// returns the exit code: 0 done, 1 failed, 2 wrong usage or input, 130 interrupted.
func Main(args []string, own ...strategy.Method) int { return cli.Main(args, own...) }
