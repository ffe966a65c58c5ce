package layers

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A budget is a set of counts by name, such as "linear files".
type budget map[string]int

// String returns the counts, one a line, in the order of their names.
func (b budget) String() string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(b)) {
		fmt.Fprintf(&out, "%s %d\n", name, b[name])
	}
	return out.String()
}

// parseBudget reads the text of String.
func parseBudget(text string) (budget, error) {
	b := budget{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		name, count, _ := cutLast(line, " ")
		n, err := strconv.Atoi(count)
		if err != nil || name == "" {
			return nil, fmt.Errorf("not a name and a count: %q", line)
		}
		b[name] = n
	}
	return b, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// room is the part of a limit by which a count of lines may grow before it is above a new limit.
const room = 50

// inLines returns 1 for a count of lines, else 0.
func inLines(name string) int {
	if strings.HasSuffix(name, " lines") || strings.HasSuffix(name, " assembly") {
		return 1
	}
	return 0
}

// limits returns limits for the counts: these numbers, with some room for lines.
func (b budget) limits() budget {
	limits := budget{}
	for name, n := range b {
		limits[name] = n
		if inLines(name) == 1 {
			limits[name] = (n + n/room + 19) / 10 * 10
		}
	}
	return limits
}

// exceeded returns a sentence for each count that is above its limit, lacks one, or is so far below that the limit
// bounds nothing.
func (b budget) exceeded(limits budget) (faults []string) {
	for _, name := range slices.Sorted(maps.Keys(b)) {
		switch n, limit := b[name], limits[name]; {
		case n > limit:
			faults = append(faults, fmt.Sprintf("%s: %d, the limit is %d", name, n, limit))
		case n < limit-limit/10-3 && n < limit-30*inLines(name):
			faults = append(faults, fmt.Sprintf("%s: %d, far below the limit %d: lower it", name, n, limit))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		if _, ok := b[name]; !ok {
			faults = append(faults, name+": a limit of nothing")
		}
	}
	return faults
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// countAll counts, for each folder of the module, the Go files and their lines outside tests, the lines of assembly by
// hand, and the exported names of packages for programs; and the fields and methods of each type that has 30 or more.
func countAll(t *testing.T) budget {
	t.Helper()
	b, packages := budget{}, map[string]names{}
	fields, methods := map[string]int{}, map[string]int{}
	for _, s := range sources(t) {
		if s.nested || s.test() || generated.MatchString(read(t, s.name)) {
			continue
		}
		b[s.folder()+" files"]++
		b[s.folder()+" lines"] += strings.Count(read(t, s.name), "\n")
		if s.public() {
			if packages[s.folder()] == nil {
				packages[s.folder()] = names{}
			}
			packages[s.folder()].addFile(s.file)
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					methods[s.folder()+"."+receiver(d)]++
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok {
						if list, ok := typ.Type.(*ast.StructType); ok {
							fields[s.folder()+"."+typ.Name.Name] += list.Fields.NumFields()
						}
					}
				}
			}
		}
	}
	walk(t, func(name string, nested bool) {
		if ext := path.Ext(name); (ext == ".s" || ext == ".h") && !nested {
			if text := read(t, name); !generated.MatchString(text) {
				b[path.Dir(name)+" assembly"] += strings.Count(text, "\n")
			}
		}
	})
	for folder, n := range packages {
		for _, kind := range kinds {
			b[folder+" exported"] += len(n[kind])
		}
	}
	const many = 30
	for typ, n := range fields {
		if n >= many {
			b[typ+" fields"] = n
		}
	}
	for typ, n := range methods {
		if n >= many {
			b[typ+" methods"] = n
		}
	}
	return b
}

// Packages stay within their budgets: files and lines of a folder, exported names, fields and methods of large types.
func TestBudgets(t *testing.T) {
	const file = "testdata/budgets.txt"
	now := countAll(t)
	if *update {
		if err := os.WriteFile(file, []byte(now.limits().String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	limits, err := parseBudget(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range now.exceeded(limits) {
		t.Error(fault)
	}
	if t.Failed() {
		t.Errorf("after a deliberate change: go test ./internal/layers -run 'TestBudgets$' -update")
	}
}

// Counts above a limit, without one, or far below it are faults, and a limit without a count is one.
func TestBudgetExceeded(t *testing.T) {
	limits, err := parseBudget("a files 10\nb lines 100\nc fields 3\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		now    string
		faults int
	}{
		{"a files 10\nb lines 100\nc fields 3\n", 0},
		{"a files 7\nb lines 70\nc fields 0\n", 0},
		{"a files 11\nb lines 100\nc fields 3\n", 1},
		{"a files 10\nb lines 69\nc fields 3\n", 1},
		{"a files 5\nb lines 100\nc fields 3\n", 1},
		{"a files 10\nb lines 100\n", 1},
		{"a files 10\nb lines 100\nc fields 3\nd files 1\n", 1},
	} {
		now, err := parseBudget(c.now)
		if err != nil {
			t.Fatal(err)
		}
		if now.String() != c.now {
			t.Errorf("%q is written as %q", c.now, now)
		}
		if faults := now.exceeded(limits); len(faults) != c.faults {
			t.Errorf("%q: %q, want %d", c.now, faults, c.faults)
		}
	}
	if now := (budget{"a lines": 1000, "a files": 7}).limits(); now["a lines"] != 1030 || now["a files"] != 7 || len(now.exceeded(now)) > 0 {
		t.Errorf("limits %v", now)
	}
	for _, text := range []string{"a files\n", "10\n", "\n", "a files x\n"} {
		if _, err := parseBudget(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
