// Package interest implements the command bench interest, which measures interest management.
package interest

import (
	"flag"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/nested"
	"github.com/zoctree/zoctree/bench/internal/versus"
)

// Command is bench interest.
var Command = command.Command{
	Name:  "interest",
	Short: "interest management for many viewers: a tracker compared with sort, map and bitmaps",
	Long: `
Measures interest management. Objects drift, one in a hundred in each frame, and each viewer's box holds about 398 of
them: all viewers walk, a tenth, or none. Each frame is processed by

  tracker   interest.Tracker, which also reports changed objects
  query     the queries alone, which report no changes
  sort      the queries, each sorted and merged with the last one
  map       the queries, each looked up in a set of the last one
  naive     the queries, each looked up in the list of the last one
  roaring   the queries, each a roaring bitmap, and AND NOT of it and the last one both ways

on one goroutine, with the same frames, interleaved; the changes that they report are compared. The table has
medians and minima of a frame in milliseconds, without the moves of the objects.

Roaring bitmaps are a dependency of the module bench/rivals. This command builds a command of that module
and runs it. It needs the source tree, the go command, and, the first time, the network or a module proxy.

  go run ./bench interest
  go run ./bench interest -n 100k,1M -frames 50` + command.AboutOutput,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var o versus.Interest
		o.Declare(flags)
		return func(e *command.Env) error {
			if err := o.Check(); err != nil {
				return command.Usage(err)
			}
			var args []string
			flags.Visit(func(f *flag.Flag) { args = append(args, "-"+f.Name+"="+f.Value.String()) })
			return nested.Run("rivals", "interest", args, e.Out, e.Errs)
		}
	},
}
