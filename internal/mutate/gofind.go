package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// goSource is a package with its types.
type goSource struct {
	pkg      *pkg
	rel      string
	fset     *token.FileSet
	files    []*ast.File
	src      map[string][]byte // by path from the root
	info     *types.Info
	importer types.Importer
}

// goSource reads and type-checks a package of the module.
func (m *module) goSource(ctx context.Context, path_ string) (*goSource, error) {
	p := m.pkgs[path_]
	out, err := m.run(ctx, m.root, "go", m.goFlags("list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", path_)...)
	if err != nil {
		return nil, err
	}
	export := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if name, file, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			export[name] = file
		}
	}
	s := &goSource{pkg: p, rel: m.rel(path_), fset: token.NewFileSet(), src: map[string][]byte{}}
	s.importer = importer.ForCompiler(s.fset, "gc", func(name string) (io.ReadCloser, error) {
		if export[name] == "" {
			return nil, fmt.Errorf("no export data of %s", name)
		}
		return os.Open(export[name])
	})
	for _, name := range p.GoFiles {
		src, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		rel := path.Join(s.rel, name)
		f, err := parser.ParseFile(s.fset, rel, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.src[rel], s.files = src, append(s.files, f)
	}
	s.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	return s, s.check(s.files, s.info)
}

func (s *goSource) check(files []*ast.File, info *types.Info) error {
	conf := types.Config{Importer: s.importer, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	_, err := conf.Check(s.pkg.ImportPath, s.fset, files, info)
	return err
}

// mutants returns the candidates of the package.
func (s *goSource) mutants(match func(name string) bool) []*Mutant {
	var all []*Mutant
	for _, file := range s.files {
		name := s.fset.Position(file.Package).Filename
		if !match(path.Base(name)) || onlySpeed(path.Base(name)) {
			continue
		}
		f := finder{file: name, src: s.src[name], tok: s.fset.File(file.Package), info: s.info}
		for _, d := range file.Decls {
			f.decl(d)
		}
		all = append(all, number(f.found)...)
	}
	return all
}

// compiles reports whether the package with the mutant passes the type checker.
func (s *goSource) compiles(m *Mutant) bool {
	text, err := parser.ParseFile(s.fset, m.File, m.apply(s.src[m.File]), parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	files := make([]*ast.File, len(s.files))
	for i, f := range s.files {
		files[i] = f
		if s.fset.Position(f.Package).Filename == m.File {
			files[i] = text
		}
	}
	return s.check(files, nil) == nil
}
