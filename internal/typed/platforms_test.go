package typed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// platforms are the platforms on which all packages and their tests must type-check: each operating system and CPU with
// files of its own besides linux/amd64, which go vet checks, and for the files of all others one of 32 bits, a
// big-endian one and one without processes.
var platforms = []string{"linux/arm64", "windows/amd64", "darwin/arm64", "linux/386", "linux/s390x", "js/wasm"}

// All packages and their tests type-check on every platform, and each function without a body has one in assembly: what
// go build would refuse, in a fraction of its time. Packages of other modules and the standard library are read
// without the bodies of their functions.
func TestPlatforms(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to list packages with")
	}
	if testing.Short() {
		t.Skip("the section cross of .ci/run runs it")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	sources := &parsed{token.NewFileSet(), map[string]*ast.File{}}
	for _, target := range platforms {
		t.Run(strings.ReplaceAll(target, "/", "-"), func(t *testing.T) {
			goos, goarch, _ := strings.Cut(target, "/")
			p := platform{parsed: sources, goos: goos, goarch: goarch, pkgs: map[string]*types.Package{"unsafe": types.Unsafe}}
			for _, err := range p.check(root) {
				t.Error(err)
			}
			if p.ours < 100 {
				t.Errorf("%d packages of the module", p.ours)
			}
		})
	}
}

// A compiled is a package, or a package with its tests, that go list prints: its files on a platform.
type compiled struct {
	Dir, ImportPath, ForTest string
	Standard                 bool
	GoFiles, SFiles          []string
	ImportMap                map[string]string
	Error                    *struct{ Err string }
}

// parsed are the files of all platforms, which are parsed once.
type parsed struct {
	fset  *token.FileSet
	files map[string]*ast.File // by the path of the file
}

func (p *parsed) parse(path string) (f *ast.File, err error) {
	if f = p.files[path]; f == nil {
		f, err = parser.ParseFile(p.fset, path, nil, parser.SkipObjectResolution|parser.ParseComments)
		p.files[path] = f
	}
	return f, err
}

// A platform checks packages, in the order of their imports.
type platform struct {
	*parsed
	goos, goarch string
	pkgs         map[string]*types.Package
	ours         int // packages of the module, with tests and without
}

// check returns the faults of the packages of the module in a folder.
func (p *platform) check(folder string) (faults []error) {
	list := exec.Command("go", "list", "-e", "-deps", "-test", "-json=Dir,ImportPath,ForTest,Standard,GoFiles,SFiles,ImportMap,Error", "./...")
	list.Dir = folder
	list.Env = append(os.Environ(), "GOOS="+p.goos, "GOARCH="+p.goarch, "CGO_ENABLED=0")
	var said bytes.Buffer
	list.Stderr = &said
	out, err := list.Output()
	if err != nil {
		return []error{fmt.Errorf("go list: %w\n%s", err, &said)}
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var c compiled
		if err := d.Decode(&c); errors.Is(err, io.EOF) {
			return faults
		} else if err != nil {
			return append(faults, err)
		}
		if c.Error != nil {
			faults = append(faults, fmt.Errorf("%s: %s", c.ImportPath, c.Error.Err))
		} else if c.ImportPath != "unsafe" && !strings.HasSuffix(c.ImportPath, ".test") {
			faults = append(faults, p.add(&c)...)
		}
	}
}

// add checks a package. Its imports have been added.
func (p *platform) add(c *compiled) (faults []error) {
	// The variant of a package with tests of another one has the files of the package, which has been checked.
	path, variant, _ := strings.Cut(c.ImportPath, " [")
	ours := !c.Standard && (path == module || strings.HasPrefix(path, module+"/"))
	whole := ours && (variant == "" || strings.TrimSuffix(path, "_test") == c.ForTest)
	var files []*ast.File
	for _, name := range c.GoFiles {
		f, err := p.parse(filepath.Join(c.Dir, name))
		if err != nil {
			return []error{err}
		}
		files = append(files, f)
	}
	conf := types.Config{
		IgnoreFuncBodies: !whole,
		Sizes:            types.SizesFor("gc", p.goarch),
		Error: func(err error) {
			if ours {
				faults = append(faults, err)
			}
		},
		Importer: imports(func(path string) (*types.Package, error) {
			if mapped := c.ImportMap[path]; mapped != "" {
				path = mapped
			}
			if pkg := p.pkgs[path]; pkg != nil {
				return pkg, nil
			}
			return nil, fmt.Errorf("no package %s", path)
		}),
	}
	pkg, _ := conf.Check(path, p.fset, files, nil)
	p.pkgs[c.ImportPath] = pkg
	if whole {
		p.ours++
		faults = append(faults, p.bodies(c, files)...)
	}
	return faults
}

// imports is a types.Importer.
type imports func(path string) (*types.Package, error)

func (f imports) Import(path string) (*types.Package, error) { return f(path) }

// text matches the beginning of a function in assembly.
var text = regexp.MustCompile(`(?m)^TEXT\s+·(\w+)`)

// bodies returns the functions that have a body neither in Go nor in assembly.
func (p *platform) bodies(c *compiled, files []*ast.File) (faults []error) {
	var names []string
	for _, name := range c.SFiles {
		source, err := os.ReadFile(filepath.Join(c.Dir, name))
		if err != nil {
			return []error{err}
		}
		for _, m := range text.FindAllSubmatch(source, -1) {
			names = append(names, string(m[1]))
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body == nil && !slices.Contains(names, fn.Name.Name) && !linked(fn) {
				faults = append(faults, fmt.Errorf("%s: function %s has no body", p.fset.Position(fn.Pos()), fn.Name.Name))
			}
		}
	}
	return faults
}

// linked reports whether a function has its body in another package.
func linked(fn *ast.FuncDecl) bool {
	return fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:linkname ") })
}
