package asm_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostPerCall is the most that one call of a kernel may take, some 30
// microseconds of work: nodes, packets, slots, boxes or words.
var mostPerCall = map[string]int64{
	"nodesPerCall":          64,
	"packetsPerCall":        1000,
	"emitBudget":            1024,
	"fillPerCall":           128,
	"reducePerCall":         512,
	"readPerCall":           64, // packets from anywhere
	"encodePerCall":         4096,
	"encodePacketsPerCall":  512,
	"surveyPerCall":         4096,
	"streamPerCall":         1 << 15,
	"prefetchPerCall":       128, // rows
	"writePerCall":          32,  // packets, each with boxes from anywhere
	"ballsPerCall":          4096,
	"choosePerCall":         64, // nodes from anywhere
	"movesPerCall":          64, // packets from anywhere
	"movingPerCall":         256,
	"nearPerCall":           128,
	"sizePerCall":           64,
	"rayPerCall":            128,
	"rayNodesPerCall":       64,
	"rayPacketsPerCall":     1000,
	"selectPerCall":         512,
	"pairNodesPerCall":      16,   // tests of 16 lanes against a node each
	"pairPacketsPerCall":    128,  // tests of up to 17 boxes against a packet each
	"pairNearPerCall":       2048, // hits: a box against a packet each
	"pairEmitPerCall":       4096, // hits, each of up to 16 pairs
	"boxNodesPerCall":       400,  // nodes of 16 boxes, side by side
	"boxPacketsPerCall":     1000,
	"cutKeysPerCall":        4096,
	"cutObjectsPerCall":     256,
	"cutStepsPerCall":       16, // each of up to 256 objects
	"cutRowsPerCall":        4096,
	"visibleNodesPerCall":   32,      // nodes, each child against a picture, at up to three levels
	"visiblePacketsPerCall": 64,      // packets, each box against a picture, alike
	"conePixelsPerCall":     1 << 17, // planes of pixels
	"pyramidPixelsPerCall":  1 << 16,
	"runPerCall":            16,  // instances from anywhere, each of up to 16 packets
	"tilePiecesPerCall":     512, // each of up to 64 pixels
}

// source is the packages of kernels as they are built for one architecture.
type source struct {
	funcs []*function
	files map[string]*ast.File
}

// function is a function or a method with the names that its body mentions.
type function struct {
	*ast.FuncDecl
	folder   string
	id       symbol
	mentions map[symbol]bool
}

// symbol is a name at the top level of the package in a folder. Without types the receiver of a selector is unknown,
// so all methods and fields of a name are one symbol, without a folder.
type symbol struct{ folder, name string }

func parseSource(t *testing.T, arch string, tags ...string) *source {
	t.Helper()
	s := &source{files: map[string]*ast.File{}}
	for _, name := range namesIn(t, ".go") {
		if file := parse(t, name, nil); built(t, name, file, arch, tags...) {
			s.add(name, file)
		}
	}
	return s
}

// add lists the functions of a file.
func (s *source) add(name string, file *ast.File) {
	s.files[name] = file
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		folder := filepath.Dir(name)
		id := symbol{folder, f.Name.Name}
		if f.Recv != nil {
			id.folder = ""
		}
		s.funcs = append(s.funcs, &function{f, folder, id, mentioned(f, folder)})
	}
}

// mentioned lists the symbols in the body of a function of that folder.
func mentioned(f *ast.FuncDecl, folder string) map[symbol]bool {
	found, selected := map[symbol]bool{}, map[*ast.Ident]bool{}
	if f.Body == nil {
		return found
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			of := ""
			if x, ok := n.X.(*ast.Ident); ok {
				of = imported[x.Name]
			}
			found[symbol{of, n.Sel.Name}] = true
			selected[n.Sel] = true
		case *ast.Ident:
			if !selected[n] {
				found[symbol{folder, n.Name}] = true
			}
		}
		return true
	})
	return found
}

// folders are where kernels are, imported the names of their packages in each other.
var (
	folders  = []string{".", "build", "cull", "depth", "internal/lane", "pair", "trace", "../internal/mem"}
	imported = map[string]string{
		"asm": ".", "build": "build", "cull": "cull", "depth": "depth", "lane": "internal/lane", "pair": "pair", "trace": "trace",
		"mem": "../internal/mem",
	}
)

// namesIn lists the files of the folders with that ending.
func namesIn(t *testing.T, ending string) (names []string) {
	t.Helper()
	for _, folder := range folders {
		found, err := filepath.Glob(filepath.Join(folder, "*"+ending))
		if err != nil || len(found) == 0 && ending == ".go" {
			t.Fatalf("%s: %d files, %v", folder, len(found), err)
		}
		names = append(names, found...)
	}
	return names
}

