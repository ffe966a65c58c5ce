package typed

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The files that write to columns. The pen marks each row that it writes for the readers of the row. The
// builders write whole trees or all tight boxes, and mark everything at once.
var (
	pen      = []string{"packet_boxes.go", "packet_copy.go", "packet_edit.go", "packet_remove.go", "shape_edit.go"}
	builders = []string{"build.go", "build_leaves.go", "build_topology.go", "shape_refit.go"}

	// The openers, in package internal/file, fill unpublished trees from a file, or write lanes of their own.
	openers = []string{"columns.go", "check_packets.go", "open.go", "state.go"}
)

// tells are the methods that mark rows as written; only the pen and the builders call them.
var tells = []string{"touch", "touchAll", "touchBoxes", "touchNode", "refitLater", "refitLaterIf"}

// ofIDs are sets whose members are not rows, but objects of a tree, entries of a scene, or marks of a check.
var ofIDs = []string{"Due", "gone", "Held", "Leaving", "seen"}

// readers are the methods of columns that write to no row.
var readers = []string{"Bounded", "Bytes", "Box", "Columns", "EachFree", "Fits", "FreeList", "Limit", "MaskAt", "Masked", "Object", "Oriented", "SetLimit", "Sphere", "UniformMask", "Unused"}

// kernels are the functions of package asm/build that write to columns.
var kernels = []string{"FillPackets", "FillRecords", "MoveBoxes", "ReduceNodes", "ReducePackets", "WriteBalls", "WriteBoxes"}

// Only the pen and the builders write to a column of a tree, mark a row or set the location of an object.
func TestPen(t *testing.T) {
	w := newWriters(t)
	writes := map[string]int{}
	for folder, allowed := range map[string][]string{
		"linear/internal/octree": slices.Concat(pen, builders), "linear/internal/file": openers, "linear/internal/instance": nil, "linear": nil,
	} {
		for _, x := range w.find(t, folder, w.sources(t, folder)) {
			name := filepath.Base(x.file)
			writes[name]++
			if !slices.Contains(allowed, name) && name != "touched.go" {
				t.Errorf("%s:%d: %s", x.file, x.line, x.what)
			}
		}
	}
	for _, name := range slices.Concat(pen, builders, openers) {
		if writes[name] == 0 {
			t.Errorf("%s writes to no column: this test does not see it, or need not name it", name)
		}
	}
}

// The search finds every form of write: the number after "want=" is the number of writes in the line.
func TestPenSearch(t *testing.T) {
	const text = `package octree

func (t *Tree) scrawl(n *soa.Node, box *soa.AABB) {
	p := &t.Store.Packets
	p.Counts[0] = 1                             // want=1
	p.Counts[0]++                               // want=1
	p.IDs[0][1], p.Masks[2][3] = 4, 5           // want=2
	p.PlacementBoxes[0].Min[1] = 1                       // want=1
	t.Store.Nodes.Hot[0].Child[1] = 2           // want=1
	n.Mask[1] = 0                               // want=1
	b := &t.Store.Nodes.Hot[0].Bounds
	b[0][1] = 2                                 // want=1
	keys := &t.Store.Nodes.Keys[0]
	keys[0] = 1                                 // want=1
	row := p.IDs[0][:]
	row[0] = 1                                  // want=1
	for i := range t.Store.Nodes.Hot[0].Child {
		child := &t.Store.Nodes.Hot[0].Child[i]
		*child = 0                              // want=1
	}
	for p.Counts[0] = range 3 {                 // want=1
	}
	p.SetBox(0, 0, box)                         // want=1
	p.Put(0, 0, 0, nil)                         // want=1
	t.Store.Nodes.Free(0)                       // want=1
	t.Store.Empty()                             // want=1
	clear(p.Counts)                             // want=1
	copy(p.IDs, p.Masks)                        // want=1
	build.ReduceNodes(t.Store.Nodes.Hot, nil, nil) // want=1
	p.Parents = nil                             // want=1
	t.IDs.Where[3] = 5                          // want=1
	t.Dirty.Add(1)                              // want=1
	t.touchNode(2)                              // want=1
}

func (t *Tree) look() {
	p := &t.Store.Packets
	count := p.Counts[0]
	count++
	box := p.Box(0, 0)
	box.Min[0] = 1
	keys := t.Store.Nodes.Keys[0]
	keys[0] = 1
	home := p.PlacementBoxes[0]
	home.Min[0] = 2
	t.Store.Pending[0] = 3
	t.Displaced[0] = uint32(count)
	at := map[uint32]int{}
	at[p.IDs[0][0]] = 1
	for _, id := range p.IDs[0] {
		id++
	}
	t.Dirty.Has(1)
	t.Leaving.Add(1)
}
`
	w := newWriters(t)
	sources := w.sources(t, "linear/internal/octree")
	head := strings.Replace(text, "package octree\n", `package octree; import ("github.com/zoctree/zoctree/asm/build"; "github.com/zoctree/zoctree/soa")`+"\n", 1)
	sources = append(sources, w.parse(t, "scrawl.go", head))
	got := map[int]int{}
	for _, x := range w.find(t, "linear/internal/octree", sources) {
		if x.file == "scrawl.go" {
			got[x.line]++
		}
	}
	line := 0
	for text := range strings.Lines(head) {
		line++
		want := 0
		if _, n, ok := strings.Cut(text, "want="); ok {
			want = int(n[0] - '0')
		}
		if got[line] != want {
			t.Errorf("line %d: %d writes found, want %d: %s", line, got[line], want, strings.TrimSpace(text))
		}
	}
}

