package layers

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// A measure counts words that make prose hard to read, as a share of all words of the comments of a package.
type measure struct {
	name  string
	words *regexp.Regexp
	code  int // limit per 1,000 words outside tests
	tests int // limit per 1,000 words in tests; 0: none
}

func wholeWords(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(` + alternatives + `)\b`)
}

var measures = []measure{
	{"pronouns for nouns", wholeWords(`what|whatever|whom|of which|of these|of those|those of|that of`), 3, 6},
	{"persons for machines", wholeWords(`looks?|looked|tells?|told|knows?|asks?|asked|answers|answered|comes?|goes|gone|lives?|dies?|wants?|gives? up|meets?`), 4, 0},
	{"nobody's subjects", wholeWords(`who|whoever|nobody|those (?:that|who|which)|all that|whichever|but for|in vain`), 1, 0},
}

// allowed is the number of uses that a text may have: the limit per 1,000 words, but as many as the limit in a text
// of fewer words.
func allowed(limit, words int) int { return max(limit, limit*words/1000) }

// comments returns the comments of a file as text, without directives and without outputs of examples.
func (s *source) comments() (text string) {
	var all strings.Builder
	for _, g := range s.file.Comments {
		lines := strings.Split(g.Text(), "\n") // without directives
		if s.test() {
			if i := slices.IndexFunc(lines, func(l string) bool { return outputs.MatchString(l) }); i >= 0 {
				lines = lines[:i]
			}
		}
		all.WriteString(strings.Join(lines, "\n"))
		all.WriteByte('\n')
	}
	return all.String()
}

var outputs = regexp.MustCompile(`^(Unordered output|Output):`)

// excess describes each measure that a text of comments exceeds.
func excess(text string, test bool) (all []string) {
	words := len(strings.Fields(text))
	for _, m := range measures {
		limit := m.code
		if test {
			limit = m.tests
		}
		if found := m.words.FindAllString(text, -1); limit > 0 && len(found) > allowed(limit, words) {
			all = append(all, fmt.Sprintf("%s: %d in %d words of comments, %d allowed: %q", m.name, len(found), words, allowed(limit, words), found))
		}
	}
	return all
}

// Comments are written in plain sentences, by three measures for each package and for its tests. Nested modules are
// included.
func TestProse(t *testing.T) {
	texts := map[string]*strings.Builder{}
	for _, s := range sources(t) {
		key := s.folder()
		if s.test() {
			key += " (tests)"
		}
		if texts[key] == nil {
			texts[key] = &strings.Builder{}
		}
		texts[key].WriteString(s.comments())
	}
	for key, text := range texts {
		for _, e := range excess(text.String(), strings.HasSuffix(key, " (tests)")) {
			t.Errorf("%s: %s", key, e)
		}
	}
}

// The measures count whole words, in any case, and a short text may have as many as the limit.
func TestProseMeasures(t *testing.T) {
	const four = "What it holds, of which some are, whom it serves; whatever. "
	for _, c := range []struct {
		text string
		test bool
		want int
	}{
		{"It reads whatever it holds. Lookup, somewhat, meeting.", false, 0},
		{four, false, 1},
		{four, true, 0},
		{four + four, true, 1},
		{four + strings.Repeat("word ", 1400), false, 0},
		{"It looks, tells, knows, asks and gives\nup.", false, 0},
		{"It looks, tells, knows, asks, meets and gives up.", false, 1},
		{"It looks, tells, knows, asks, meets and gives up.", true, 0},
		{"Nobody reads those that end.", false, 1},
	} {
		if got := excess(c.text, c.test); len(got) != c.want {
			t.Errorf("%q exceeds %q, want %d", c.text, got, c.want)
		}
	}
	s := parse(t, "a_test.go", "package a\n\n//go:generate what\nfunc Example() {\n\t// what\n\t// Output:\n\t// whom\n}\n")
	if got := strings.Fields(s.comments()); !slices.Equal(got, []string{"what"}) {
		t.Errorf("the comments are %q", got)
	}
}

// maxColumns is the width of comments.
const maxColumns = 120

// wide returns the lines of a Go file that are a comment and too wide. Tables, which are indented, addresses and
// outputs of examples may be wider.
func wide(text string) (lines []int) {
	number, output := 0, false
	for line := range strings.Lines(text) {
		number++
		comment, ok := strings.CutPrefix(strings.TrimLeft(line, "\t"), "//")
		output = ok && (output || outputs.MatchString(strings.TrimSpace(comment)))
		if ok && !output && !strings.HasPrefix(comment, "\t") && !strings.HasPrefix(comment, "go:") && !strings.Contains(comment, "://") &&
			utf8.RuneCountInString(strings.TrimRight(line, "\n")) > maxColumns {
			lines = append(lines, number)
		}
	}
	return lines
}

// No line that is a comment has more than 120 columns.
func TestCommentWidth(t *testing.T) {
	walk(t, func(name string, _ bool) {
		if path.Ext(name) == ".go" {
			for _, line := range wide(read(t, name)) {
				t.Errorf("%s:%d: the comment ends beyond column %d", name, line, maxColumns)
			}
		}
	})
	long := strings.Repeat("word ", 24)
	text := "package a\n\n// " + long + "\n//\t" + long + "\n// " + long[:maxColumns-3] + "\n// Output:\n// " + long + "\nvar a int // " + long + "\n"
	if got := wide(text); !slices.Equal(got, []int{3}) {
		t.Errorf("lines %v are too wide, want line 3", got)
	}
}

// documented calls do for each doc comment of a package clause, an exported type, function, method, constant,
// variable or field of a package for programs. Functions of exported types only are included.
func documented(t *testing.T, do func(s *source, name string, doc *ast.CommentGroup)) {
	t.Helper()
	for _, s := range sources(t) {
		if s.public() {
			s.documented(do)
		}
	}
}

func (s *source) documented(do func(s *source, name string, doc *ast.CommentGroup)) {
	call := func(name string, docs ...*ast.CommentGroup) {
		for _, d := range docs {
			if d != nil {
				do(s, name, d)
			}
		}
	}
	call("package "+s.file.Name.Name, s.file.Doc)
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.IsExported() {
				call("func "+d.Name.Name, d.Doc)
			} else if d.Recv != nil && ast.IsExported(receiver(d)) && d.Name.IsExported() {
				call(receiver(d)+"."+d.Name.Name, d.Doc)
			}
		case *ast.GenDecl:
			if d.Lparen.IsValid() {
				call("group", d.Doc)
			}
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if !spec.Name.IsExported() {
						continue
					}
					call("type "+spec.Name.Name, spec.Doc)
					if !d.Lparen.IsValid() {
						call("type "+spec.Name.Name, d.Doc)
					}
					ast.Inspect(spec.Type, func(n ast.Node) bool {
						if f, ok := n.(*ast.Field); ok {
							for _, id := range f.Names {
								if id.IsExported() {
									call(spec.Name.Name+"."+id.Name, f.Doc, f.Comment)
									break
								}
							}
						}
						return true
					})
				case *ast.ValueSpec:
					if spec.Names[0].IsExported() {
						call(spec.Names[0].Name, spec.Doc, spec.Comment)
						if !d.Lparen.IsValid() {
							call(spec.Names[0].Name, d.Doc)
						}
					}
				}
			}
		}
	}
}

// readWords reads a list of words, one a line; # begins a comment.
func readWords(t *testing.T, name string) (words []string) {
	t.Helper()
	for line := range strings.Lines(read(t, path.Join("internal/layers/testdata", name))) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			words = append(words, line)
		}
	}
	return words
}

// phrases returns an expression that finds any of the phrases as whole words, in any case, also across lines.
func phrases(of []string) *regexp.Regexp {
	all := make([]string, len(of))
	for i, p := range of {
		all[i] = strings.ReplaceAll(regexp.QuoteMeta(p), " ", `\s+`)
	}
	return wholeWords(strings.Join(all, "|"))
}

// Doc comments of exported names use no retired word.
func TestRetiredWords(t *testing.T) {
	words := phrases(readWords(t, "words.txt"))
	documented(t, func(s *source, name string, doc *ast.CommentGroup) {
		for _, w := range words.FindAllString(doc.Text(), -1) {
			t.Errorf("%s:%d: the comment of %s uses %q, which is retired", s.name, s.line(doc.Pos()), name, w)
		}
	})
	if found := words.FindAllString("Nobody comes home, and strays\nlook: gives\nup.", -1); len(found) != 5 {
		t.Errorf("found %q, want five retired words", found)
	}
}

// firstSentence returns the first sentence of a text.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if i := sentenceEnd.FindStringIndex(text); i != nil {
		return text[:i[0]+1]
	}
	return text
}

var sentenceEnd = regexp.MustCompile(`[.:] [A-Z]`)

// The first sentences of packages, types and functions contain a term of the field: a term of the glossary, or one of
// terms.txt. Such a sentence is found by a search.
func TestFirstSentences(t *testing.T) {
	terms := readWords(t, "terms.txt")
	glossary := 0
	for line := range strings.Lines(read(t, "linear/GLOSSARY.md")) {
		if cells := strings.Split(line, " | "); len(cells) == 3 && cells[0] != "| word" {
			terms = append(terms, strings.TrimPrefix(cells[0], "| "))
			glossary++
		}
	}
	if glossary < 80 {
		t.Fatalf("the glossary has %d terms", glossary)
	}
	for i, term := range terms { // with plural forms
		if stem, ok := strings.CutSuffix(term, "y"); ok {
			terms[i] = stem + "(?:y|ys|ies)"
		} else {
			terms[i] = term + "(?:s|es)?"
		}
	}
	known := wholeWords(strings.Join(terms, "|"))
	count := 0
	documented(t, func(s *source, name string, doc *ast.CommentGroup) {
		kind, _, ok := strings.Cut(name, " ")
		if !ok {
			return
		}
		count++
		first := firstSentence(doc.Text())
		if kind != "package" { // the name alone does not explain it
			_, first, _ = strings.Cut(first, " ")
		}
		if !known.MatchString(first) {
			t.Errorf("%s:%d: %s: no term of the glossary in %q", s.name, s.line(doc.Pos()), name, first)
		}
	})
	if count < 200 {
		t.Errorf("%d comments of packages, types and functions", count)
	}
}

// Each doc link in the comments of packages for programs names an exported identifier.
func TestDocLinks(t *testing.T) {
	packages := map[string]map[string]bool{}
	for _, s := range sources(t) {
		if s.public() || !s.test() && !s.nested && s.file.Name.Name != "main" {
			if packages[s.folder()] == nil {
				packages[s.folder()] = map[string]bool{}
			}
			s.declared(packages[s.folder()])
		}
	}
	links := 0
	check := func(s *source, doc *ast.CommentGroup) {
		for _, l := range docLinks(doc.Text()) {
			of, name := s.folder(), l
			if first, rest, ok := strings.Cut(l, "."); ok && !ast.IsExported(first) || !ok && !ast.IsExported(l) {
				of, name = s.imported(first), rest
				if of == "" {
					continue // of another module, or no link
				}
			}
			links++
			if alias, rest, ok := strings.Cut(name, "."); ok && !packages[of][name] {
				of, name = "soa", alias+"."+rest // types of linear are often aliases of types of soa
			}
			if name != "" && !packages[of][name] {
				t.Errorf("%s:%d: [%s] links to nothing", s.name, s.line(doc.Pos()), l)
			}
		}
	}
	documented(t, func(s *source, _ string, doc *ast.CommentGroup) { check(s, doc) })
	if links < 300 {
		t.Errorf("%d links", links)
	}
	if got := docLinks("a [T], [*p.T.M] and a[i], [0, 1], [see this]\n\tcode [X]\n[E]."); !slices.Equal(got, []string{"T", "p.T.M", "E"}) {
		t.Errorf("the links are %q", got)
	}
}

var docLink = regexp.MustCompile(`(?:^|[\s(])\[\*?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,2})\]`)

// docLinks returns the targets of the doc links of a comment.
func docLinks(text string) (all []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		for _, m := range docLink.FindAllStringSubmatch(line, -1) {
			all = append(all, m[1])
		}
	}
	return all
}

// declared adds the declared names of a file: those of the package, methods and fields with their types.
func (s *source) declared(to map[string]bool) {
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				to[d.Name.Name] = true
			} else {
				to[receiver(d)+"."+d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					to[spec.Name.Name] = true
					ast.Inspect(spec.Type, func(n ast.Node) bool {
						if f, ok := n.(*ast.Field); ok {
							for _, id := range f.Names {
								to[spec.Name.Name+"."+id.Name] = true
							}
						}
						return true
					})
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						to[id.Name] = true
					}
				}
			}
		}
	}
}

// imported returns the folder of the package that a file imports under a name; "" for a package of another module.
func (s *source) imported(name string) string {
	for _, i := range s.file.Imports {
		p := strings.Trim(i.Path.Value, `"`)
		if folder, ok := strings.CutPrefix(p, module+"/"); ok && (i.Name != nil && i.Name.Name == name || i.Name == nil && path.Base(p) == name) {
			return folder
		}
	}
	return ""
}
