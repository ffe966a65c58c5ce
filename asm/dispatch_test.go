package asm_test

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// bodies returns the functions with a body of the packages that have assembly.
func bodies(t *testing.T, arch string) (funcs []*ast.FuncDecl) {
	t.Helper()
	var folders []string
	for _, file := range asmFiles(t, "_"+arch+".s") {
		folders = append(folders, filepath.Dir(file))
	}
	slices.Sort(folders)
	for _, folder := range slices.Compact(folders) {
		names, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			file := parse(t, name, nil)
			if !built(t, name, file, arch) {
				continue
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					funcs = append(funcs, f)
				}
			}
		}
	}
	return funcs
}

// dispatch finds the calls that are reachable while a tier is active: calls that no condition on cpu.Active rules
// out.
type dispatch struct {
	active string
	call   func(name string)
}

// truth is the value of a condition, as far as the tier decides it.
type truth int

const (
	unknown truth = iota
	yes
	no
)

func (d *dispatch) isTier(e ast.Expr) (name string, ok bool) {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	p, ok := s.X.(*ast.Ident)
	return s.Sel.Name, ok && p.Name == "cpu"
}

// holds evaluates a condition.
func (d *dispatch) holds(e ast.Expr) truth {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return d.holds(e.X)
	case *ast.SelectorExpr:
		if name, ok := d.isTier(e); ok && name == "Narrow" {
			return no // the table of families is that of wide datapaths
		}
	case *ast.BinaryExpr:
		x, y := unknown, unknown
		switch e.Op {
		case token.LAND, token.LOR:
			x, y = d.holds(e.X), d.holds(e.Y)
			decides := no
			if e.Op == token.LOR {
				decides = yes
			}
			if x == decides || y == decides {
				return decides
			}
			if x == y {
				return x
			}
			return unknown
		}
		left, ok := d.isTier(e.X)
		right, okay := d.isTier(e.Y)
		if !ok || !okay || left != "Active" {
			return unknown
		}
		order := []string{"Go", "NEON", "AVX2", "AVX512"}
		a, b := slices.Index(order, d.active), slices.Index(order, right)
		return truthOf(map[token.Token]bool{
			token.EQL: a == b, token.NEQ: a != b, token.LSS: a < b, token.LEQ: a <= b, token.GTR: a > b, token.GEQ: a >= b,
		}[e.Op])
	}
	return unknown
}

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// block walks statements and reports whether they always return.
func (d *dispatch) block(list []ast.Stmt) (returns bool) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.IfStmt:
			c := d.holds(s.Cond)
			ends, elseEnds := false, false
			if c != no {
				ends = d.block(s.Body.List)
			}
			if c != yes && s.Else != nil {
				elseEnds = d.block([]ast.Stmt{s.Else})
			}
			if (c == no || ends) && (c == yes || elseEnds) {
				return true
			}
		case *ast.SwitchStmt:
			if d.cases(s) {
				return true
			}
		case *ast.BlockStmt:
			if d.block(s.List) {
				return true
			}
		case *ast.ForStmt:
			d.block(s.Body.List)
		case *ast.RangeStmt:
			d.block(s.Body.List)
		default:
			ast.Inspect(s, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if id, ok := call.Fun.(*ast.Ident); ok {
						d.call(id.Name)
					}
				}
				return true
			})
			if _, ok := s.(*ast.ReturnStmt); ok {
				return true
			}
		}
	}
	return false
}

// cases walks a switch, on the tier or on conditions.
func (d *dispatch) cases(s *ast.SwitchStmt) (returns bool) {
	tag := ""
	if s.Tag != nil {
		tag, _ = d.isTier(s.Tag)
	}
	all := true
	var otherwise *ast.CaseClause
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if c.List == nil {
			otherwise = c
			continue
		}
		when := no
		for _, e := range c.List {
			holds := unknown
			if s.Tag == nil {
				holds = d.holds(e)
			} else if name, ok := d.isTier(e); ok && tag == "Active" {
				holds = truthOf(name == d.active)
			}
			if holds == yes || holds == unknown && when == no {
				when = holds
			}
		}
		if when == no {
			continue
		}
		all = d.block(c.Body) && all
		if when == yes {
			return all
		}
	}
	return otherwise != nil && d.block(otherwise.Body) && all
}
