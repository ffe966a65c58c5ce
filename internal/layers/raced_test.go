package layers

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// The section race of .ci/run takes its tests from here.
var racedList = flag.String("raced", "", "write the folders of packages to `FILE`, a line each, with a pattern for go test -run of their tests that start goroutines")

// raced reports whether the tests of a folder are searched for goroutines. Those of bench/scale import large modules.
func raced(folder string) bool {
	return folder != "internal/layers" && !strings.HasPrefix(folder, "bench/scale/")
}

// calls are the relevant actions of the functions of tests, by their keys: the folder, a colon and the name. Methods
// of one name are one function.
type calls struct {
	starts  map[string]string   // why a function starts a goroutine itself
	callees map[string][]string // functions and methods that a function mentions
	declare map[string]token.Position
	workers map[string]bool // types with a field Workers in which 0 means one for each CPU, by package and name
}

func newCalls(all []*source) *calls {
	c := &calls{map[string]string{}, map[string][]string{}, map[string]token.Position{}, map[string]bool{}}
	for _, s := range all {
		if !s.test() && raced(s.folder()) {
			c.addTypes(s)
		}
	}
	for _, s := range all {
		if s.test() && raced(s.folder()) || strings.HasPrefix(s.folder(), "internal/testkit") {
			c.addFile(s)
		}
	}
	return c
}

// addTypes notes the exported types of a file with a field Workers in which 0 means one for each CPU. The types Config
// of trees are left out: small trees, as the tests have them in the normal form, are built by one goroutine.
func (c *calls) addTypes(s *source) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		t, ok := n.(*ast.TypeSpec)
		if !ok || strings.HasPrefix(s.folder(), "linear") && t.Name.Name == "Config" {
			return true
		}
		if st, ok := t.Type.(*ast.StructType); ok && t.Name.IsExported() {
			for _, f := range st.Fields.List {
				for _, name := range f.Names {
					if name.Name == "Workers" {
						c.workers[path.Base(s.folder())+"."+t.Name.Name] = !strings.Contains(f.Doc.Text(), "0 means 1:")
					}
				}
			}
		}
		return true
	})
}

func (c *calls) addFile(s *source) {
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		key := s.folder() + ":" + f.Name.Name
		if f.Recv != nil {
			key = s.folder() + ":." + f.Name.Name
		}
		c.declare[key] = s.fset.Position(f.Pos())
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if why := c.start(s, n); why != "" && c.starts[key] == "" {
				c.starts[key] = fmt.Sprintf("%s at %s:%d", why, s.name, s.line(n.Pos()))
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			fun := call.Fun
			switch f := fun.(type) { // of a generic function with its types
			case *ast.IndexExpr:
				fun = f.X
			case *ast.IndexListExpr:
				fun = f.X
			}
			switch f := fun.(type) {
			case *ast.SelectorExpr:
				if x, ok := f.X.(*ast.Ident); ok && (x.Name == "testkit" || x.Name == "trees") {
					c.callees[key] = append(c.callees[key], "internal/testkit:"+f.Sel.Name, "internal/testkit/trees:"+f.Sel.Name)
				} else if ok && x.Name == path.Base(s.folder()) { // exported for tests
					c.callees[key] = append(c.callees[key], s.folder()+":"+f.Sel.Name)
				}
				c.callees[key] = append(c.callees[key], s.folder()+":."+f.Sel.Name)
			case *ast.Ident:
				c.callees[key] = append(c.callees[key], s.folder()+":"+f.Name)
			}
			return true
		})
	}
}

// start returns the reason why a node starts a goroutine, "" if it does not.
func (c *calls) start(s *source, n ast.Node) string {
	one := func(e ast.Expr) bool {
		b, ok := e.(*ast.BasicLit)
		return ok && b.Value == "1"
	}
	switch n := n.(type) {
	case *ast.GoStmt:
		return "go"
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "new" && len(n.Args) == 1 && c.workers[typeName(s, n.Args[0])] {
			return typeName(s, n.Args[0])
		}
		f, ok := n.Fun.(*ast.SelectorExpr)
		if ok && (f.Sel.Name == "Go" && len(n.Args) == 1 || f.Sel.Name == "Parallel" && len(n.Args) == 0 ||
			f.Sel.Name == "NewServer" || f.Sel.Name == "Prepare" && len(n.Args) == 2 || f.Sel.Name == "Run" && len(n.Args) == 3) {
			return f.Sel.Name
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			f, ok := left.(*ast.SelectorExpr)
			if ok && strings.EqualFold(f.Sel.Name, "workers") && (len(n.Rhs) != len(n.Lhs) || !one(n.Rhs[i])) {
				return "Workers"
			}
		}
	case *ast.CompositeLit:
		named := c.workers[typeName(s, n.Type)]
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if k, ok := kv.Key.(*ast.Ident); ok && strings.EqualFold(k.Name, "workers") {
					if !one(kv.Value) {
						return "Workers"
					}
					named = false
				}
			}
		}
		if named {
			return typeName(s, n.Type)
		}
	case *ast.ValueSpec:
		if c.workers[typeName(s, n.Type)] && len(n.Values) == 0 {
			return typeName(s, n.Type)
		}
	}
	return ""
}

// typeName returns the package and name of a type in a file, "" of one that has no name.
func typeName(s *source, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return strings.TrimSuffix(s.file.Name.Name, "_test") + "." + e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			return x.Name + "." + e.Sel.Name
		}
	}
	return ""
}

