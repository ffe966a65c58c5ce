// Command rivals compares this library with others: it runs the same queries on the same scenes and prints
// the times. The command of the parent module runs it:
//
//	go run ./bench rivals -h
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/zoctree/zoctree/bench/internal/versus"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit code: 1 after a wrong result, 2 for an invalid command line.
func run(args []string, stdout, stderr io.Writer) int {
	var o versus.Options
	flags := flag.NewFlagSet("rivals", flag.ContinueOnError)
	flags.SetOutput(stderr)
	o.Declare(flags)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if err := o.Check(); err != nil {
		fmt.Fprintln(stderr, "rivals:", err)
		return 2
	}
	if err := newContest(o, stdout, stderr).run(); err != nil {
		fmt.Fprintln(stderr, "rivals:", err)
		return 1
	}
	return 0
}
