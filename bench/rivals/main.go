// Command rivals compares this library with others: it runs the same queries on the same scenes and prints
// the times. Its commands interest and classic are packages. The command of the parent module runs it:
//
//	go run ./bench help rivals rivals small rivals interest scaling classic
package main

import (
	"flag"
	"os"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/bench/rivals/classic"
	"github.com/zoctree/zoctree/bench/rivals/interest"
)

var commands = command.Set{
	{Name: "rivals", Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var o versus.Options
		o.Declare(flags)
		return func(e *command.Env) error {
			if err := o.Check(); err != nil {
				return command.Usage(err)
			}
			newComparison(o, e.Out, e.Errs).run()
			return nil
		}
	}},
	smallCommand, interest.Command, classic.Command,
}

func main() { os.Exit(commands.Run(os.Args[1:], os.Stdout, os.Stderr)) }
