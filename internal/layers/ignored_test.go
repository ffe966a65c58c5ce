package layers

import (
	"go/ast"
	"path"
	"regexp"
	"strings"
	"testing"
)

// ignored is the mark of a declaration that is not dead, on its line or before it.
const ignored = "//lint:ignore U1000 assembly reads it"

// Names kept from the search for dead code are read by assembly of their package.
func TestIgnored(t *testing.T) {
	assembly := map[string]string{} // by folder
	walk(t, func(name string, _ bool) {
		if ext := path.Ext(name); ext == ".s" || ext == ".h" {
			assembly[path.Dir(name)] += read(t, name)
		}
	})
	for _, s := range sources(t) {
		if !strings.Contains(read(t, s.name), "//lint:") {
			continue
		}
		declared := map[int]string{} // names by their lines
		for _, d := range s.file.Decls {
			if d, ok := d.(*ast.GenDecl); ok {
				for _, spec := range d.Specs {
					if spec, ok := spec.(*ast.ValueSpec); ok {
						declared[s.line(spec.Pos())] = spec.Names[0].Name
					}
				}
			}
		}
		for _, group := range s.file.Comments {
			for _, c := range group.List {
				if !strings.HasPrefix(c.Text, "//lint:") {
					continue
				}
				line := s.line(c.Pos())
				name, ok := declared[line]
				if !ok {
					name = declared[line+1]
				}
				read := name != "" && regexp.MustCompile(`(·|\bconst_)`+name+`\b`).MatchString(assembly[s.folder()])
				if c.Text != ignored || !read {
					t.Errorf("%s:%d: %s: want %q, and a variable or constant that assembly in %s reads; found %q", s.name, line, c.Text, ignored, s.folder(), name)
				}
			}
		}
	}
}
