package layers

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var inBackticks = regexp.MustCompile("`([^`]+)`")

// The list of changes is true: each new name is exported, and the old ones with their package are not.
func TestChanges(t *testing.T) {
	exported, in := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(read(t, "internal/layers/testdata/exported.txt")) {
		f := strings.Fields(line) // package kind name
		exported[f[2]], in[path.Base(f[0])+"."+f[2]] = true, true
	}
	count := [2]int{}
	for line := range strings.Lines(read(t, changePage)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		names := func(cell string) (list []string) {
			for _, m := range inBackticks.FindAllStringSubmatch(cell, -1) {
				list = append(list, m[1])
			}
			return list
		}
		for _, name := range names(cells[2]) {
			if !exported[name] && !in[name] && name != "test" {
				t.Errorf("%q is listed as new, and not exported", name)
			}
			count[0]++
		}
		for _, name := range names(cells[1]) {
			if of, _, ok := strings.Cut(name, "."); ok && slices.Contains([]string{"linear", "collide", "interest", "occlude", "scene", "show"}, of) {
				if in[name] {
					t.Errorf("%q is listed as renamed, and exported", name)
				}
				count[1]++
			}
		}
	}
	if count[0] < 80 || count[1] < 10 {
		t.Errorf("%d new and %d old names", count[0], count[1])
	}
}
