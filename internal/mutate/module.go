package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A pkg is a package of the module as listed by the go command.
type pkg struct {
	ImportPath, Dir                    string
	GoFiles, SFiles, HFiles            []string
	TestGoFiles, XTestGoFiles          []string
	Imports, TestImports, XTestImports []string
}

func (p *pkg) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// A module is a copy of a module, for one mutant at a time.
type module struct {
	root, path string
	tags       string
	pkgs       map[string]*pkg // by import path
}

// goEnv returns the environment of compilers and tests, without the variables that make tests longer or write
// their files.
func goEnv() []string {
	return append(slices.DeleteFunc(os.Environ(), func(s string) bool {
		return strings.HasPrefix(s, "ZOCTREE_")
	}), "GOWORK=off")
}

// run runs a program and returns its output.
func (m *module) run(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	out, _, err := m.timed(ctx, dir, name, args...)
	return out, err
}

// timed is run with the processor time.
func (m *module) timed(ctx context.Context, dir, name string, args ...string) ([]byte, float64, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, goEnv()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, cpuSeconds(cmd), err
}

// goFlags returns the flags of every build. They are identical, and without paths of folders, so that all
// builds share the build cache.
func (m *module) goFlags(verb string, more ...string) []string {
	flags := []string{verb, "-trimpath"}
	if m.tags != "" {
		flags = append(flags, "-tags", m.tags)
	}
	return append(flags, more...)
}

// load lists the packages of the module at root.
func load(ctx context.Context, root, tags string) (*module, error) {
	m := &module{root: root, tags: tags, pkgs: map[string]*pkg{}}
	out, err := m.run(ctx, root, "go", "list", "-m")
	if err != nil {
		return nil, err
	}
	m.path = strings.TrimSpace(string(out))
	out, err = m.run(ctx, root, "go", m.goFlags("list", "-json=ImportPath,Dir,GoFiles,SFiles,HFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports", "./...")...)
	if err != nil {
		return nil, err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &pkg{}
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return m, nil
		} else if err != nil {
			return nil, err
		}
		m.pkgs[p.ImportPath] = p
	}
}

// rel returns the folder of a package from the root, with slashes.
func (m *module) rel(path string) string {
	if path == m.path {
		return "."
	}
	return strings.TrimPrefix(path, m.path+"/")
}

// deps returns the packages of the module that the tests of p are linked with.
func (m *module) deps(p *pkg) map[string]bool {
	seen := map[string]bool{}
	var visit func(paths []string)
	visit = func(paths []string) {
		for _, path := range paths {
			if q := m.pkgs[path]; q != nil && !seen[path] {
				seen[path] = true
				visit(q.Imports)
			}
		}
	}
	visit([]string{p.ImportPath})
	visit(p.TestImports)
	visit(p.XTestImports)
	return seen
}

// judges returns the packages with tests that are linked with path.
func (m *module) judges(path string) []string {
	var js []string
	for _, p := range m.pkgs {
		if p.hasTests() && m.deps(p)[path] {
			js = append(js, p.ImportPath)
		}
	}
	slices.Sort(js)
	return js
}

// unused are folders that no test of the module reads: this program and the generator of kernels. Other
// nested modules are copied, because tests run them.
var unused = []string{"internal/mutate", "internal/asmgen"}

// copyModule copies the files of the module at from to a new folder, except unused ones and the data of
// version control.
func copyModule(from string) (string, error) {
	to, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return "", err
	}
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case rel == ".":
			return nil
		case d.Name() == ".git":
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			if slices.Contains(unused, filepath.ToSlash(rel)) {
				return filepath.SkipDir
			}
			return os.Mkdir(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, info.Mode().Perm())
	})
	if err != nil {
		os.RemoveAll(to)
		return "", err
	}
	return to, nil
}

// fingerprint returns a hash of all files below root.
func fingerprint(root string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		fmt.Fprintf(h, "%s %d\n", filepath.ToSlash(rel), len(data))
		h.Write(data)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), err
}
