package query_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// Tests that must be complete read the source for the names to cover.

// sources returns the files of the package in a folder, without its tests.
func sources(t *testing.T, folder string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	testkit.Must(t, err)
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			testkit.Must(t, err)
			files = append(files, file)
		}
	}
	return files
}

// asking are the folders with queries: package query, whose names stand alone, and its subpackages, whose names have
// their package before them.
var asking = []string{".", "collide"}

// qualified returns the name by which tests call a declaration of the package in a folder.
func qualified(folder, name string) string {
	if strings.HasPrefix(folder, ".") {
		return name
	}
	return folder + "." + name
}

// qualifiedType is the qualified name of a type by reflection.
func qualifiedType(t reflect.Type) string { return strings.TrimPrefix(t.String(), "query.") }

// cutMethod cuts Type.Method, which may have a package before it.
func cutMethod(name string) (kind, method string, ok bool) {
	k := strings.LastIndexByte(name, '.')
	if k < 0 || !ast.IsExported(name[:k]) && !strings.Contains(name[:k], ".") {
		return name, "", false
	}
	return name[:k], name[k+1:], true
}

// exported returns the names, as Func or Type.Method, of the exported functions and
// methods that match. There is at least one.
func exported(t *testing.T, folder string, match func(*ast.FuncDecl) bool) []string {
	t.Helper()
	names := exportedOrNone(t, folder, match)
	if len(names) == 0 {
		t.Fatalf("nothing in %s matches", folder)
	}
	return names
}

// exportedOrNone is exported for a folder that may have none.
func exportedOrNone(t *testing.T, folder string, match func(*ast.FuncDecl) bool) (names []string) {
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
				names = append(names, qualified(folder, name))
			}
		}
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