// writers finds writes to columns by the types of expressions.
type writers struct {
	fset *token.FileSet
	pkgs map[string]*types.Package
	info *types.Info

	columns map[types.Object]bool // fields of columns, and ids.Where
	alias   map[types.Object]bool // variables that point into columns
	rows    map[*types.Named]bool // types of rows: a *Node is one of a tree
	holders map[*types.Named]bool // structs that contain columns
}

type write struct {
	file string
	line int
	what string
}

func newWriters(t *testing.T) *writers {
	t.Helper()
	w := &writers{
		fset: token.NewFileSet(), pkgs: map[string]*types.Package{},
		columns: map[types.Object]bool{}, alias: map[types.Object]bool{},
		rows: map[*types.Named]bool{}, holders: map[*types.Named]bool{},
	}
	soa, err := w.Import(module + "/soa")
	if err != nil {
		t.Fatal(err)
	}
	named := func(name string) *types.Named { return soa.Scope().Lookup(name).Type().(*types.Named) }
	for _, name := range []string{"Node", "Packet", "SphereLanes", "OrientedLanes"} {
		w.rows[named(name)] = true
	}
	for _, name := range []string{"NodeColumns", "PacketColumns", "IDs"} {
		holder := named(name)
		w.holders[holder] = name != "IDs"
		fields := holder.Underlying().(*types.Struct)
		for i := range fields.NumFields() {
			f := fields.Field(i)
			if _, column := f.Type().(*types.Slice); column && (name != "IDs" || f.Name() == "Where") {
				w.columns[f] = true
			}
		}
	}
	if len(w.columns) < 15 {
		t.Fatalf("%d columns found", len(w.columns))
	}
	return w
}

