package layers

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

var (
	// optionsName is the name of a struct of options. Labels are those of inserted points.
	optionsName = regexp.MustCompile(`^(Labels|\w*(Config|Options))$`)

	zeroMeaning = regexp.MustCompile(`(?i)\b(0|zero|nil|false|unless|without)\b`)
	firstOf     = regexp.MustCompile(`(?s)^.*?[.:](\s|$)`)
)

// The first sentence of a struct of options says what its zero value means, and the comment of each field what zero
// means there. Negative numbers have a name.
func TestOptions(t *testing.T) {
	types, fields := 0, 0
	for _, s := range sources(t) {
		if !s.public() || s.folder() != "linear" && !strings.HasPrefix(s.folder(), "linear/") {
			continue
		}
		for _, decl := range s.file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				of, ok := spec.(*ast.TypeSpec)
				if !ok || !optionsName.MatchString(of.Name.Name) {
					continue
				}
				body, ok := of.Type.(*ast.StructType)
				if !ok {
					continue
				}
				types++
				if first := firstOf.FindString(gen.Doc.Text()); !strings.Contains(first, "zero value") {
					t.Errorf("%s:%d: the first sentence of %s does not say what the zero value means: %q", s.name, s.line(of.Pos()), of.Name.Name, first)
				}
				for _, f := range body.Fields.List {
					if fields++; f.Names == nil || !f.Names[0].IsExported() {
						continue
					}
					text := f.Doc.Text() + f.Comment.Text()
					if !zeroMeaning.MatchString(text) {
						t.Errorf("%s:%d: the comment of %s.%s does not say what zero means", s.name, s.line(f.Pos()), of.Name.Name, f.Names[0].Name)
					}
					if strings.Contains(text, "negative") || strings.Contains(text, "-1") {
						t.Errorf("%s:%d: the comment of %s.%s gives a negative number a meaning, but no name", s.name, s.line(f.Pos()), of.Name.Name, f.Names[0].Name)
					}
				}
			}
		}
	}
	if types < 7 || fields < 30 {
		t.Errorf("%d structs of options with %d fields are found", types, fields)
	}
}
