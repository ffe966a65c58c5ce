package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/machine"
)

// packagePath is the value of the line "pkg".
const packagePath = "github.com/zoctree/zoctree/bench"

// conditions are the notes that describe the measured configuration: benchstat compares measures only under
// equal configurations. Other notes may hold results.
var conditions = []string{"tier", "objects", "scene", "workload", "steps", "tracks"}

// gobench writes lines of Go benchmarks.
type gobench struct{ *out }

func (g *gobench) machine(m machine.Machine) {
	fmt.Fprintf(g, "goos: %s\ngoarch: %s\npkg: %s\ncpu: %s\n", m.OS, m.Arch, packagePath, m.CPU)
}

func (g *gobench) note(key, text string) {
	mark := "# "
	if slices.Contains(conditions, key) {
		mark = ""
	}
	fmt.Fprintf(g, "%s%s: %s\n", mark, key, strings.Join(strings.Fields(text), " "))
}

func (g *gobench) table(string, []table.Column) {}
func (g *gobench) row([]string)                 {}

func (g *gobench) measure(m Measure) {
	for _, s := range m.Samples {
		fmt.Fprintf(g, "Benchmark%s 1 %v %s\n", m.Name, s, m.Unit)
	}
}

func (g *gobench) close() {}

// Name returns the name of a measure: its subject, which begins with an upper-case letter, and keys, each
// with its value. Values may be arbitrary: characters that are invalid in a name are replaced. It panics if a
// key has no value.
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

// nameable replaces the separators of a name.
var nameable = strings.NewReplacer(" / ", "_per_", "/", "_per_", ", ", "_", " ", "_", "\t", "_", "\n", "_", ":", "")
