package main

import (
	"go/ast"
	"go/types"
	"strings"
)

// onlyText are methods that return text for people.
var onlyText = map[string]bool{"String": true, "Error": true, "GoString": true, "Format": true}

// onlySpeed reports whether a function of this name affects only times.
func onlySpeed(name string) bool {
	return strings.HasPrefix(strings.ToLower(name), "prefetch") || strings.HasPrefix(name, "adviseHuge")
}

// speedOnly reports whether a statement only labels a phase or prefetches.
func (f *finder) speedOnly(n ast.Node) bool {
	var call ast.Expr
	switch n := n.(type) {
	case *ast.ExprStmt:
		call = n.X
	case *ast.DeferStmt:
		call = n.Call
	case *ast.AssignStmt:
		if len(n.Rhs) == 1 {
			call = n.Rhs[0]
		}
	}
	c, ok := call.(*ast.CallExpr)
	if !ok {
		return false
	}
	path, name := f.callee(c)
	return strings.HasSuffix(path, "/internal/phase") || onlySpeed(name)
}

// callee returns the package and the name of the called function or method, with an empty path for builtin
// functions.
func (f *finder) callee(c *ast.CallExpr) (path, name string) {
	fun := ast.Unparen(c.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return "?", ""
	}
	switch obj := f.info.Uses[id].(type) {
	case *types.Builtin:
		return "", id.Name
	case nil:
		return "?", id.Name
	default:
		if obj.Pkg() != nil {
			return obj.Pkg().Path(), id.Name
		}
		return "?", id.Name
	}
}
