package house

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

var update = flag.Bool("update", false, "write testdata anew")

// kinds are the kinds of exported names; fields of structs are not included.
var kinds = []string{"types", "functions", "methods", "constants", "variables"}

// names are the exported names of a package by their kind; methods are those of exported types, with the type before
// a dot.
type names map[string]map[string]bool

func (n names) add(kind, name string) {
	if n[kind] == nil {
		n[kind] = map[string]bool{}
	}
	n[kind][name] = true
}

// addFile adds the exported names of a file.
func (n names) addFile(file *ast.File) {
	add := func(kind string, id *ast.Ident) {
		if id.IsExported() {
			n.add(kind, id.Name)
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add("functions", d.Name)
			} else if of := receiver(d); ast.IsExported(of) && d.Name.IsExported() {
				n.add("methods", of+"."+d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add("types", spec.Name)
				case *ast.ValueSpec:
					kind := "variables"
					if d.Tok == token.CONST {
						kind = "constants"
					}
					for _, id := range spec.Names {
						add(kind, id)
					}
				}
			}
		}
	}
}

// receiver returns the name of the type of a method.
func receiver(d *ast.FuncDecl) string {
	for e := d.Recv.List[0].Type; ; {
		switch of := e.(type) {
		case *ast.StarExpr:
			e = of.X
		case *ast.ParenExpr:
			e = of.X
		case *ast.IndexExpr:
			e = of.X
		case *ast.IndexListExpr:
			e = of.X
		case *ast.Ident:
			return of.Name
		default:
			return ""
		}
	}
}

// public reports whether other modules can import the package of a file.
func (s *source) public() bool {
	return !s.nested && !s.test() && s.file.Name.Name != "main" &&
		!slices.Contains(strings.Split(s.folder(), "/"), "internal")
}

// table writes the counts of each package.
func table(packages map[string]names) string {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "package\t%s\n", strings.Join(kinds, "\t"))
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		fmt.Fprint(w, name)
		for _, kind := range kinds {
			fmt.Fprintf(w, "\t%d", len(packages[name][kind]))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return out.String()
}

// rows returns the counts of a table by package and kind.
func rows(text string) map[string]string {
	counts := map[string]string{}
	for line := range strings.Lines(text) {
		row := strings.Fields(line)
		if len(row) != 1+len(kinds) || row[0] == "package" {
			continue
		}
		for i, kind := range kinds {
			counts[row[0]+" "+kind] = row[1+i]
		}
	}
	return counts
}

// changes describes the differences between two tables.
func changes(former, now string) (all []string) {
	a, b := rows(former), rows(now)
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if name, kind, _ := strings.Cut(key, " "); a[key] == "" {
			all = append(all, fmt.Sprintf("package %s is new, with %s %s", name, b[key], kind))
		} else if b[key] == "" {
			all = append(all, fmt.Sprintf("package %s is gone, with %s %s", name, a[key], kind))
		} else if a[key] != b[key] {
			all = append(all, fmt.Sprintf("package %s has %s exported %s, it had %s", name, b[key], kind, a[key]))
		}
	}
	return all
}

// The exported API changes only on purpose.
func TestExported(t *testing.T) {
	packages := map[string]names{}
	for _, s := range sources(t) {
		if s.public() {
			if packages[s.folder()] == nil {
				packages[s.folder()] = names{}
			}
			packages[s.folder()].addFile(s.file)
		}
	}
	const golden = "testdata/exported.txt"
	now := table(packages)
	if *update {
		if err := os.WriteFile(golden, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	former, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if now == string(former) {
		return
	}
	for _, change := range changes(string(former), now) {
		t.Error(change)
	}
	t.Errorf("%s is not what is counted; if that is meant: go test ./internal/house -run TestExported -update", golden)
}

// Names of several platforms count once; unexported names do not count.
func TestExportedNames(t *testing.T) {
	n := names{}
	for _, text := range []string{`package p
		type T[K any] struct{ Field int }
		type t struct{}
		func (*T[K]) Method() {}
		func (T[K]) method() {}
		func (t) Method() {}
		func F() {}
		func f() {}
		const A, B, c = 1, 2, 3
		var V, _ int
		`, `package p
		func F() {}
		type ( U = int; u int )
		var W int
		`} {
		n.addFile(parse(t, "p.go", text).file)
	}
	packages := map[string]names{"p": n}
	former := table(packages)
	if got, want := strings.Fields(former)[len(kinds)+1:], []string{"p", "2", "1", "1", "2", "2"}; !slices.Equal(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
	n.add("functions", "G")
	packages["q"] = names{}
	got := changes(former, table(packages))
	if len(got) != 1+len(kinds) || got[0] != "package p has 2 exported functions, it had 1" || got[1] != "package q is new, with 0 constants" {
		t.Errorf("changes are told as %q", got)
	}
}
