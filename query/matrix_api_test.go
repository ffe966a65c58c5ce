package query_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
)

// packageFiles returns the files of a package without its tests.
func packageFiles(t testing.TB, dir string) (files []*ast.File) {
	t.Helper()
	list, err := os.ReadDir(dir)
	testkit.Must(t, err)
	for _, e := range list {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(token.NewFileSet(), dir+"/"+name, nil, parser.SkipObjectResolution)
			testkit.Must(t, err)
			files = append(files, f)
		}
	}
	return files
}

// formsOf returns all forms of query in the source: exported functions that take a view under their names, and the
// exported methods of types with such a method, as Type.Method, except String and Trim. Narrow and Resolve are parts of
// the queries of other packages.
func formsOf(t testing.TB, dir string) []string {
	t.Helper()
	methods := map[string][]string{}
	asks := map[string]bool{}
	var forms []string
	for _, f := range packageFiles(t, dir) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			switch takes := takesView(fn); {
			case fn.Recv == nil && (fn.Name.Name == "Narrow" || fn.Name.Name == "Resolve"):
			case fn.Recv == nil && takes:
				forms = append(forms, testkit.Qualified(dir, fn.Name.Name))
			case fn.Recv != nil:
				name := receiver(fn)
				methods[name] = append(methods[name], fn.Name.Name)
				asks[name] = asks[name] || takes
			}
		}
	}
	for name := range asks {
		if asks[name] && ast.IsExported(name) {
			for _, m := range methods[name] {
				if m != "String" && m != "Trim" {
					forms = append(forms, testkit.Qualified(dir, name+"."+m))
				}
			}
		}
	}
	slices.Sort(forms)
	return forms
}

func takesView(fn *ast.FuncDecl) bool {
	isViews := func(p *ast.Field) bool { // of package collide
		id, ok := p.Type.(*ast.Ident)
		return ok && id.Name == "Views"
	}
	if fn.Type.Results != nil && slices.ContainsFunc(fn.Type.Results.List, isViews) {
		return false // it makes them
	}
	return slices.ContainsFunc(fn.Type.Params.List, func(p *ast.Field) bool {
		sel, ok := p.Type.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "View" || isViews(p)
	})
}

func receiver(fn *ast.FuncDecl) string {
	typ := fn.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	return typ.(*ast.Ident).Name
}

// constantsOf counts the constants of a type.
func constantsOf(t testing.TB, dir, typ string) (n int) {
	t.Helper()
	for _, f := range packageFiles(t, dir) {
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			of := ""
			for _, s := range gen.Specs {
				v := s.(*ast.ValueSpec)
				if id, ok := v.Type.(*ast.Ident); ok {
					of = id.Name
				} else if v.Values != nil {
					of = ""
				}
				if of == typ {
					n += len(v.Names)
				}
			}
		}
	}
	return n
}

func methodsOf[T any]() (names []string) {
	for i := range reflect.TypeFor[T]().NumMethod() {
		names = append(names, reflect.TypeFor[T]().Method(i).Name)
	}
	return names
}

// The matrix covers the exported names of the packages. Every field of the filters and of the configuration has
// values, and every method of a tree is an operation of the scripts or is checked. Additions to the packages fail
// here until the matrix covers them; forms of queries are cells of [TestMatrix].
func TestMatrixCovers(t *testing.T) {
	same := func(what string, have []string, want []string) {
		t.Helper()
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			t.Errorf("%s: the matrix has %q, the source %q", what, have, want)
		}
	}
	same("fields of Filter", slices.Collect(maps.Keys(matrixFilters)), testkit.Fields[query.Filter]())
	same("fields of collide.Filter", slices.Collect(maps.Keys(matrixPairFilters)), testkit.Fields[collide.Filter]())
	same("fields of Config", slices.Collect(maps.Keys(matrixSettings)), testkit.Fields[linear.Config]())
	same("methods of Tree", append(slices.Collect(maps.Keys(matrixOps)), matrixLooks...), methodsOf[*linear.Tree]())
	for _, c := range []struct {
		dir, typ string
		covered  int
	}{
		{"../linear", "Motion", int(query.StaticOnly) + 1},
		{"../linear", "Policy", len(changesSettings())},
		{"../linear", "Outside", len(matrixSettings["Outside"]) + 1},
	} {
		if n := constantsOf(t, c.dir, c.typ); n != c.covered {
			t.Errorf("%d constants of type %s, the matrix has %d", n, c.typ, c.covered)
		}
	}
}
