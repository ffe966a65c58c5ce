package layers

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A plan is the table of the package comment. Names of packages are folders from
// the root, and may have stars.
type plan struct {
	layers   map[string]int
	within   map[string][]string // on one layer
	only     map[string][]string // complete list of the allowed imports of a package from the module
	lookouts map[string][]string // higher packages that its tests may import
	tests    []string            // packages for tests
	outside  map[string][]string // packages that import a package of another module
}

var planLine = regexp.MustCompile(`^\t(?: ?(\d+)  |    )?([^ ]+?)(?: *(->|=>|\^|:) (.+)| .*)?$`)

// readPlan reads the table from the package comment.
func readPlan(t *testing.T) *plan {
	t.Helper()
	p := &plan{map[string]int{}, map[string][]string{}, map[string][]string{}, map[string][]string{}, nil, map[string][]string{}}
	layer := -1
	for line := range strings.Lines(parse(t, "doc.go", nil).file.Doc.Text()) {
		line = strings.TrimRight(line, "\n")
		m := planLine.FindStringSubmatch(line)
		if m == nil {
			if strings.HasPrefix(line, "\t") {
				t.Fatalf("the package comment has a line that is no part of the plan: %q", line)
			}
			layer = -1
			continue
		}
		subject, objects := m[2], strings.Fields(m[4])
		switch m[3] {
		case "->":
			p.within[subject] = objects
		case "=>":
			p.only[subject] = objects
		case "^":
			p.lookouts[subject] = objects
		case ":":
			if subject == "tests" {
				p.tests = objects
			} else {
				p.outside[subject] = objects
			}
		default:
			names := strings.Fields(line)
			if m[1] != "" {
				layer, _ = strconv.Atoi(m[1])
				names = names[1:]
			}
			if layer < 0 {
				t.Fatalf("the package comment has packages without a layer: %q", line)
			}
			for _, name := range names {
				if _, ok := p.layers[name]; ok {
					t.Fatalf("%s has two layers", name)
				}
				p.layers[name] = layer
			}
		}
	}
	return p
}

// layer returns the layer of a package. ok is false if it has none.
func (p *plan) layer(name string) (layer int, ok bool) {
	if layer, ok = p.layers[name]; ok {
		return layer, ok
	}
	for pattern, layer := range p.layers {
		if matches([]string{pattern}, name) {
			return layer, true
		}
	}
	return 0, false
}

// matches reports whether a name matches one of the patterns, which may have stars.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// refuses returns the reason why one package, or its tests, may not import another; it is empty if it may. The name
// of a package outside the module has a dot in its first part.
func (p *plan) refuses(from, to string, test bool) string {
	if first, _, _ := strings.Cut(to, "/"); strings.Contains(first, ".") {
		if users := p.outside[to]; !matches(users, from) {
			return fmt.Sprintf("imported by %q only", users)
		}
		return ""
	}
	mine, ok := p.layer(from)
	if !ok {
		return from + " has no layer"
	}
	its, ok := p.layer(to)
	if !ok {
		return to + " has no layer"
	}
	forTests := matches(p.tests, to)
	if test {
		if forTests || its <= mine || matches(p.lookouts[from], to) {
			return ""
		}
		return fmt.Sprintf("tests on layer %d do not see layer %d", mine, its)
	}
	if top, _, _ := strings.Cut(from, "/"); forTests && top != "bench" && !matches(p.tests, from) {
		return "it is for tests"
	}
	if only, ok := p.only[from]; ok && !matches(only, to) {
		return fmt.Sprintf("it imports %q only", only)
	}
	if its < mine || its == mine && matches(p.within[from], to) {
		return ""
	}
	return fmt.Sprintf("layer %d does not import layer %d", mine, its)
}

// The plan allows and forbids the right imports among likely mistakes.
func TestPlan(t *testing.T) {
	p := readPlan(t)
	const tests = " tests"
	for arrow, ok := range map[[2]string]bool{
		{"asm", "soa"}:                            true,
		{"soa", "asm"}:                            false,
		{"soa", "internal/cpu"}:                   false,
		{"asm/cull", "asm/depth"}:                 true,
		{"asm/depth", "asm/cull"}:                 false,
		{"asm", "asm/cull"}:                       false,
		{"morton", "asm/build"}:                   true,
		{"linear", "internal/radix"}:              true,
		{"linear", "query"}:                       false,
		{"linear" + tests, "query"}:               true,
		{"asm" + tests, "linear"}:                 true,
		{"asm" + tests, "query"}:                  false,
		{"morton", "internal/testkit"}:            false,
		{"morton" + tests, "internal/testkit"}:    true,
		{"internal/testkit", "internal/scene"}:    true,
		{"linear/show", "internal/guard"}:         false,
		{"linear/show", "internal/scene"}:         false,
		{"bench", "internal/scene"}:               true,
		{"bench/internal/cmd/any", "query"}:       true,
		{"bench/internal/cmd/any", "bench"}:       false,
		{"bench/internal/report", "bench/view"}:   false,
		{"query", "query/internal/any"}:           true,
		{"query/collide", "query/internal/any"}:   true,
		{"query/interest", "query/occlude"}:       true,
		{"query/occlude", "query/interest"}:       false,
		{"query/collide", "query/scene"}:          false,
		{"query", "internal/nowhere"}:             false,
		{"nowhere", "query"}:                      false,
		{"internal/cpu", "golang.org/x/sys/cpu"}:  true,
		{"asm", "golang.org/x/sys/cpu"}:           false,
		{"asm" + tests, "golang.org/x/sys/cpu"}:   false,
		{"internal/cpu", "golang.org/x/sys/unix"}: false,
		{"linear", "example.org/any"}:             false,
	} {
		from, test := strings.CutSuffix(arrow[0], tests)
		if why := p.refuses(from, arrow[1], test); (why == "") != ok {
			t.Errorf("%s -> %s: want %v; %s", arrow[0], arrow[1], ok, why)
		}
	}
}
