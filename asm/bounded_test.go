package asm_test

import (
	"go/ast"
	"go/build"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
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
	"nodesPerCall":         64,
	"packetsPerCall":       1000,
	"emitBudget":           1024,
	"fillPerCall":          128,
	"reducePerCall":        512,
	"encodePerCall":        4096,
	"encodePacketsPerCall": 512,
	"surveyPerCall":        4096,
	"streamPerCall":        1 << 15,
	"prefetchPerCall":      128, // rows
	"writePerCall":         32,  // packets, each with boxes from anywhere
	"ballsPerCall":         4096,
	"homePerCall":          64, // nodes from anywhere
	"movesPerCall":         64, // packets from anywhere
	"nearPerCall":          128,
	"sizePerCall":          64,
	"rayPerCall":           128,
	"selectPerCall":        512,
	"pairNodesPerCall":     16,   // tests of 16 lanes against a node each
	"pairPacketsPerCall":   128,  // tests of up to 17 boxes against a packet each
	"pairEmitPerCall":      4096, // hits, each of up to 16 pairs
	"multiPerCall":         1024, // tests of a node or a packet
	"boxNodesPerCall":      400,  // nodes of 16 boxes, side by side
	"boxPacketsPerCall":    1000,
	"cutKeysPerCall":       4096,
	"cutObjectsPerCall":    256,
	"cutStepsPerCall":      16, // each of up to 256 objects
	"cutRowsPerCall":       4096,
	"seenNodesPerCall":     32,      // nodes, each child against a picture, at up to three levels
	"seenPacketsPerCall":   64,      // packets, each box against a picture, alike
	"conePixelsPerCall":    1 << 17, // planes of pixels
	"pyramidPixelsPerCall": 1 << 16,
	"tilePiecesPerCall":    512, // each of up to 64 pixels
}

// source is the packages of kernels as they are built for one architecture.
type source struct {
	funcs map[string]*ast.FuncDecl // methods as Type.name
	files map[string]*ast.File
}

func parseSource(t *testing.T, arch string, tags ...string) *source {
	t.Helper()
	context := build.Default
	context.GOOS, context.GOARCH, context.BuildTags, context.CgoEnabled = "linux", arch, tags, false
	s := &source{funcs: map[string]*ast.FuncDecl{}, files: map[string]*ast.File{}}
	methods := map[string]bool{}
	for _, name := range namesIn(t, ".go") {
		built, err := context.MatchFile(filepath.Split(name))
		if err != nil {
			t.Fatal(err)
		}
		if !built || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		s.files[name] = file
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name != "init" {
				key := f.Name.Name
				if f.Recv != nil {
					methods[key] = true
					key = types.ExprString(f.Recv.List[0].Type) + "." + key
				}
				s.funcs[key] = f
			}
		}
	}
	for name := range methods { // calls are known by the name alone
		if s.funcs[name] != nil {
			t.Fatalf("%s: a method has the name of the function %s", arch, name)
		}
	}
	return s
}

// folders are where kernels are.
var folders = []string{".", "../internal/mem"}

// namesIn lists the files of these folders with that ending.
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

func has(f *ast.FuncDecl, directive string) bool {
	return f.Doc != nil && slices.ContainsFunc(f.Doc.List, func(c *ast.Comment) bool { return c.Text == directive })
}

// kernel reports whether f is an assembly stub that is given memory.
func kernel(f *ast.FuncDecl) bool {
	if f == nil || f.Body != nil {
		return false
	}
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		_, pointer := p.Type.(*ast.StarExpr)
		return pointer
	})
}

// mentions reports whether name occurs in the body of f.
func mentions(f *ast.FuncDecl, name string) (found bool) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// users returns the functions with a body that mention name.
func (s *source) users(name string) (users []*ast.FuncDecl) {
	for _, f := range s.funcs {
		if f.Body != nil && f.Name.Name != name && mentions(f, name) {
			users = append(users, f)
		}
	}
	return users
}

// stops returns the functions that are never inlined and through which all
// calls of the named one go; ok is false when a call avoids them.
func (s *source) stops(name string) (stops []*ast.FuncDecl, ok bool) {
	users := s.users(name)
	for _, f := range users {
		if has(f, "//go:noinline") {
			stops = append(stops, f)
			continue
		}
		if ast.IsExported(f.Name.Name) {
			return nil, false
		}
		above, ok := s.stops(f.Name.Name)
		if !ok {
			return nil, false
		}
		stops = append(stops, above...)
	}
	return stops, len(users) > 0
}

// passesNumber reports whether f gives the named function a number as it stands.
func passesNumber(f *ast.FuncDecl, name string) (found bool) {
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
	bounds := func(f *ast.FuncDecl) bool {
		for name := range mostPerCall {
			if mentions(f, name) {
				return true
			}
		}
		return false
	}
	for _, arch := range []string{"amd64", "arm64"} {
		s := parseSource(t, arch)
		kernels := 0
		for name, f := range s.funcs {
			if !kernel(f) {
				continue
			}
			kernels++
			if !has(f, "//go:noescape") {
				t.Errorf("%s: %s is not //go:noescape", arch, name)
			}
			stops, ok := s.stops(name)
			if !ok {
				t.Errorf("%s: %s is called outside a //go:noinline function", arch, name)
			}
			for _, stop := range stops {
				if bounds(stop) {
					continue
				}
				callers := s.users(stop.Name.Name)
				if len(callers) == 0 {
					t.Errorf("%s: nothing calls %s, which runs %s", arch, stop.Name.Name, name)
				}
				for _, caller := range callers {
					if !bounds(caller) && !passesNumber(caller, stop.Name.Name) {
						t.Errorf("%s: %s calls %s, which runs %s, without a bound", arch, caller.Name.Name, stop.Name.Name, name)
					}
				}
			}
		}
		if kernels == 0 && arch == "amd64" {
			t.Error("no kernels found")
		}
	}
	pure := parseSource(t, "amd64", "purego")
	for name, f := range pure.funcs {
		if f.Body == nil {
			t.Errorf("purego: %s has no body", name)
		}
	}
}

// A kernel that is not called by its name could be called from anywhere.
func TestKernelsAreNotValues(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		s := parseSource(t, arch)
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
					if kernel(s.funcs[n.Name]) && !called[n] {
						t.Errorf("%s: %s is used without a call", name, n.Name)
					}
				}
				return true
			})
		}
	}
}

// The constants hold what is documented, and no other constant of that kind
// escapes the table.
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
					text := types.ExprString(spec.Values[i])
					value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
					if err != nil {
						t.Fatalf("%s: %s is not a number: %v", file, id.Name, err)
					}
					if n, ok := constant.Int64Val(value.Value); !ok || n < 1 || n > most {
						t.Errorf("%s: %s is %s, want 1 to %d", file, id.Name, text, most)
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

// routine is what matters of a function or a macro: whether it uses a register
// of 32 or 64 bytes, and for each return whether VZEROUPPER comes before it.
type routine struct {
	wide    bool
	returns []bool
	last    string
}

// add takes the next statement, which may call a macro.
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