// way returns the reason why a function starts a goroutine, by the functions on the way, "" if none does.
func (c *calls) way(from string) string {
	before := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if why := c.starts[at]; why != "" {
			for at = before[at]; at != ""; at = before[at] {
				why = at[strings.LastIndex(at, ":")+1:] + ", " + why
			}
			return why
		}
		for _, next := range c.callees[at] {
			_, declared := c.declare[next]
			if _, seen := before[next]; declared && !seen {
				before[next] = at
				queue = append(queue, next)
			}
		}
	}
	return ""
}

// The race detector can find something only in tests that start a goroutine, as far as the source of the tests and
// their helpers shows: by a go statement, t.Parallel, a field Workers other than 1, a team, or a directory that opens
// shards.
func TestRaced(t *testing.T) {
	c := newCalls(sources(t))
	names, test, count := map[string][]string{}, regexp.MustCompile(`^(Test|Fuzz|Example)`), 0
	for _, key := range slices.Sorted(maps.Keys(c.declare)) {
		folder, name, _ := strings.Cut(key, ":")
		if raced(folder) && test.MatchString(name) && name != "TestMain" && c.way(key) != "" {
			names[folder] = append(names[folder], name)
			count++
		}
	}
	if count < 200 || len(names) < 15 {
		t.Errorf("%d tests of %d packages start goroutines: the sources are not read right", count, len(names))
	}
	if *racedList != "" {
		var lines strings.Builder
		for _, folder := range slices.Sorted(maps.Keys(names)) {
			fmt.Fprintf(&lines, "%s ^(%s)$\n", folder, strings.Join(names[folder], "|"))
		}
		testkit.Must(t, os.WriteFile(*racedList, []byte(lines.String()), 0o644))
	}
}

// quoted is a pattern of tests in a script.
var quoted = regexp.MustCompile(`'(\^[^' ]*Test[^' ]*)'`)

// alternatives returns the expansions of a pattern, with one alternative of each group.
func alternatives(pattern string) (all []string) {
	open := strings.IndexByte(pattern, '(')
	if open < 0 {
		return []string{pattern}
	}
	depth, from := 0, open+1
	var group []string
	for i := open; i < len(pattern); i++ {
		switch pattern[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 || depth == 1 && pattern[i] == '|' {
			group = append(group, pattern[from:i])
			from = i + 1
		}
		if depth == 0 {
			break
		}
	}
	for _, part := range group {
		for _, rest := range alternatives(part + pattern[from:]) {
			all = append(all, pattern[:open]+rest)
		}
	}
	return all
}

// Each name in the patterns of the scripts is the name of a test: a renamed test would be run, or left out, without a
// message.
func TestPatternsOfScripts(t *testing.T) {
	var names []string
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test() && f.Recv == nil {
				names = append(names, f.Name.Name)
			}
		}
	}
	found := 0
	for _, script := range []string{".ci/run", ".ci/emulate", ".ci/portable", ".ci/pgo", ".ci/results"} {
		for _, m := range quoted.FindAllStringSubmatch(read(t, script), -1) {
			for _, one := range alternatives(m[1]) {
				found++
				pattern := regexp.MustCompile(one)
				if !slices.ContainsFunc(names, pattern.MatchString) {
					t.Errorf("%s: no test has a name like %s", script, one)
				}
			}
		}
	}
	if found < 40 {
		t.Errorf("the scripts name %d tests: the patterns are not read right", found)
	}
	if got := alternatives("^(E|T(a|b.*)$)x"); !slices.Equal(got, []string{"^Ex", "^Ta$x", "^Tb.*$x"}) {
		t.Errorf("alternatives %q", got)
	}
}

// The search finds goroutines that are started, directly or by helpers.
func TestGoroutineSearch(t *testing.T) {
	s := parse(t, "query/x_test.go", `package query
func TestGo(t *testing.T) { go f() }
func TestGroup(t *testing.T) { var w sync.WaitGroup; w.Go(func() {}) }
func TestParallel(t *testing.T) { t.Run("x", func(t *testing.T) { t.Parallel() }) }
func TestWorkers(t *testing.T) { b := linear.Config{Workers: n} }
func TestSet(t *testing.T) { b.Workers = 2 }
func TestHelped(t *testing.T) { helper(t) }
func TestMethod(t *testing.T) { x.far(t) }
func TestZero(t *testing.T) { var b query.Batch; _ = b }
func TestLiteral(t *testing.T) { _ = &Batch{} }
func TestServer(t *testing.T) { httptest.NewServer(h) }
func TestNew(t *testing.T) { _ = new(query.Batch) }
func TestExported(t *testing.T) { query.AtOnce() }
func AtOnce() { run(options{workers: 4}) }
func helper(t *testing.T) { generic[int](t) }
func generic[T any](t *testing.T) { go f() }
func (x) far(t *testing.T) { helper(t) }
func TestAlone(t *testing.T) { b := Batch{Workers: 1}; near(b); _ = collide.Batch{} }
func near(b Batch) { b.Workers, far = 1, One{} }
func far(t *testing.T) { go f() }
`)
	code := parse(t, "query/x.go", `package query
type Batch struct {
	// Workers: 0 means GOMAXPROCS.
	Workers int
}
type One struct {
	// Workers: 0 means 1: the caller's.
	Workers int
}
`)
	c := newCalls([]*source{s, code})
	for key := range c.declare {
		_, name, _ := strings.Cut(key, ":")
		if strings.HasPrefix(name, "Test") && (c.way(key) != "") != (name != "TestAlone") {
			t.Errorf("%s: %q", name, c.way(key))
		}
	}
}
