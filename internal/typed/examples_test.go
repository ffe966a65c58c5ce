package typed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	module = "github.com/zoctree/zoctree"
	root   = "../.." // the folder of the module
)

// listed is the record of a package that go list prints.
type listed struct {
	Dir, ImportPath, Export, ForTest   string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// list returns the packages of the module, and the files with the export data of all packages that they and their
// tests import.
func list(t *testing.T) (packages []listed, exports map[string]string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to list packages with")
	}
	cmd := exec.Command("go", "list", "-export", "-deps",
		"-json=Dir,ImportPath,Export,ForTest,GoFiles,TestGoFiles,XTestGoFiles", "./morton", "./soa", "./linear/...", "./query/...")
	cmd.Dir = root
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &said)
	}
	exports = map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, exports
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ForTest != "" || strings.HasSuffix(p.ImportPath, ".test") {
			continue
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module+"/") {
			packages = append(packages, p)
		}
	}
}

// nameOf returns the name of a function or method from the root. It returns "" for other functions and for methods of
// types that have no name outside their package.
func nameOf(of types.Object) string {
	f, ok := of.(*types.Func)
	if !ok || f.Pkg() == nil || !f.Exported() {
		return ""
	}
	f = f.Origin()
	name, ok := strings.CutPrefix(strings.TrimSuffix(f.Pkg().Path(), "_test"), module+"/")
	if !ok {
		return ""
	}
	recv := f.Signature().Recv()
	if recv == nil {
		return name + "." + f.Name()
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok && n.Obj().Exported() {
		return name + "." + n.Obj().Name() + "." + f.Name()
	}
	return ""
}

// shownIn returns the functions and methods that the examples of a package call, and the exported functions and
// methods of the package.
func shownIn(t *testing.T, p listed, exports map[string]string) (shown, exported map[string]bool) {
	t.Helper()
	shown, exported = map[string]bool{}, map[string]bool{}
	for _, names := range [][]string{append(slices.Clone(p.GoFiles), p.TestGoFiles...), p.XTestGoFiles} {
		fset := token.NewFileSet()
		var files []*ast.File
		for _, name := range names {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
		check := types.Config{
			Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }),
			Error:    func(error) {}, // tests may use names that only tests export, which are not in the export data
		}
		check.Check(p.ImportPath, fset, files, info)
		for i, f := range files {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if !strings.HasSuffix(names[i], "_test.go") {
					if name := nameOf(info.Defs[fn.Name]); name != "" {
						exported[name] = true
					}
				} else if strings.HasPrefix(path.Base(names[i]), "example_") || strings.HasPrefix(fn.Name.Name, "Example") {
					ast.Inspect(fn, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok {
							shown[nameOf(info.Uses[id])] = true
						}
						return true
					})
				}
			}
		}
	}
	return shown, exported
}

// needless returns the names that need no example, with the reason. A name ends in a star where it is the beginning
// of names.
func needless(t *testing.T) map[string]string {
	reasons := map[string]string{}
	list, err := os.ReadFile("testdata/needless.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, reason, ok := strings.Cut(line, " ")
		if !ok || reasons[name] != "" {
			t.Errorf("%q: want a name, once, and the reason", line)
		}
		reasons[name] = strings.TrimSpace(reason)
	}
	return reasons
}

// excused returns the line of the list that excuses a name from an example.
func excused(reasons map[string]string, name string) (line string, ok bool) {
	if _, method, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], "."); strings.HasSuffix(method, ".String") ||
		strings.HasSuffix(method, ".MarshalText") || strings.HasSuffix(method, ".UnmarshalText") || strings.HasSuffix(method, ".LogValue") || strings.HasSuffix(method, ".Error") || strings.HasSuffix(method, ".Unwrap") {
		return "", true // called by other packages
	}
	if reasons[name] != "" {
		return name, true
	}
	for line := range reasons {
		if begin, ok := strings.CutSuffix(line, "*"); ok && strings.HasPrefix(name, begin) {
			return line, true
		}
	}
	return "", false
}

// An example calls each function and method that users need. The list of the others states the reasons, and holds no
// other names.
func TestExamples(t *testing.T) {
	packages, exports := list(t)
	shown, exported := map[string]bool{}, map[string]bool{}
	for _, p := range packages {
		if strings.Contains(p.ImportPath, "/internal/") || strings.Contains(p.ImportPath+"/", "/asm/") {
			continue
		}
		s, e := shownIn(t, p, exports)
		maps.Copy(shown, s)
		maps.Copy(exported, e)
	}
	if len(exported) < 300 || len(shown) < 200 {
		t.Fatalf("%d functions and methods, %d in examples", len(exported), len(shown))
	}
	reasons := needless(t)
	unused := maps.Clone(reasons)
	missing := 0
	for _, name := range slices.Sorted(maps.Keys(exported)) {
		line, ok := excused(reasons, name)
		if delete(unused, line); ok && shown[name] && line == name {
			t.Errorf("%s has an example: needless.txt need not name it", name)
		} else if !ok && !shown[name] {
			missing++
			t.Errorf("%s is in no example", name)
		}
	}
	for line := range unused {
		t.Errorf("needless.txt names %s, which is not there", line)
	}
	if missing > 0 {
		t.Error(fmt.Sprintf("%d of %d functions and methods", missing, len(exported)))
	}
}
