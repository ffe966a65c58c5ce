package query_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Tests that must leave nothing out find what there is in the source.

// sources returns the files of the package in a folder, without its tests.
func sources(t *testing.T, folder string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	failed(t, err)
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			failed(t, err)
			files = append(files, file)
		}
	}
	return files
}

// exported returns the names, as Func or Type.Method, of the exported functions and
// methods that match. There is at least one.
func exported(t *testing.T, folder string, match func(*ast.FuncDecl) bool) (names []string) {
	t.Helper()
	for _, file := range sources(t, folder) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || !match(f) {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				name = strings.TrimPrefix(text(f.Recv.List[0].Type), "*") + "." + name
			}
			if ast.IsExported(name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		t.Fatalf("nothing in %s matches", folder)
	}
	return names
}

// text writes a type without its parameters.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + text(e.X)
	case *ast.SelectorExpr:
		return text(e.X) + "." + e.Sel.Name
	case *ast.IndexExpr:
		return text(e.X)
	case *ast.IndexListExpr:
		return text(e.X)
	}
	return ""
}
