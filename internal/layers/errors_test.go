package layers

import (
	"go/ast"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// owner is the name of a package at the beginning of an error, followed by its text.
var owner = regexp.MustCompile(`^([a-z][a-z0-9]*): `)

// rule is the statement of an error besides numbers: the requirement, or the fault.
var rule = regexp.MustCompile(`\b(want|is|are|has|have|had|holds?|reach(es)?|meets?|gets?|fits?|exceeds?|comes?|` +
	`full|go|goes|needs?|records?|ends?|no|not|none|without|beyond|outside|than|twice|cannot|must|would|unknown|negative|looks|leads?)\b`)

// Errors name their package once, and state the rule that was broken. Those of an internal package name the public
// package above it.
//
//	fmt.Errorf("linear: object %d: %w", ...)     says "linear: ... linear: ...": fault.Errorf does not
//	fmt.Errorf("%w: %d", ErrUnknown, id)         equals the wrapped error, with more text
//	errors.New("query: ...") in package linear   names another package
//	fmt.Errorf("query: radius %v", r)            has the number and no rule
func TestErrors(t *testing.T) {
	seen := 0
	for _, s := range sources(t) {
		first, _, _ := strings.Cut(s.name, "/")
		switch first {
		case "asm", "linear", "morton", "query", "soa":
		default:
			continue
		}
		if s.nested || s.test() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			from, format := selected(call.Fun), literal(call.Args[0])
			if from != "fmt.Errorf" && from != "fault.Errorf" && from != "errors.New" {
				return true
			}
			seen++
			for _, why := range faults(from, format, publicPackage(s.folder())) {
				t.Errorf("%s:%d: %s(%q): %s", s.name, s.line(call.Pos()), from, format, why)
			}
			return true
		})
	}
	if seen < 200 {
		t.Errorf("%d errors were found", seen)
	}
	for _, c := range []struct {
		from, format string
		faults       int
	}{
		{"fmt.Errorf", "linear: object %d: %w", 1},
		{"fault.Errorf", "linear: object %d: %w", 0},
		{"fmt.Errorf", "%w: %d", 0},
		{"fmt.Errorf", "%w: %w", 1},
		{"errors.New", "query: it is of another package", 1},
		{"fmt.Errorf", "linear: radius %v", 1},
		{"fmt.Errorf", "linear: radius %v is negative", 0},
		{"fmt.Errorf", "part %d: linear: it is doubled", 1},
		{"fmt.Errorf", "linear: linear: it is doubled", 1},
	} {
		if got := faults(c.from, c.format, "linear"); len(got) != c.faults {
			t.Errorf("%s(%q): %v, want %d faults", c.from, c.format, got, c.faults)
		}
	}
}

// publicPackage returns the name of the package of a folder, or of the public package that its internal folder is in.
func publicPackage(folder string) string {
	above, _, _ := strings.Cut(folder, "/internal/")
	return path.Base(above)
}

// faults returns the faults of the text of an error of a package.
func faults(from, format, pkg string) (why []string) {
	wraps := strings.Count(format, "%w")
	if from == "fmt.Errorf" && wraps > 0 && (wraps > 1 || !strings.HasPrefix(format, "%w")) {
		why = append(why, "what it wraps may begin with the name of its package: want fault.Errorf")
	}
	rest := format
	if m := owner.FindStringSubmatch(format); m != nil {
		if rest = format[len(m[0]):]; m[1] != pkg && m[1] != "unreachable" {
			why = append(why, "it begins with "+m[1]+", in package "+pkg)
		}
		// A text that ends in a colon continues elsewhere.
		if wraps == 0 && !strings.HasSuffix(format, ": ") && !rule.MatchString(rest) {
			why = append(why, "it tells no rule that was broken")
		}
	}
	if strings.Contains(" "+rest, " "+pkg+": ") {
		why = append(why, "it tells its package in the middle")
	}
	return why
}

// selected returns "pkg.Name" of a function of a package.
func selected(e ast.Expr) string {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := sel.X.(*ast.Ident); ok {
			return x.Name + "." + sel.Sel.Name
		}
	}
	return ""
}

// literal returns the text of a string, of a sum the text of its first operand.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	}
	return ""
}
