package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

var relational = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
}

var logic = map[token.Token]token.Token{token.LAND: token.LOR, token.LOR: token.LAND}

var arithmetic = map[token.Token]token.Token{
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.QUO,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.MUL_ASSIGN: token.QUO_ASSIGN,
	token.QUO_ASSIGN: token.MUL_ASSIGN, token.REM_ASSIGN: token.QUO_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
}

var bitwise = map[token.Token]token.Token{
	token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND, token.AND_NOT: token.AND,
	token.SHL: token.SHR, token.SHR: token.SHL,
	token.AND_ASSIGN: token.OR_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN, token.XOR_ASSIGN: token.AND_ASSIGN,
	token.AND_NOT_ASSIGN: token.AND_ASSIGN, token.SHL_ASSIGN: token.SHR_ASSIGN, token.SHR_ASSIGN: token.SHL_ASSIGN,
}

// finder collects the mutants of one Go file.
type finder struct {
	file  string
	src   []byte
	tok   *token.File
	info  *types.Info
	fn    string // the function, its first and last line
	from  int
	to    int
	found []*Mutant
}

func (f *finder) offset(p token.Pos) int { return f.tok.Offset(p) }

func (f *finder) textOf(n ast.Node) string {
	return string(f.src[f.offset(n.Pos()):f.offset(n.End())])
}

// edit adds the mutant that replaces the bytes from pos to end by text, and displays it as a change of the
// node shown.
func (f *finder) edit(op string, shown ast.Node, pos, end token.Pos, text string) {
	start, stop := f.offset(pos), f.offset(end)
	from, to := min(start, f.offset(shown.Pos())), max(stop, f.offset(shown.End()))
	at := f.tok.Position(pos)
	f.found = append(f.found, &Mutant{
		File: f.file, Line: at.Line, Col: at.Column, Func: f.fn, Op: op,
		Before: squeeze(string(f.src[from:to])),
		After:  squeeze(string(f.src[from:start]) + text + string(f.src[stop:to])),
		start:  start, end: stop, text: text, from: f.from, to: f.to,
	})
}

func (f *finder) replace(op string, n ast.Node, text string) { f.edit(op, n, n.Pos(), n.End(), text) }

func (f *finder) token(op string, n ast.Node, pos token.Pos, from token.Token, to map[token.Token]token.Token) {
	if with, ok := to[from]; ok {
		f.edit(op, n, pos, pos+token.Pos(len(from.String())), with.String())
	}
}

// decl finds the mutants of a declaration.
func (f *finder) decl(d ast.Decl) {
	f.fn, f.from, f.to = "", 0, 0
	if fd, ok := d.(*ast.FuncDecl); ok {
		if fd.Body == nil || onlyText[fd.Name.Name] && fd.Recv != nil || onlySpeed(fd.Name.Name) {
			return
		}
		f.fn, f.from, f.to = funcName(fd), f.tok.Line(fd.Pos()), f.tok.Line(fd.End())
		ast.PreorderStack(fd.Body, []ast.Node{fd}, f.node)
		return
	}
	if gd, ok := d.(*ast.GenDecl); ok && gd.Tok != token.IMPORT {
		ast.PreorderStack(gd, nil, f.node)
	}
}

func funcName(fd *ast.FuncDecl) string {
	if fd.Recv == nil {
		return fd.Name.Name
	}
	t := fd.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + fd.Name.Name
		default:
			return fd.Name.Name
		}
	}
}

