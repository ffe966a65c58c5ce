// Command bench measures the library.
//
//	go run ./bench            builds a million objects and culls them: under a minute
//	go run ./bench ratios     the figures of the design, as ratios of one run
//	go run ./bench scaling    cost against the number of objects
//	go run ./bench classic    the classic benchmark of dynamic octrees, with its fits
//	go run ./bench rivals     the same on other Go libraries and classic octrees
//	go run ./bench replay     boxes and queries from flat files, as a TSV
//	go run ./bench tracks     recorded tracks, replayed
//	go run ./bench export     writes such files
//	go run ./bench profile    where the time and the memory of a workload go
//	go run ./bench tree       the tree as a profile: objects, memory, visits by octant
//	go run ./bench picture    a tree and a query as SVG
//	go run ./bench help       all commands; help COMMAND, or -h after it, tells
//	                          what one does and its flags
//
// Results go to standard output, progress to standard error. The exit code is
// 0, 1 when something failed or an answer was wrong, 2 for a wrong command line.
package main

import (
	"os"

	"github.com/zoctree/zoctree/bench/internal/cmd/classic"
	"github.com/zoctree/zoctree/bench/internal/cmd/export"
	"github.com/zoctree/zoctree/bench/internal/cmd/picture"
	"github.com/zoctree/zoctree/bench/internal/cmd/profile"
	"github.com/zoctree/zoctree/bench/internal/cmd/ratios"
	"github.com/zoctree/zoctree/bench/internal/cmd/replay"
	"github.com/zoctree/zoctree/bench/internal/cmd/rivals"
	"github.com/zoctree/zoctree/bench/internal/cmd/run"
	"github.com/zoctree/zoctree/bench/internal/cmd/scaling"
	"github.com/zoctree/zoctree/bench/internal/cmd/tracks"
	"github.com/zoctree/zoctree/bench/internal/cmd/tree"
	"github.com/zoctree/zoctree/bench/internal/command"
)

// commands are all commands, the default first.
var commands = command.Set{
	run.Command, ratios.Command, scaling.Command, classic.Command, rivals.Command, replay.Command, tracks.Command, export.Command,
	profile.Command, tree.Command, picture.Command,
}

func main() { os.Exit(commands.Run(os.Args[1:], os.Stdout, os.Stderr)) }
