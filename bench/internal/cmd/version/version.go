// Package version implements the command bench version, which prints versions and the CPU.
package version

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/machine"
)

// Command is bench version.
var Command = command.Command{
	Name:  "version",
	Short: "print the version of the library, of Go and of the source, the CPU and the tier",
	Long: `
Prints the facts that a bug report needs:

  zoctree   version of the module, (devel) in a checkout
  go        version of Go, system and architecture, and the build settings
  cpu       its name, cores and caches
  tier      the kernels in use, and those that this CPU has; ZOCTREE_TIER chooses
  revision  of the source, its time, and whether files were changed since. It is recorded by
            go build, and not by go run`,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var o command.Output
		o.DeclareFormat(flags)
		return func(e *command.Env) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				info = &debug.BuildInfo{}
			}
			r := report.New(e.Out, o.Format, "version")
			here := machine.Here()
			r.Note("zoctree", module(info))
			r.Note("go", toolchain(info))
			r.Note("cpu", here.Hardware())
			r.Note("tier", fmt.Sprintf("%v of %v", asm.Info().Tier, asm.Info().Available))
			r.Note("revision", revision(info))
			return r.Close()
		}
	},
}

// path is the path of the library's module.
const path = "github.com/zoctree/zoctree"

// module returns the version of the library. The program is of the library's own module, unless it was built
// from another one.
func module(info *debug.BuildInfo) string {
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path != path {
			continue
		}
		if m.Replace != nil {
			return fmt.Sprintf("%s, replaced by %s %s", m.Version, m.Replace.Path, m.Replace.Version)
		}
		if m.Version != "" {
			return m.Version
		}
	}
	return "(devel)"
}

// toolchain returns the version of Go and the settings that affect the code.
func toolchain(info *debug.BuildInfo) string {
	s := fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, key := range []string{"GOAMD64", "GOARM64", "-tags", "-race", "-pgo"} {
		if value := setting(info, key); value != "" && key == "-pgo" {
			s += ", -pgo" // a file path of the machine that built the program
		} else if value != "" {
			s += fmt.Sprintf(", %s=%s", key, value)
		}
	}
	return s
}

// revision returns the revision of the source.
func revision(info *debug.BuildInfo) string {
	id := setting(info, "vcs.revision")
	if id == "" {
		return "not recorded: go build in a git checkout does so, go run does not"
	}
	if at := setting(info, "vcs.time"); at != "" {
		id += ", " + at
	}
	if setting(info, "vcs.modified") == "true" {
		id += ", and changes since"
	}
	return id
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