func (w *writers) parse(t *testing.T, name string, text any) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(w.fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Import type-checks a package of the module. Other packages are empty: no column has a type of theirs.
func (w *writers) Import(path string) (*types.Package, error) {
	if pkg := w.pkgs[path]; pkg != nil {
		return pkg, nil
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	rest, ours := strings.CutPrefix(path, module+"/")
	if !ours {
		pkg := types.NewPackage(path, path[strings.LastIndexByte(path, '/')+1:])
		pkg.MarkComplete()
		w.pkgs[path] = pkg
		return pkg, nil
	}
	folder := filepath.Join(root, filepath.FromSlash(rest))
	list, err := build.ImportDir(folder, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range list.GoFiles {
		f, err := parser.ParseFile(w.fset, filepath.Join(folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: w, Error: func(error) {}}
	pkg, err := conf.Check(path, w.fset, files, nil)
	if pkg == nil {
		return nil, errors.Join(fmt.Errorf("package %s", path), err)
	}
	w.pkgs[path] = pkg
	return pkg, nil
}

// sources returns the files of a folder, without tests.
func (w *writers) sources(t *testing.T, folder string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			files = append(files, w.parse(t, name, nil))
		}
	}
	return files
}

// find returns the writes in the files of a folder.
func (w *writers) find(t *testing.T, folder string, files []*ast.File) (found []write) {
	t.Helper()
	w.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := types.Config{Importer: w, Error: func(error) {}}
	_, _ = conf.Check(path.Join(module, folder), w.fset, files, w.info) // the types of other modules are missing
	report := func(at ast.Node, format string, args ...any) {
		p := w.fset.Position(at.Pos())
		found = append(found, write{p.Filename, p.Line, fmt.Sprintf(format, args...)})
	}
	target := func(e ast.Expr) {
		if _, local := ast.Unparen(e).(*ast.Ident); !local && w.inColumn(e) {
			report(e, "%s is written outside of the pen (shape_edit.go, packet_edit.go)", types.ExprString(e))
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, e := range n.Lhs {
					if id, ok := e.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
						w.follow(id, n.Rhs[i])
					}
					target(e)
				}
			case *ast.IncDecStmt:
				target(n.X)
			case *ast.RangeStmt:
				if n.Tok == token.ASSIGN {
					for _, e := range []ast.Expr{n.Key, n.Value} {
						if e != nil {
							target(e)
						}
					}
				}
			case *ast.CallExpr:
				if what := w.call(n); what != "" {
					report(n, "%s %s outside of the pen (shape_edit.go, packet_edit.go)", types.ExprString(n.Fun), what)
				}
			}
			return true
		})
	}
	return found
}

// follow records a variable that points into a column: to a row, or a part of one.
func (w *writers) follow(id *ast.Ident, e ast.Expr) {
	obj := w.info.Defs[id]
	if obj == nil {
		obj = w.info.Uses[id]
	}
	if tv, ok := w.info.Types[e]; obj != nil && ok && tv.Type != nil && w.inColumn(e) {
		switch tv.Type.Underlying().(type) {
		case *types.Pointer, *types.Slice:
			w.alias[obj] = true
		}
	}
}

// inColumn reports whether an expression is a column, or a part of one.
func (w *writers) inColumn(e ast.Expr) bool {
	for {
		if tv, ok := w.info.Types[e]; ok && tv.Type != nil {
			if p, ok := tv.Type.(*types.Pointer); ok {
				if row, ok := p.Elem().(*types.Named); ok && w.rows[row] {
					return true
				}
			}
		}
		switch x := e.(type) {
		case *ast.Ident:
			return w.alias[w.info.Uses[x]]
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return false
			}
			e = x.X
		case *ast.SelectorExpr:
			if s := w.info.Selections[x]; s != nil && w.columns[s.Obj()] {
				return true
			}
			e = x.X
		default:
			return false
		}
	}
}

// setOfIDs reports whether an expression names a set of objects.
func setOfIDs(x ast.Expr) bool {
	f, ok := x.(*ast.SelectorExpr)
	return ok && slices.Contains(ofIDs, f.Sel.Name)
}

// call returns the name of a call that only the pen may make; "": it is none.
func (w *writers) call(c *ast.CallExpr) string {
	if id, ok := c.Fun.(*ast.Ident); ok {
		if (id.Name == "clear" || id.Name == "copy") && w.inColumn(c.Args[0]) {
			return "writes to a column"
		}
		return ""
	}
	f, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	name := f.Sel.Name
	if s := w.info.Selections[f]; s != nil {
		recv := s.Recv()
		if p, ok := recv.(*types.Pointer); ok {
			recv = p.Elem()
		}
		named, _ := recv.(*types.Named)
		switch {
		case named == nil:
		case w.holders[named] && !slices.Contains(readers, name), named.Obj().Name() == "Store" && name == "Empty":
			return "writes to columns"
		case named.Obj().Name() == "Tree" && slices.Contains(tells, name):
			return "marks a row"
		case named.Obj().Name() == "Set" && name == "Add" && !setOfIDs(f.X):
			return "marks a row"
		}
		return ""
	}
	if pkg, ok := f.X.(*ast.Ident); ok && pkg.Name == "build" && slices.Contains(kernels, name) {
		return "writes to columns"
	}
	return ""
}