func (f *function) has(directive string) bool {
	return f.Doc != nil && slices.ContainsFunc(f.Doc.List, func(c *ast.Comment) bool { return c.Text == directive })
}

// kernel reports whether f is an assembly stub that takes memory.
func (f *function) kernel() bool {
	if f.Body != nil {
		return false
	}
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		_, pointer := p.Type.(*ast.StarExpr)
		return pointer
	})
}

// users returns the other functions that mention f.
func (s *source) users(f *function) (users []*function) {
	for _, user := range s.funcs {
		if user != f && user.mentions[f.id] {
			users = append(users, user)
		}
	}
	return users
}

// stops returns the functions that are never inlined and through which all calls of f pass; ok is false when a call
// avoids them.
func (s *source) stops(f *function) (stops []*function, ok bool) {
	users := s.users(f)
	for _, user := range users {
		if user.has("//go:noinline") {
			stops = append(stops, user)
			continue
		}
		if ast.IsExported(user.Name.Name) {
			return nil, false
		}
		above, ok := s.stops(user)
		if !ok {
			return nil, false
		}
		stops = append(stops, above...)
	}
	return stops, len(users) > 0
}

// A method, a function and one of another package that have the same name have their own users.
func TestUsersOfFunctions(t *testing.T) {
	s := &source{files: map[string]*ast.File{}}
	s.add("a.go", parse(t, "a.go", `package asm

func same() { same() }
func (t *T) same() { t.same() }
func function() { same() }
func (t *T) method() { t.same() }
func field() { t.list[0].same() }
func other() { mem.same() }
func value() { run(same) }
func none() { mem.list(); t.function() }
`))
	s.add("../internal/mem/a.go", parse(t, "../internal/mem/a.go", `package mem

func same() {}
func inside() { same() }
func back() { asm.same() }
`))
	for i, want := range map[int][]string{
		0: {"function", "value", "back"}, 1: {"method", "field"}, 2: nil, 3: nil, 8: {"other", "inside"},
	} {
		var have []string
		for _, f := range s.users(s.funcs[i]) {
			have = append(have, f.Name.Name)
		}
		if !slices.Equal(have, want) {
			t.Errorf("%v is used by %q, want %q", s.funcs[i].id, have, want)
		}
	}
}

// passesNumber reports whether f passes the named function a literal number.
func (f *function) passesNumber(name string) (found bool) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			id, ok := call.Fun.(*ast.Ident)
			found = found || ok && id.Name == name && slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
				_, number := arg.(*ast.BasicLit)
				return number
			})
		}
		return !found
	})
	return found
}

// Assembly cannot be preempted, so each kernel is called only by functions that
// are never inlined, with work that a constant bounds: the function itself or
// each one that calls it mentions that constant, or passes a plain number.
func TestKernelsAreBounded(t *testing.T) {
	bounds := func(f *function) bool {
		for name := range mostPerCall {
			if f.mentions[symbol{f.folder, name}] {
				return true
			}
		}
		return false
	}
	for _, arch := range []string{"amd64", "arm64"} {
		s := parseSource(t, arch)
		kernels := 0
		for _, f := range s.funcs {
			if !f.kernel() {
				continue
			}
			kernels++
			if !f.has("//go:noescape") {
				t.Errorf("%s: %s is not //go:noescape", arch, f.Name)
			}
			stops, ok := s.stops(f)
			if !ok {
				t.Errorf("%s: %s is called outside a //go:noinline function", arch, f.Name)
			}
			for _, stop := range stops {
				if bounds(stop) {
					continue
				}
				callers := s.users(stop)
				if len(callers) == 0 {
					t.Errorf("%s: nothing calls %s, which runs %s", arch, stop.Name, f.Name)
				}
				for _, caller := range callers {
					if !bounds(caller) && !caller.passesNumber(stop.Name.Name) {
						t.Errorf("%s: %s calls %s, which runs %s, without a bound", arch, caller.Name, stop.Name, f.Name)
					}
				}
			}
		}
		if kernels == 0 && arch == "amd64" {
			t.Error("no kernels found")
		}
	}
	pure := parseSource(t, "amd64", "purego")
	for _, f := range pure.funcs {
		if f.Body == nil {
			t.Errorf("purego: %s has no body", f.Name)
		}
	}
}

