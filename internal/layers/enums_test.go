package layers

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// noEnums are types of numbers with a String method that are no enumerations.
var noEnums = map[string]bool{"morton.Key": true, "morton.Key30": true}

// Every exported enumeration with a String method has MarshalText and UnmarshalText, so that JSON and expvar
// have names, not numbers.
func TestEnumsHaveText(t *testing.T) {
	integers, methods := map[string]bool{}, map[string]map[string]bool{}
	for _, s := range sources(t) {
		if s.test() || !s.public() || strings.HasPrefix(s.name, "asm/") {
			continue
		}
		of := s.file.Name.Name + "."
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				if d.Tok != token.TYPE {
					continue
				}
				for _, spec := range d.Specs {
					ts := spec.(*ast.TypeSpec)
					if id, ok := ts.Type.(*ast.Ident); ok && ts.Name.IsExported() && slices.Contains([]string{"uint8", "int8", "uint16", "uint32", "uint64", "int", "int32", "int64", "byte"}, id.Name) {
						integers[of+ts.Name.Name] = true
					}
				}
			case *ast.FuncDecl:
				if d.Recv != nil {
					name := of + receiver(d)
					if methods[name] == nil {
						methods[name] = map[string]bool{}
					}
					methods[name][d.Name.Name] = true
				}
			}
		}
	}
	found := 0
	for _, name := range slices.Sorted(maps.Keys(integers)) {
		if !methods[name]["String"] || noEnums[name] {
			continue
		}
		found++
		if !methods[name]["MarshalText"] || !methods[name]["UnmarshalText"] {
			t.Errorf("%s has String and lacks MarshalText or UnmarshalText", name)
		}
	}
	if found < 8 {
		t.Errorf("%d enumerations were found", found)
	}
}
