package testkit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// Covered fails the test unless operations cover every exported name of the package in the current
// folder that calls back or takes a context. Such names are functions and methods with a parameter
// or a result that is a function or an iterator, or with a parameter that is a [context.Context],
// and fields that are functions.
func Covered(t *testing.T, operations []Operation) {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	needs := map[string]need{}
	for _, f := range files {
		if name := f.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			addNeeds(needs, file)
		}
	}
	if len(needs) == 0 {
		t.Error("the package has no function that calls back or takes a context")
	}
	have := map[string]need{}
	for i := range operations {
		o := &operations[i]
		for _, name := range o.Of {
			n := have[name]
			n.back, n.context = n.back || !o.Silent, n.context || o.Context
			have[name] = n
			if _, ok := needs[name]; !ok {
				t.Errorf("operation %s: %s neither calls back nor takes a context, or is not there", o.Name, name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		switch n, h := needs[name], have[name]; {
		case n.back && !h.back:
			t.Errorf("%s calls back: it needs an operation", name)
		case n.context && !h.context:
			t.Errorf("%s takes a context: it needs an operation", name)
		}
	}
}

// Breakable returns the exported names of a file for which [Covered] requires an operation.
func Breakable(file *ast.File) []string {
	needs := map[string]need{}
	addNeeds(needs, file)
	return slices.Sorted(maps.Keys(needs))
}

// need is the set of cancellation tests that an exported name needs.
type need struct{ back, context bool }

// addNeeds adds the exported names of a file that call back or take a context.
func addNeeds(needs map[string]need, file *ast.File) {
	add := func(name string, n need) {
		if n.back || n.context {
			needs[name] = n
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				of := nameOf(d.Recv.List[0].Type)
				if !ast.IsExported(of) {
					continue
				}
				name = of + "." + name
			}
			if d.Name.IsExported() {
				n := needOf(d.Type.Params)
				n.back = n.back || needOf(d.Type.Results).back
				add(name, n)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				spec, ok := spec.(*ast.TypeSpec)
				if !ok || !spec.Name.IsExported() {
					continue
				}
				fields, ok := spec.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range fields.Fields.List {
					for _, id := range f.Names {
						if id.IsExported() {
							add(spec.Name.Name+"."+id.Name, need{back: callsBack(f.Type)})
						}
					}
				}
			}
		}
	}
}

func needOf(list *ast.FieldList) (n need) {
	if list == nil {
		return n
	}
	for _, f := range list.List {
		n.back = n.back || callsBack(f.Type)
		s, ok := f.Type.(*ast.SelectorExpr)
		n.context = n.context || ok && nameOf(s.X) == "context" && s.Sel.Name == "Context"
	}
	return n
}

// callsBack reports whether a type is a function or an iterator.
func callsBack(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncType:
		return true
	case *ast.Ellipsis:
		return callsBack(e.Elt)
	case *ast.IndexExpr:
		return isSeq(e.X)
	case *ast.IndexListExpr:
		return isSeq(e.X)
	}
	return false
}

func isSeq(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && nameOf(s.X) == "iter" && strings.HasPrefix(s.Sel.Name, "Seq")
}

// nameOf returns the name of a type without stars and type parameters.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return nameOf(e.X)
	case *ast.IndexExpr:
		return nameOf(e.X)
	case *ast.IndexListExpr:
		return nameOf(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
