package layers

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// An entry is an identifier that must not be reintroduced: package.name is any declaration of a package, and
// package.Type.name a method or field of a type. A name alone is of all packages.
type entry struct {
	pkg, typ, name string // pkg is the folder from the root
	reason         string // the new name, or why there is none
}

func (e *entry) String() string {
	id := e.name
	if e.typ != "" {
		id = e.typ + "." + id
	}
	if e.pkg != "" {
		id = e.pkg + "." + id
	}
	return id
}

// parseEntry parses a line: the identifier, and the reason.
func parseEntry(line string) (*entry, error) {
	id, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
	dir, last := path.Split(id)
	parts := strings.Split(last, ".")
	e := &entry{name: parts[len(parts)-1], reason: strings.TrimSpace(reason)}
	switch len(parts) {
	case 3:
		e.typ = parts[1]
		fallthrough
	case 2:
		e.pkg = dir + parts[0]
	}
	if e.reason == "" || e.name == "" || len(parts) > 3 || e.pkg == "" && dir != "" {
		return nil, fmt.Errorf("%q is not: [package.[Type.]]name, and the new name or a reason", line)
	}
	return e, nil
}

// compound reports whether a name is no word of the language: the prose of its package may then be searched for it.
func (e *entry) compound() bool {
	inner := e.name[1:]
	return strings.ContainsFunc(inner, unicode.IsUpper) && strings.ToUpper(inner) != inner || strings.ContainsAny(inner, "_0123456789")
}

// A register is a list of entries by their names, and the names of all packages.
type register struct {
	entries map[string][]*entry
	bases   map[string]bool // last parts of the folders of packages
}

func newRegister(entries []*entry, folders map[string]bool) *register {
	r := &register{map[string][]*entry{}, map[string]bool{}}
	for _, e := range entries {
		r.entries[e.name] = append(r.entries[e.name], e)
	}
	for folder := range folders {
		r.bases[path.Base(folder)] = true
	}
	return r
}

// A use is a line that uses a retired identifier.
type use struct {
	line int
	of   *entry
}

// A search covers one file.
type search struct {
	*register
	folder  string
	imports map[string]string // folders of the module by the names they are imported as
	found   []use
}

// declared checks the declaration of a name, in typ if it is a method or a field.
func (f *search) declared(s *source, typ string, id *ast.Ident) {
	for _, e := range f.entries[id.Name] {
		if e.pkg == f.folder && (e.typ == "" || e.typ == typ) {
			f.found = append(f.found, use{s.line(id.Pos()), e})
		}
	}
}

// members checks the fields and methods that a type declares.
func (f *search) members(s *source, typ string, of ast.Node) {
	ast.Inspect(of, func(n ast.Node) bool {
		var list *ast.FieldList
		switch n := n.(type) {
		case *ast.StructType:
			list = n.Fields
		case *ast.InterfaceType:
			list = n.Methods
		default:
			return true
		}
		for _, field := range list.List {
			for _, id := range field.Names {
				f.declared(s, typ, id)
			}
		}
		return true
	})
}

// inGo finds the uses in a Go file: declarations in the package of the entry, qualified names anywhere, and the uses
// that inText finds in comments.
func (r *register) inGo(s *source) []use {
	f := &search{register: r, folder: s.folder(), imports: map[string]string{}}
	for _, spec := range s.file.Imports {
		to, _ := strconv.Unquote(spec.Path.Value)
		if to, ours := strings.CutPrefix(to, module+"/"); ours {
			name := path.Base(to)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			f.imports[name] = to
		}
	}
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			typ := ""
			if d.Recv != nil {
				typ = receiver(d)
			}
			f.declared(s, typ, d.Name)
			f.members(s, "", d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					f.declared(s, "", spec.Name)
					f.members(s, spec.Name.Name, spec)
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						f.declared(s, "", id)
					}
					f.members(s, "", spec)
				}
			}
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			for _, e := range r.entries[n.Name] {
				if e.pkg == "" {
					f.found = append(f.found, use{s.line(n.Pos()), e})
				}
			}
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok {
				for _, e := range r.entries[n.Sel.Name] {
					if e.pkg != "" && e.pkg == f.imports[of.Name] && e.typ == "" {
						f.found = append(f.found, use{s.line(n.Pos()), e})
					}
				}
			}
		}
		return true
	})
	for _, group := range s.file.Comments {
		for _, c := range group.List {
			f.inText(c.Text, s.line(c.Pos()), false)
		}
	}
	return f.found
}

// inFile finds the uses in a file of assembly or prose.
func (r *register) inFile(name, text string) []use {
	f := &search{register: r, folder: path.Dir(name)}
	ext := path.Ext(name)
	f.inText(text, 1, ext == ".s" || ext == ".h")
	return f.found
}

// chain is a name with its qualifiers.
var chain = regexp.MustCompile(`\w+(?:\.\w+)*`)

// inText finds the uses in a text that starts on a line.
func (f *search) inText(text string, line int, assembly bool) {
	counted := 0
	for _, at := range chain.FindAllStringIndex(text, -1) {
		line += strings.Count(text[counted:at[0]], "\n")
		counted = at[0]
		before, after := text[:at[0]], text[at[1]:]
		sure := strings.HasSuffix(strings.TrimSuffix(before, "*"), "[") && strings.HasPrefix(after, "]") // a link of go doc
		names := strings.Split(text[at[0]:at[1]], ".")
		if assembly {
			constant, isConst := strings.CutPrefix(names[0], "const_")
			sure = isConst || strings.HasSuffix(before, "·")
			names[0] = constant
			if typ, field, ok := strings.Cut(constant, "_"); ok && len(names) == 1 && !isConst && f.entries[constant] == nil {
				names = []string{typ, field}
			}
		}
		for i, name := range names {
			for _, e := range f.entries[name] {
				if f.means(e, names[:i], sure && i == len(names)-1) {
					f.found = append(f.found, use{line, e})
				}
			}
		}
	}
}

// means reports whether a name in a text, after others, is that of the entry.
func (f *search) means(e *entry, after []string, sure bool) bool {
	if e.pkg == "" {
		return true
	}
	base := path.Base(e.pkg)
	if len(after) > 0 && f.bases[after[0]] {
		if to, ok := f.imports[base]; after[0] != base || ok && to != e.pkg {
			return false // of another package
		}
		return e.typ == "" && len(after) <= 2 || len(after) == 2 && after[1] == e.typ
	}
	if f.folder != e.pkg {
		return false
	}
	if e.typ != "" {
		return len(after) > 0 && after[len(after)-1] == e.typ
	}
	return sure || e.compound()
}
