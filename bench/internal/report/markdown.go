package report

import (
	"fmt"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/machine"
)

// markdown writes notes as a list, and tables with pipes and aligned columns.
type markdown struct {
	*out
	below bool // inside a list
}

// plain escapes a text for Markdown.
var plain = strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`, "\n", " ")

func (m *markdown) machine(here machine.Machine) { m.note("machine", here.String()) }

func (m *markdown) note(key, text string) {
	if !m.below {
		fmt.Fprintln(m)
		m.below = true
	}
	fmt.Fprintf(m, "- **%s** %s\n", key, plain.Replace(text))
}

func (m *markdown) table(_ string, cols []table.Column) {
	fmt.Fprintln(m)
	m.below = false
	m.row(titles(cols))
	var b strings.Builder
	for _, c := range cols {
		if c.Width < 0 {
			b.WriteString("|---")
		} else {
			b.WriteString("|--:")
		}
	}
	fmt.Fprintln(m, b.String()+"|")
}

func (m *markdown) row(cells []string) {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString("| " + plain.Replace(c) + " ")
	}
	fmt.Fprintln(m, b.String()+"|")
}

func (m *markdown) measure(Measure) {}
func (m *markdown) close()          {}
