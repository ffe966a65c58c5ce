package report

import (
	"fmt"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/machine"
)

// packagePath is what the line "pkg" tells.
const packagePath = "github.com/zoctree/zoctree/bench"

// gobench writes lines of Go benchmarks.
type gobench struct{ *out }

func (g *gobench) machine(m machine.Machine) {
	g.note("goos", m.OS)
	g.note("goarch", m.Arch)
	g.note("pkg", packagePath)
	g.note("cpu", m.CPU)
}

func (g *gobench) note(key, text string) {
	fmt.Fprintf(g, "%s: %s\n", key, strings.Join(strings.Fields(text), " "))
}

func (g *gobench) table(string, []table.Column) {}
func (g *gobench) row([]string)                 {}

func (g *gobench) measure(m Measure) {
	for _, s := range m.Samples {
		fmt.Fprintf(g, "Benchmark%s 1 %v %s\n", m.Name, s, m.Unit)
	}
}

func (g *gobench) close() {}

// Name returns the name of a measure: what it measures, which begins with an
// upper-case letter, and keys, each with its value. Values may be anything:
// what a name cannot hold is replaced. It panics when a key lacks a value.
//
//	Name("Frustum", "scene", "city", "share", "1 %")	Frustum/scene=city/share=1_%
func Name(what string, keyValues ...any) string {
	if len(keyValues)%2 != 0 {
		panic(fmt.Sprintf("report: %d keys and values of %s: a key lacks its value", len(keyValues), what))
	}
	var b strings.Builder
	b.WriteString(what)
	for i := 0; i < len(keyValues); i += 2 {
		fmt.Fprintf(&b, "/%v=%s", keyValues[i], nameable.Replace(fmt.Sprint(keyValues[i+1])))
	}
	return b.String()
}

// nameable replaces what ends a name or a part of it.
var nameable = strings.NewReplacer(" / ", "_per_", "/", "_per_", ", ", "_", " ", "_", "\t", "_", "\n", "_", ":", "")
