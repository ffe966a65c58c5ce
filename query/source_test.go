package query_test

import (
	"go/ast"
	"reflect"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// Tests that must be complete read the source for the names to cover.

// asking are the folders with queries: package query, whose names stand alone, and its subpackages, whose names have
// their package before them.
var asking = []string{".", "collide"}

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
	names := testkit.ExportedFuncs(t, folder, match)
	if len(names) == 0 {
		t.Fatalf("nothing in %s matches", folder)
	}
	return names
}
