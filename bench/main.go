package main

import (
	"os"

	"github.com/zoctree/zoctree/bench/internal/cmd/livemap"
	"github.com/zoctree/zoctree/bench/internal/cmd/nested"
	"github.com/zoctree/zoctree/bench/internal/cmd/occlusion"
	"github.com/zoctree/zoctree/bench/internal/cmd/pauses"
	"github.com/zoctree/zoctree/bench/internal/cmd/picture"
	"github.com/zoctree/zoctree/bench/internal/cmd/profile"
	"github.com/zoctree/zoctree/bench/internal/cmd/ratios"
	"github.com/zoctree/zoctree/bench/internal/cmd/replay"
	"github.com/zoctree/zoctree/bench/internal/cmd/run"
	"github.com/zoctree/zoctree/bench/internal/cmd/save"
	"github.com/zoctree/zoctree/bench/internal/cmd/scaling"
	"github.com/zoctree/zoctree/bench/internal/cmd/tiers"
	"github.com/zoctree/zoctree/bench/internal/cmd/version"
	"github.com/zoctree/zoctree/bench/internal/cmd/view"
	"github.com/zoctree/zoctree/bench/internal/command"
)

// commands are all commands, the default first.
var commands = command.Set{
	run.Command, tiers.Noise, tiers.Command, ratios.Command, occlusion.Command, scaling.Command, scaling.Classic, scaling.Changes, pauses.Command, livemap.Command, nested.Rivals, nested.Small, nested.Interest,
	nested.Scale, nested.Directory, nested.Pebble, nested.Parquet, nested.Raft, nested.Native, nested.Programs,
	replay.Command, replay.Export, replay.Tracks, save.Command, save.Inspect, profile.Command, profile.Tree, picture.Command, view.Command,
	version.Command,
}

func main() { os.Exit(commands.Run(os.Args[1:], os.Stdout, os.Stderr)) }
