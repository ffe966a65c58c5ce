package testkit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Tests that must be complete read the source for the names to cover.

// Sources returns the files of the package in a folder, without its tests.
func Sources(t *testing.T, folder string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	Must(t, err)
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			Must(t, err)
			files = append(files, file)
		}
	}
	return files
}

// Qualified returns the name by which tests call a declaration of the package in a folder: with the name of the
// folder, except in the current folder.
func Qualified(folder, name string) string {
	if folder == "." {
		return name
	}
	return filepath.Base(folder) + "." + name
}

// ExportedFuncs returns the names, as Func or Type.Method, of the exported functions and methods in a folder that
// match.
func ExportedFuncs(t *testing.T, folder string, match func(*ast.FuncDecl) bool) (names []string) {
	t.Helper()
	for _, file := range Sources(t, folder) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || !match(f) {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				name = strings.TrimPrefix(TypeText(f.Recv.List[0].Type), "*") + "." + name
			}
			if ast.IsExported(name) {
				names = append(names, Qualified(folder, name))
			}
		}
	}
	return names
}

// ExportedTakers returns the exported names of a folder that take a filter of a type, as an argument or in a field.
// There is at least one.
func ExportedTakers(t *testing.T, folder, filter string) []string {
	t.Helper()
	takes := func(list *ast.FieldList) bool {
		return slices.ContainsFunc(list.List, func(f *ast.Field) bool { return TypeText(f.Type) == filter })
	}
	names := ExportedFuncs(t, folder, func(d *ast.FuncDecl) bool { return takes(d.Type.Params) })
	for _, file := range Sources(t, folder) {
		ast.Inspect(file, func(n ast.Node) bool {
			if ts, ok := n.(*ast.TypeSpec); ok && ts.Name.IsExported() {
				if st, ok := ts.Type.(*ast.StructType); ok && takes(st.Fields) {
					names = append(names, Qualified(folder, ts.Name.Name))
				}
			}
			return true
		})
	}
	if len(names) == 0 {
		t.Fatalf("nothing in %s takes a %s", folder, filter)
	}
	return names
}

// Fields returns the names of the exported fields of a struct.
func Fields[T any]() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if f.IsExported() {
			names = append(names, f.Name)
		}
	}
	return names
}

// TypeText returns a type without its parameters.
func TypeText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + TypeText(e.X)
	case *ast.SelectorExpr:
		return TypeText(e.X) + "." + e.Sel.Name
	case *ast.IndexExpr:
		return TypeText(e.X)
	case *ast.IndexListExpr:
		return TypeText(e.X)
	}
	return ""
}

// SomeLive has the bits of two thirds of the IDs below 64*n.
func SomeLive(n int) []uint64 {
	live := make([]uint64, n)
	for id := range 64 * n {
		if id%3 != 1 {
			live[id/64] |= 1 << (id % 64)
		}
	}
	return live
}

// Alive reports whether a filter with these bits, all if it is nil, keeps the ID.
func Alive(only []uint64, id int) bool {
	return only == nil || id/64 < len(only) && only[id/64]>>(id%64)&1 != 0
}