// node finds the mutants of a node and reports whether to visit its children.
func (f *finder) node(n ast.Node, stack []ast.Node) bool {
	if f.speedOnly(n) {
		return false
	}
	switch n := n.(type) {
	case *ast.ArrayType:
		return false // an array length: longer arrays waste memory without other effect
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.IncDecStmt:
		f.token("arithmetic", n, n.TokPos, n.Tok, arithmetic)
		f.remove(n, stack)
	case *ast.AssignStmt:
		f.assign(n, stack)
	case *ast.BasicLit:
		f.literal(n, around(n, stack))
	case *ast.SliceExpr:
		f.bounds(n)
	case *ast.IfStmt:
		f.condition(n)
	case *ast.ExprStmt:
		f.remove(n, stack)
	case *ast.SendStmt:
		f.remove(n, stack)
	case *ast.DeferStmt:
		f.remove(n, stack)
	case *ast.BranchStmt:
		if n.Tok == token.BREAK || n.Tok == token.CONTINUE {
			f.replace("leave", n, "")
		}
	case *ast.ReturnStmt:
		if _, last := stack[len(stack)-2].(*ast.FuncDecl); !last {
			f.replace("leave", n, "")
		}
	case *ast.CompositeLit:
		f.fields(n)
	case *ast.Ident:
		if c, ok := f.info.Uses[n].(*types.Const); ok && c.Parent() == types.Universe && (n.Name == "true" || n.Name == "false") {
			f.edit("bool", around(n, stack), n.Pos(), n.End(), strconv.FormatBool(n.Name == "false"))
		}
	case *ast.CallExpr:
		return f.call(n)
	}
	return true
}

func (f *finder) binary(n *ast.BinaryExpr) {
	f.token("relational", n, n.OpPos, n.Op, relational)
	f.token("logic", n, n.OpPos, n.Op, logic)
	f.token("bits", n, n.OpPos, n.Op, bitwise)
	if f.numeric(n.X) {
		f.token("arithmetic", n, n.OpPos, n.Op, arithmetic)
	}
}

func (f *finder) numeric(x ast.Expr) bool {
	t := f.info.TypeOf(x)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0 || isTypeParam(t)
}

func isTypeParam(t types.Type) bool { _, ok := t.(*types.TypeParam); return ok }

func (f *finder) assign(n *ast.AssignStmt, stack []ast.Node) {
	if n.Tok == token.DEFINE {
		return
	}
	if f.numeric(n.Lhs[0]) {
		f.token("arithmetic", n, n.TokPos, n.Tok, arithmetic)
	}
	f.token("bits", n, n.TokPos, n.Tok, bitwise)
	f.remove(n, stack)
	if _, field := n.Lhs[0].(*ast.SelectorExpr); field && n.Tok == token.ASSIGN && len(n.Lhs) == 1 {
		f.zero(n, n.Rhs[0], f.info.TypeOf(n.Lhs[0]))
	}
}

// remove removes a statement, if it is in a list or in the header of a for.
func (f *finder) remove(n ast.Stmt, stack []ast.Node) {
	if _, comm := stack[len(stack)-1].(*ast.CommClause); !comm {
		f.replace("remove", n, "")
	}
}

// around returns the node to display for a constant: its parent, unless that is large.
func around(n ast.Node, stack []ast.Node) ast.Node {
	switch above := stack[len(stack)-1].(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.ParenExpr, *ast.KeyValueExpr,
		*ast.AssignStmt, *ast.ReturnStmt, *ast.ValueSpec:
		if above.End()-above.Pos() < 120 {
			return above
		}
	}
	return n
}

func (f *finder) literal(n *ast.BasicLit, shown ast.Node) {
	switch n.Kind {
	case token.INT:
		v, err := strconv.ParseUint(n.Value, 0, 64)
		if err != nil {
			return
		}
		show := func(v uint64) string {
			if strings.HasPrefix(n.Value, "0x") {
				return "0x" + strconv.FormatUint(v, 16)
			}
			return strconv.FormatUint(v, 10)
		}
		f.edit("constant", shown, n.Pos(), n.End(), show(v+1))
		if v > 0 {
			f.edit("constant", shown, n.Pos(), n.End(), show(v-1))
		}
	case token.FLOAT:
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil {
			f.edit("constant", shown, n.Pos(), n.End(), strconv.FormatFloat(v+1, 'g', -1, 64))
		}
	}
}

func (f *finder) bounds(n *ast.SliceExpr) {
	if n.Low != nil {
		f.edit("bound", n, n.Low.End(), n.Low.End(), "+1")
	}
	if n.High != nil {
		f.edit("bound", n, n.High.End(), n.High.End(), "-1")
	}
}

func (f *finder) condition(n *ast.IfStmt) {
	if b, ok := n.Cond.(*ast.BinaryExpr); !ok || b.Op != token.EQL && b.Op != token.NEQ {
		f.replace("negate", n.Cond, "!("+f.textOf(n.Cond)+")")
	}
	if n.Else != nil {
		f.edit("else", n.Else, n.Body.End(), n.Else.End(), "")
	}
}