// A kernel that is not called by its name could be called from anywhere.
func TestKernelsAreNotValues(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		s := parseSource(t, arch)
		kernels := map[symbol]bool{}
		for _, f := range s.funcs {
			kernels[f.id] = kernels[f.id] || f.kernel()
		}
		for name, file := range s.files {
			called := map[*ast.Ident]bool{}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if id, ok := n.Fun.(*ast.Ident); ok {
						called[id] = true
					}
				case *ast.FuncDecl:
					called[n.Name] = true
				case *ast.Ident:
					if kernels[symbol{filepath.Dir(name), n.Name}] && !called[n] {
						t.Errorf("%s: %s is used without a call", name, n.Name)
					}
				}
				return true
			})
		}
	}
}

// The constants have the documented values, and the table holds every constant of that kind.
func TestPerCallConstants(t *testing.T) {
	found := map[string]bool{}
	for _, arch := range []string{"amd64", "arm64"} {
		for file, f := range parseSource(t, arch).files {
			ast.Inspect(f, func(n ast.Node) bool {
				spec, ok := n.(*ast.ValueSpec)
				if !ok {
					return true
				}
				for i, id := range spec.Names {
					if !strings.HasSuffix(id.Name, "PerCall") && !strings.HasSuffix(id.Name, "Budget") {
						continue
					}
					found[id.Name] = true
					most, listed := mostPerCall[id.Name]
					if !listed {
						t.Errorf("%s: %s has no bound in this test", file, id.Name)
						continue
					}
					if n, ok := number(spec.Values[i]); !ok || n < 1 || n > most {
						t.Errorf("%s: %s is %d (a number: %v), want 1 to %d", file, id.Name, n, ok, most)
					}
				}
				return true
			})
		}
	}
	for name := range mostPerCall {
		if !found[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

var (
	wideRegister = regexp.MustCompile(`\b[YZ]([12]?[0-9]|3[01])\b`)
	fusedProduct = regexp.MustCompile(`\bVFN?M(ADD|SUB)|\bFN?M(ADD|SUB)|\bVFML[AS]\b`)
	macroName    = regexp.MustCompile(`^#define\s+(\w+)`)
	word         = regexp.MustCompile(`\w+`)
)

// asmText is an assembly file without comments and blank lines, continued lines
// joined.
func asmText(t *testing.T, name string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	continued := false
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		part := strings.TrimSuffix(line, "\\")
		switch {
		case continued:
			lines[len(lines)-1] += "; " + part
		case part != "":
			lines = append(lines, part)
		}
		continued = part != line
	}
	return lines
}

// routine describes a function or a macro: whether it uses a register of 32 or 64 bytes, and for each return whether
// VZEROUPPER precedes it.
type routine struct {
	wide    bool
	returns []bool
	last    string
}

// add appends the next statement, which may call a macro.
func (r *routine) add(statement string, macros map[string]*routine) {
	r.wide = r.wide || wideRegister.MatchString(statement)
	name := word.FindString(statement)
	for _, argument := range word.FindAllString(statement, -1) {
		if m := macros[argument]; m != nil { // a macro may take macros
			r.wide = r.wide || m.wide
		}
	}
	if m := macros[name]; m != nil {
		r.wide = r.wide || m.wide
		r.returns = append(r.returns, m.returns...)
		r.last = m.last
		return
	}
	if name == "RET" {
		r.returns = append(r.returns, r.last == "VZEROUPPER")
	}
	r.last = name
}

func (r *routine) clean() bool {
	return !r.wide || len(r.returns) > 0 && !slices.Contains(r.returns, false)
}

// No kernel fuses a product with a sum, and each that uses a register of 32 or
// 64 bytes, itself or in a macro, ends in VZEROUPPER.
func TestAssemblyRules(t *testing.T) {
	macros := map[string]*routine{}
	functions := 0
	for _, name := range append(asmFiles(t, ".h"), asmFiles(t, ".s")...) {
		texts := map[string]*routine{}
		into := &routine{}
		for _, line := range asmText(t, name) {
			if fusedProduct.MatchString(line) {
				t.Errorf("%s: fused: %s", name, line)
			}
			if m := macroName.FindStringSubmatch(line); m != nil {
				macro := &routine{}
				_, body, _ := strings.Cut(line, ";")
				for statement := range strings.SplitSeq(body, ";") {
					if statement = strings.TrimSpace(statement); statement != "" {
						macro.add(statement, macros)
					}
				}
				macros[m[1]] = macro
				continue
			}
			if strings.HasPrefix(line, "TEXT") {
				into = &routine{}
				texts[strings.Fields(line)[1]] = into
				continue
			}
			for statement := range strings.SplitSeq(line, ";") {
				if statement = strings.TrimSpace(statement); statement != "" {
					into.add(statement, macros)
				}
			}
		}
		for symbol, r := range texts {
			functions++
			if !r.clean() {
				t.Errorf("%s: %s returns without VZEROUPPER", name, symbol)
			}
		}
	}
	if functions == 0 {
		t.Error("no functions found")
	}
}
