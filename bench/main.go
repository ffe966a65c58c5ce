package main

import (
	"os"

	"github.com/zoctree/zoctree/bench/internal/cmd/classic"
	"github.com/zoctree/zoctree/bench/internal/cmd/export"
	"github.com/zoctree/zoctree/bench/internal/cmd/inspect"
	"github.com/zoctree/zoctree/bench/internal/cmd/interest"
	"github.com/zoctree/zoctree/bench/internal/cmd/occlusion"
	"github.com/zoctree/zoctree/bench/internal/cmd/picture"
	"github.com/zoctree/zoctree/bench/internal/cmd/profile"
	"github.com/zoctree/zoctree/bench/internal/cmd/ratios"
	"github.com/zoctree/zoctree/bench/internal/cmd/replay"
	"github.com/zoctree/zoctree/bench/internal/cmd/rivals"
	"github.com/zoctree/zoctree/bench/internal/cmd/run"
	"github.com/zoctree/zoctree/bench/internal/cmd/save"
	"github.com/zoctree/zoctree/bench/internal/cmd/scale"
	"github.com/zoctree/zoctree/bench/internal/cmd/scaling"
	"github.com/zoctree/zoctree/bench/internal/cmd/tracks"
	"github.com/zoctree/zoctree/bench/internal/cmd/tree"
	"github.com/zoctree/zoctree/bench/internal/cmd/version"
	"github.com/zoctree/zoctree/bench/internal/cmd/view"
	"github.com/zoctree/zoctree/bench/internal/command"
)

// commands are all commands, the default first.
var commands = command.Set{
	run.Command, ratios.Command, occlusion.Command, scaling.Command, classic.Command, rivals.Command, interest.Command, replay.Command, tracks.Command, export.Command,
	save.Command, inspect.Command, profile.Command, tree.Command, picture.Command, view.Command,
	scale.Command, scale.Directory, scale.Pebble, scale.Parquet, scale.Raft,
	version.Command,
}

func main() { os.Exit(commands.Run(os.Args[1:], os.Stdout, os.Stderr)) }