// fields replaces the fields of a struct literal by their zero values.
func (f *finder) fields(n *ast.CompositeLit) {
	t := f.info.TypeOf(n)
	if t == nil {
		return
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if _, ok := t.Underlying().(*types.Struct); !ok {
		return
	}
	for _, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			f.zero(kv, kv.Value, f.info.TypeOf(kv.Value))
		}
	}
}

func (f *finder) zero(shown ast.Node, value ast.Expr, t types.Type) {
	text := ""
	if t == nil || isTypeParam(t) {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsBoolean != 0:
			text = "false"
		case info&types.IsNumeric != 0:
			text = "0"
		case info&types.IsString != 0:
			text = `""`
		default:
			text = "nil"
		}
	case *types.Struct, *types.Array:
		return
	default:
		text = "nil"
	}
	v := f.info.Types[value].Value
	isZero := v != nil && (v.Kind() == constant.Bool && !constant.BoolVal(v) ||
		v.Kind() == constant.String && constant.StringVal(v) == "" || constant.Sign(orOne(v)) == 0)
	if !isZero && f.textOf(value) != text {
		f.edit("zero", shown, value.Pos(), value.End(), text)
	}
}

// orOne returns v if its sign is defined, else 1.
func orOne(v constant.Value) constant.Value {
	if v.Kind() == constant.Int || v.Kind() == constant.Float {
		return v
	}
	return constant.MakeInt64(1)
}

// call finds the mutants of a call itself and reports whether to visit its children.
func (f *finder) call(n *ast.CallExpr) bool {
	if f.info.Types[n.Fun].IsType() {
		return true
	}
	path, name := f.callee(n)
	switch {
	case path == "" && name == "make" || path == "slices" && name == "Grow":
		return f.making(n, name)
	case path == "" && name == "panic", path == "fmt", path == "errors" && name == "New", f.formats(n):
		return false // texts
	case (path == "" || path == "math") && strings.EqualFold(name, "min"):
		f.rename(n, name, "max")
		return true
	case (path == "" || path == "math") && strings.EqualFold(name, "max"):
		f.rename(n, name, "min")
		return true
	}
	if path == "log/slog" {
		return true // the order of attributes
	}
	for i := range len(n.Args) - 1 {
		a, b := n.Args[i], n.Args[i+1]
		ta, tb := f.info.TypeOf(a), f.info.TypeOf(b)
		if ta != nil && tb != nil && types.Identical(ta, tb) && f.textOf(a) != f.textOf(b) {
			between := string(f.src[f.offset(a.End()):f.offset(b.Pos())])
			f.edit("arguments", n, a.Pos(), b.End(), f.textOf(b)+between+f.textOf(a))
		}
	}
	return true
}

// formats reports whether the call has arguments like those of Printf.
func (f *finder) formats(n *ast.CallExpr) bool {
	sig, ok := f.info.TypeOf(n.Fun).(*types.Signature)
	if !ok || !sig.Variadic() || sig.Params().Len() < 2 {
		return false
	}
	text, ok := sig.Params().At(sig.Params().Len() - 2).Type().(*types.Basic)
	last, isSlice := sig.Params().At(sig.Params().Len() - 1).Type().(*types.Slice)
	return ok && text.Kind() == types.String && isSlice && types.IsInterface(last.Elem())
}

func (f *finder) rename(n *ast.CallExpr, name, to string) {
	if name[0] <= 'Z' {
		to = strings.ToUpper(to[:1]) + to[1:]
	}
	f.edit("minmax", n, n.Fun.End()-token.Pos(len(name)), n.Fun.End(), to)
}

// making visits the length of a make call, not the capacity.
func (f *finder) making(n *ast.CallExpr, name string) bool {
	if t := f.info.TypeOf(n); name == "make" && t != nil && len(n.Args) > 1 {
		if _, slice := t.Underlying().(*types.Slice); slice {
			if v := f.info.Types[n.Args[1]].Value; v == nil || constant.Sign(v) != 0 {
				ast.PreorderStack(n.Args[1], []ast.Node{n}, f.node)
			}
		}
	}
	return false
}
