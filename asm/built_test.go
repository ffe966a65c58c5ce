package asm_test

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ends are the systems and architectures that select a file by the end of its name.
var ends = []string{"amd64", "arm64", "linux"}

// parse parses a file, which is read unless a text is given.
func parse(t *testing.T, name string, text any) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// built reports whether a file of a package is built on Linux for an architecture with these tags.
func built(t *testing.T, name string, file *ast.File, arch string, tags ...string) bool {
	t.Helper()
	holds := func(tag string) bool { return tag == "linux" || tag == arch || slices.Contains(tags, tag) }
	if strings.HasSuffix(name, "_test.go") {
		return false
	}
	stem := strings.TrimSuffix(filepath.Base(name), ".go")
	if end := stem[strings.LastIndexByte(stem, '_')+1:]; slices.Contains(ends, end) && !holds(end) {
		return false
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if c.Pos() > file.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			x, err := constraint.Parse(c.Text)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return x.Eval(holds)
		}
	}
	return true
}

// number returns the value of a literal, or of one that is shifted by another.
func number(e ast.Expr) (n int64, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		n, err := strconv.ParseInt(e.Value, 0, 64)
		return n, err == nil
	case *ast.BinaryExpr:
		x, isNumber := number(e.X)
		shift, isShift := number(e.Y)
		return x << min(max(shift, 0), 63), isNumber && isShift && e.Op == token.SHL && shift < 32 && x < 1<<31
	}
	return 0, false
}

// Files are selected by the ends of their names and by their constraints, numbers read as the compiler does.
func TestBuilt(t *testing.T) {
	for _, x := range []struct {
		name, constraint   string
		amd64, arm64, pure bool // pure is amd64 with the tag purego
	}{
		{"a.go", "", true, true, true},
		{"a_amd64.go", "", true, false, true},
		{"a_arm64.go", "", false, true, false},
		{"a_test.go", "", false, false, false},
		{"a_linux.go", "", true, true, true},
		{"a_other.go", "!linux", false, false, false},
		{"a_amd64.go", "amd64 && !purego", true, false, false},
		{"a_noasm.go", "(!amd64 && !arm64) || purego", false, false, true},
	} {
		text := "package a\n"
		if x.constraint != "" {
			text = "// A comment.\n\n//go:build " + x.constraint + "\n\n" + text + "\n//go:build ignore\n"
		}
		f := parse(t, x.name, text)
		if got := []bool{built(t, x.name, f, "amd64"), built(t, x.name, f, "arm64"), built(t, x.name, f, "amd64", "purego")}; !slices.Equal(got, []bool{x.amd64, x.arm64, x.pure}) {
			t.Errorf("%s, %q: %v, want %v", x.name, x.constraint, got, x)
		}
	}
	f := parse(t, "a.go", "package a\n\nvar _ = []int{64, 1 << 15, 0x10, -1, 1 << 70, 3 * 4, n}\n")
	list := f.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values[0].(*ast.CompositeLit).Elts
	for i, want := range []int64{64, 1 << 15, 16, -1, -1, -1, -1} {
		if n, ok := number(list[i]); ok != (want >= 0) || ok && n != want {
			t.Errorf("number %d is %d %v, want %d", i, n, ok, want)
		}
	}
}
