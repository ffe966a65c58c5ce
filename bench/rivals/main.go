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
