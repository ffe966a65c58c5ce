package layers

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew")

// kinds are the kinds of exported names.
var kinds = []string{"type", "field", "func", "method", "const", "var"}

// names are the exported names of a package by their kind; methods and fields are those of exported types, with the
// type before a dot.
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
				add("func", d.Name)
			} else if of := receiver(d); ast.IsExported(of) && d.Name.IsExported() {
				n.add("method", of+"."+d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add("type", spec.Name)
					if fields, ok := spec.Type.(*ast.StructType); ok && spec.Name.IsExported() {
						for _, f := range fields.Fields.List {
							for _, id := range f.Names {
								if id.IsExported() {
									n.add("field", spec.Name.Name+"."+id.Name)
								}
							}
						}
					}
				case *ast.ValueSpec:
					kind := "var"
					if d.Tok == token.CONST {
						kind = "const"
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

// A surface is the exported names of packages, one a line: package, kind, name.
func surface(packages map[string]names) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		for _, kind := range kinds {
			for _, n := range slices.Sorted(maps.Keys(packages[name][kind])) {
				fmt.Fprintf(&out, "%s %s %s\n", name, kind, n)
			}
		}
	}
	return out.String()
}

// changes returns the lines of former that are not in now, after "- ", and those of now that are not in former, after
// "+ ".
func changes(former, now string) (all []string) {
	a, b := strings.Split(former, "\n"), strings.Split(now, "\n")
	for _, line := range a {
		if !slices.Contains(b, line) {
			all = append(all, "- "+line)
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			all = append(all, "+ "+line)
		}
	}
	return all
}

// The exported names of packages for programs equal the golden file, so that a change of the API is seen in a
// review.
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
	now := surface(packages)
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
	t.Errorf("the exported names differ from %s; after a deliberate change: go test ./internal/layers -run TestExported -update", golden)
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
	former := surface(packages)
	const want = "p type T\np type U\np field T.Field\np func F\np method T.Method\np const A\np const B\np var V\np var W\n"
	if former != want {
		t.Errorf("the names are\n%s", former)
	}
	delete(n["func"], "F")
	packages["q"] = names{"type": {"G": true}}
	if got := changes(former, surface(packages)); !slices.Equal(got, []string{"- p func F", "+ q type G"}) {
		t.Errorf("the changes are %q", got)
	}
}
