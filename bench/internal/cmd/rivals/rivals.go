// Package rivals implements the command bench rivals, which runs the same queries on other libraries.
package rivals

import (
	"flag"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/nested"
	"github.com/zoctree/zoctree/bench/internal/versus"
)

// Command is bench rivals.
var Command = command.Command{
	Name:  "rivals",
	Short: "the same scenes and queries on other Go libraries and classic octrees",
	Long: `
Runs the same queries and changes on this library and its rivals, in the same scenes, and
prints a table of each scene: the time of builds, queries, moves and pairs, the
memory, and the cost of a garbage collection with the structure on the heap. Results are
compared before they are timed. Everything runs on one goroutine. At the end it
lists the rows in which a rival leads.

The rivals are libraries that a Go program could use instead, three octrees
after their publications, and a slice that is searched from end to end. They are
in a module of their own, bench/rivals, which this command builds and runs. It needs
the source tree, the go command, and, the first time, the network or a module proxy.

  go run ./bench rivals
  go run ./bench rivals -n 1M
  go run ./bench rivals -n 100k -scenes city -only tidwall,piko -rows box,ray
  go run ./bench rivals -format markdown` + command.AboutOutput,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var o versus.Options
		o.Declare(flags)
		return func(e *command.Env) error {
			if err := o.Check(); err != nil {
				return command.Usage(err)
			}
			var args []string
			flags.Visit(func(f *flag.Flag) { args = append(args, "-"+f.Name+"="+f.Value.String()) })
			return nested.Run("rivals", ".", args, e.Out, e.Errs)
		}
	},
}
