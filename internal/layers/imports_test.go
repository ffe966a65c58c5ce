package layers

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every package is in the plan, and its imports are allowed there.
func TestImports(t *testing.T) {
	p := readPlan(t)
	folders := map[string]bool{}
	for _, s := range sources(t) {
		if s.nested {
			continue
		}
		from := s.folder()
		if _, ok := p.layer(from); !ok && !folders[from] {
			t.Errorf("package %s has no layer in the comment of internal/layers", from)
		}
		folders[from] = true
		for _, spec := range s.file.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			to, ours := strings.CutPrefix(to, module+"/")
			if first, _, _ := strings.Cut(to, "/"); !ours && !strings.Contains(first, ".") || to == from {
				continue // of the standard library; the package itself, by its tests
			}
			if why := p.refuses(from, to, s.test()); why != "" {
				t.Errorf("%s:%d: %s imports %s: %s", s.name, s.line(spec.Pos()), from, to, why)
			}
		}
	}
}

// Examples for programs need package soa only to read columns.
func TestExamplesImport(t *testing.T) {
	checked := 0
	for _, s := range sources(t) {
		if !strings.HasPrefix(path.Base(s.name), "example_") || !s.test() || s.folder() == "soa" {
			continue
		}
		checked++
		readsColumns := strings.Contains(read(t, s.name), ".Store()")
		for _, spec := range s.file.Imports {
			if to, _ := strconv.Unquote(spec.Path.Value); to == module+"/soa" && !readsColumns {
				t.Errorf("%s:%d: an example imports soa, but reads no columns: linear has the types and helpers that programs use", s.name, s.line(spec.Pos()))
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d files of examples are found", checked)
	}
}

var requirement = regexp.MustCompile(`(?m)^(?:require)?\s+([^\s()]+) v[^\s]+$`)

// go.mod requires exactly the outside modules of the plan.
func TestRequirements(t *testing.T) {
	p := readPlan(t)
	used := map[string]bool{}
	for _, m := range requirement.FindAllStringSubmatch(read(t, "go.mod"), -1) {
		used[m[1]] = false
	}
	if len(used) == 0 {
		t.Fatal("no requirement is found in go.mod")
	}
	for _, name := range slices.Sorted(maps.Keys(p.outside)) {
		found := false
		for mod := range used {
			if name == mod || strings.HasPrefix(name, mod+"/") {
				used[mod], found = true, true
			}
		}
		if !found {
			t.Errorf("go.mod has no requirement for %s", name)
		}
	}
	for _, mod := range slices.Sorted(maps.Keys(used)) {
		if !used[mod] {
			t.Errorf("go.mod requires %s, which the plan does not have", mod)
		}
	}
}
