// Command mahabo minimises expensive functions of tens to thousands of
// parameters and measures the methods that do so.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage or input (one line on standard
// error says what), 130 interrupted.
package main

import (
	"os"

	"github.com/mahabo/mahabo/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
