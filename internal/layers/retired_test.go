package layers

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// readRetired reads the list of retired identifiers.
func readRetired(t *testing.T, folders map[string]bool) (entries []*entry) {
	t.Helper()
	last := ""
	for line := range strings.Lines(read(t, "internal/layers/testdata/retired.txt")) {
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		e, err := parseEntry(line)
		switch {
		case err != nil:
			t.Fatal(err)
		case e.String() <= last:
			t.Errorf("%s comes after %s: the list is sorted, and names each once", e, last)
		case e.pkg != "" && !folders[e.pkg]:
			t.Errorf("%s: there is no package %s", e, e.pkg)
		}
		last = e.String()
		entries = append(entries, e)
	}
	return entries
}

// No Go file, comment, assembly or prose uses a retired name; modules below this one are included.
func TestRetired(t *testing.T) {
	files := sources(t)
	folders := map[string]bool{}
	for _, s := range files {
		folders[s.folder()] = true
	}
	r := newRegister(readRetired(t, folders), folders)
	report := func(name string, uses []use) {
		for _, u := range uses {
			t.Errorf("%s:%d uses %s, which is retired: %s", name, u.line, u.of, u.of.reason)
		}
	}
	for _, s := range files {
		report(s.name, r.inGo(s))
	}
	walk(t, func(name string, _ bool) {
		if ext := path.Ext(name); ext == ".s" || ext == ".h" || ext == ".md" {
			text := read(t, name)
			if name == changePage {
				text = firstCells.ReplaceAllString(text, "|") // the old names
			}
			report(name, r.inFile(name, text))
		}
	})
}

// changePage is the list of changes by version. The first cells of its tables hold old names.
const changePage = "linear/CHANGES.md"

var firstCells = regexp.MustCompile(`(?m)^\|[^|]*\|`)

// The search finds every form of a use, and leaves words alone that are not meant.
// A line says after "want=" what is found there.
func TestRetiredSearch(t *testing.T) {
	var entries []*entry
	for _, line := range []string{
		"Everywhere      elsewhere",
		"linear.share    evenOut",
		"linear.Tree.ask answer",
		"linear.Lanes    Used",
		"linear.growRoom makeRoom",
		"query/scene.Ask Answer",
	} {
		e, err := parseEntry(line)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	r := newRegister(entries, map[string]bool{"linear": true, "asm": true, "query/scene": true, "internal/scene": true})
	for name, text := range map[string]string{
		"linear/a.go": `package linear
import "` + module + `/query/scene"

// A share of all, and lanes or Lanes: words; asm.Lanes and asm.growRoom are others.
// Everywhere want=Everywhere
// growRoom is none, want=linear.growRoom
// see [Lanes] want=linear.Lanes
// see [Node.Lanes] want=linear.Lanes
// ask, [ask] and Forest.ask are not meant, Tree.ask is. want=linear.Tree.ask
type Tree struct {
	n, share int // want=linear.share
	ask int // want=linear.Tree.ask
}
type Forest struct{ ask int }
func (t *Tree) ask() {} // want=linear.Tree.ask
func (t *Forest) ask() {}
type Asker interface { share() } // want=linear.share
func share() { // want=linear.share
	share, ask := 1, 2
	_ = struct{ share int }{share: share + ask} // want=linear.share
	Everywhere := scene.Ask // want=Everywhere want=query/scene.Ask
	other.Ask()
}
const Lanes = 3 // want=linear.Lanes
`,
		"query/b.go": `package query
import (
	l "` + module + `/linear"
	"` + module + `/internal/scene"
)
// linear.share want=linear.share
// linear.Tree.share want=linear.share
// linear.Tree.ask want=linear.Tree.ask
// linear.ask, growRoom, [Lanes], Tree.ask and scene.Ask are not meant.
func share(x l.Lanes) { // want=linear.Lanes
	x.share, x.Lanes = scene.Ask(), linear.Lanes
}
`,
		"linear/c_amd64.s": `// a share of lanes
TEXT ·share(SB) // want=linear.share
	MOVQ share+8(FP), AX
	MOVQ Tree_ask(AX), BX // want=linear.Tree.ask
	MOVQ Forest_ask(AX), BX
	MOVQ Forest_share(AX), BX
	ADDQ $const_Lanes, AX // want=linear.Lanes
	CALL growRoom // want=linear.growRoom
	RET // Everywhere want=Everywhere
`,
		"query/d.md": `# Lanes and share
scene.Ask() want=query/scene.Ask
growRoom, asm.Lanes, but linear.Lanes want=linear.Lanes
Everywhere want=Everywhere
`,
	} {
		var want []string
		code := "" // without what is wanted, which would be found
		line := 0
		for l := range strings.Lines(text) {
			line++
			parts := strings.Split(strings.TrimSuffix(l, "\n"), "want=")
			for _, w := range parts[1:] {
				want = append(want, fmt.Sprintf("%d %s", line, strings.TrimSpace(w)))
			}
			code += parts[0] + "\n"
		}
		uses := r.inFile
		if path.Ext(name) == ".go" {
			uses = func(name, code string) []use { return r.inGo(parse(t, name, code)) }
		}
		var got []string
		for _, u := range uses(name, code) {
			got = append(got, fmt.Sprintf("%d %s", u.line, u.of))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: found\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// A line of the list has an identifier and a reason.
func TestRetiredEntry(t *testing.T) {
	for _, bad := range []string{"", "linear.share", "a.b.c.d reason", "query/scene reason", "linear. reason"} {
		if e, err := parseEntry(bad); err == nil {
			t.Errorf("%q is taken for %s", bad, e)
		}
	}
	e, err := parseEntry("query/scene.Tree.Ask  Answer, says the field\n")
	if want := (entry{"query/scene", "Tree", "Ask", "Answer, says the field"}); err != nil || *e != want {
		t.Errorf("%v, parsed as %+v, want %+v", err, e, want)
	}
}
