package layers

import (
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// Each package of the library with a function that calls back or takes a context has a table of all of them, which
// its test cancels.
func TestBreakable(t *testing.T) {
	names, tables := map[string][]string{}, map[string]bool{}
	for _, s := range sources(t) {
		switch {
		case strings.HasPrefix(s.name, "bench/") || s.nested:
		case s.public():
			names[s.folder()] = append(names[s.folder()], testkit.Breakable(s.file)...)
		case strings.HasSuffix(s.name, "/breakoff_test.go"):
			text := read(t, s.name)
			tables[s.folder()] = strings.Contains(text, "testkit.Covered(t, ") && strings.Contains(text, "testkit.BreakOff(t, ")
		}
	}
	if len(names["query"]) < 20 {
		t.Errorf("package query calls back by %q alone", names["query"])
	}
	for folder, list := range names {
		if len(list) > 0 && !tables[folder] {
			t.Errorf("package %s has %q, and no breakoff_test.go with testkit.Covered and testkit.BreakOff", folder, list)
		}
	}
}
