package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
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

// A source is a Go file, of any platform and build tags.
type source struct {
	name   string // from the root, with slashes
	nested bool   // in a module below this one
	fset   *token.FileSet
	file   *ast.File
}

func (s *source) folder() string { return path.Dir(s.name) }
func (s *source) test() bool     { return strings.HasSuffix(s.name, "_test.go") }

func (s *source) line(at token.Pos) int { return s.fset.Position(at).Line }

// parse parses a Go file.
func parse(t *testing.T, name string, text any) *source {
	t.Helper()
	s := &source{name: name, fset: token.NewFileSet()}
	var err error
	if s.file, err = parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		t.Fatal(err)
	}
	return s
}

// walk calls do for the files of the module and of modules below it, by their names from the root; files in testdata
// are data.
func walk(t *testing.T, do func(name string, nested bool)) {
	t.Helper()
	below := map[string]bool{} // folders of modules below this one
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if !d.IsDir() {
			do(name, below[path.Dir(name)])
			return nil
		}
		if base := d.Name(); base == "testdata" || base[0] == '.' || base[0] == '_' {
			return fs.SkipDir
		}
		_, err = os.Stat(filepath.Join(root, name, "go.mod"))
		below[name] = err == nil || below[path.Dir(name)]
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// read returns the contents of a file.
func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var parsed []*source // by the first call of sources

// sources returns the Go files. Tests do not change them.
func sources(t *testing.T) (all []*source) {
	t.Helper()
	if parsed != nil {
		return slices.Clone(parsed)
	}
	walk(t, func(name string, nested bool) {
		if path.Ext(name) == ".go" {
			s := parse(t, name, read(t, name))
			s.nested = nested
			all = append(all, s)
		}
	})
	if len(all) == 0 {
		t.Fatal("no Go file")
	}
	parsed = slices.Clone(all)
	return all
}
