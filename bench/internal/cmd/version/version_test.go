package version

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/internal/machine"
)

func TestVersion(t *testing.T) {
	bench := commandtest.Bench{Command}
	out := bench.Good(t, "version")
	for key, want := range map[string]string{
		"zoctree": "", "go": runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH, "cpu": machine.Here().CPU,
		"tier": asm.Info().Tier.String() + " of [go", "revision": "",
	} {
		found := false
		for line := range strings.Lines(out) {
			rest, ok := strings.CutPrefix(line, key+" ")
			found = found || ok && strings.Contains(rest, want) && strings.TrimSpace(rest) != ""
		}
		if !found {
			t.Errorf("no line %s with %q in\n%s", key, want, out)
		}
	}
	var doc struct{ Notes []struct{ Key, Text string } }
	if err := json.Unmarshal([]byte(bench.Good(t, "version", "-format", "json")), &doc); err != nil || len(doc.Notes) != 5 {
		t.Errorf("%d notes, %v", len(doc.Notes), err)
	}
	if o := bench.Do("version", "extra"); !o.Misused() {
		t.Errorf("%+v", o)
	}
}

func TestFacts(t *testing.T) {
	of := func(main debug.Module, deps []*debug.Module, keyValues ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: main, Deps: deps}
		for i := 0; i < len(keyValues); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: keyValues[i], Value: keyValues[i+1]})
		}
		return info
	}
	mine := debug.Module{Path: path, Version: "v1.2.3"}
	for want, info := range map[string]*debug.BuildInfo{
		"(devel)": of(debug.Module{}, nil),
		"v1.2.3":  of(mine, nil),
		"v0.0.0, replaced by ../.. ": of(debug.Module{Path: "elsewhere", Version: "v9.9.9"},
			[]*debug.Module{{Path: path, Version: "v0.0.0", Replace: &debug.Module{Path: "../.."}}}),
	} {
		if got := module(info); got != want {
			t.Errorf("module %q, want %q", got, want)
		}
	}
	for want, info := range map[string]*debug.BuildInfo{
		"not recorded: go build in a git checkout does so, go run does not": of(mine, nil),
		"42d2a52, 2026-11-24T01:00:00Z":                                     of(mine, nil, "vcs.revision", "42d2a52", "vcs.time", "2026-11-24T01:00:00Z", "vcs.modified", "false"),
		"42d2a52, and changes since":                                        of(mine, nil, "vcs.revision", "42d2a52", "vcs.modified", "true"),
	} {
		if got := revision(info); got != want {
			t.Errorf("revision %q, want %q", got, want)
		}
	}
	if got := toolchain(of(mine, nil, "GOAMD64", "v3", "-tags", "purego", "-pgo", "/home/someone/default.pgo")); !strings.HasSuffix(got, ", GOAMD64=v3, -tags=purego, -pgo") {
		t.Errorf("toolchain %q", got)
	}
}
