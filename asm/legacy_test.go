package asm_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// asmMacro is a macro of the assembler, as written in the source.
type asmMacro struct {
	parameters []string
	body       []string
}

var (
	macroHead      = regexp.MustCompile(`^#define\s+(\w+)(?:\(([^)]*)\))?\s*;?(.*)$`)
	vectorRegister = regexp.MustCompile(`\b[XYZ]([12]?[0-9]|3[01])\b`)
)

func statements(line string) (list []string) {
	for s := range strings.SplitSeq(line, ";") {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// addMacro adds the macro of a line, if it is one, to the table.
func addMacro(macros map[string]asmMacro, line string) bool {
	m := macroHead.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	var parameters []string
	if m[2] != "" {
		parameters = arguments(m[2])
	}
	macros[m[1]] = asmMacro{parameters, statements(m[3])}
	return true
}

// arguments splits a list at the commas that are not in parentheses.
func arguments(list string) (args []string) {
	depth, from := 0, 0
	for i, c := range list {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				args, from = append(args, strings.TrimSpace(list[from:i])), i+1
			}
		}
	}
	return append(args, strings.TrimSpace(list[from:]))
}

// expand appends the expansion of a statement. Several macros may stand in one statement, one after the other.
func expand(out []string, macros map[string]asmMacro, statement string) []string {
	name := word.FindString(statement)
	m, ok := macros[name]
	if !ok || !strings.HasPrefix(statement, name) {
		return append(out, statement)
	}
	rest := strings.TrimSpace(statement[len(name):])
	var args []string
	if m.parameters != nil {
		depth := 0
		for i, c := range rest {
			if c == '(' {
				depth++
			} else if c == ')' {
				if depth--; depth == 0 {
					args, rest = arguments(rest[1:i]), strings.TrimSpace(rest[i+1:])
					break
				}
			}
		}
	}
	given := map[string]string{}
	for i, p := range m.parameters {
		given[p] = args[i]
	}
	for _, s := range m.body {
		out = expand(out, macros, word.ReplaceAllStringFunc(s, func(w string) string {
			if arg, ok := given[w]; ok {
				return arg
			}
			return w
		}))
	}
	if rest != "" {
		out = expand(out, macros, rest)
	}
	return out
}

// legacy returns the instructions that are encoded as SSE among others that are
// encoded as VEX or EVEX.
func legacy(instructions []string) (found []string) {
	wide := false
	for _, s := range instructions {
		name := word.FindString(s)
		vex := strings.HasPrefix(name, "V") || strings.HasPrefix(name, "K")
		wide = wide || vex
		if !vex && vectorRegister.MatchString(s) {
			found = append(found, s)
		}
	}
	if !wide {
		return nil
	}
	return found
}

// onesOf matches the instruction that makes a mask of all ones, with its three registers.
var onesOf = regexp.MustCompile(`^KXNOR[BWDQ]\s+(K\d), *(K\d), *(K\d)$`)

// writesK0 matches a write of the mask register that must not be written.
var writesK0 = regexp.MustCompile(`^[KV].*,\s*K0$`)

// waits returns the instructions that make a mask of ones from a register in use, and the writes of K0, from which
// all are made.
func waits(instructions []string) (found []string) {
	for _, s := range instructions {
		if m := onesOf.FindStringSubmatch(s); m != nil && (m[1] != "K0" || m[2] != "K0") || writesK0.MatchString(s) {
			found = append(found, s)
		}
	}
	return found
}

// The ones of a register with itself, KXNORW K1, K1, K1, depend on its previous value: in a loop over packets each
// then waits for the masks of the previous packet. All ones are made of K0, which is never written.
func TestSinglesWaitForNothing(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("reads sources, which is told without the race detector, too")
	}
	ones := 0
	for _, f := range amd64Functions(t) {
		for _, s := range f.instructions {
			if onesOf.MatchString(s) {
				ones++
			}
		}
		for _, s := range waits(f.instructions) {
			t.Errorf("%s: %s: %s", f.file, f.name, s)
		}
	}
	if ones == 0 {
		t.Error("no mask of ones was found")
	}
	for _, s := range []string{"KXNORW K1, K1, K1", "KXNORW K0, K1, K1", "KMOVW AX, K0", "VPTESTMD Z1, Z2, K0"} {
		if len(waits([]string{s})) == 0 {
			t.Errorf("%s passes", s)
		}
	}
}

// An instruction in the encoding of SSE on a vector register, such as MOVQ AX, X1, keeps the upper half of it. It
// costs many cycles each time where the upper halves are in use. A function with instructions of AVX has no such one,
// by itself or in a macro.
func TestNoLegacyEncoding(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("reads sources, which is told without the race detector, too")
	}
	functions := amd64Functions(t)
	expanded := 0
	for _, f := range functions {
		expanded += len(f.instructions)
		for _, s := range legacy(f.instructions) {
			t.Errorf("%s: %s: %s is encoded as SSE", f.file, f.name, s)
		}
	}
	if len(functions) == 0 || expanded < 100*len(functions) {
		t.Errorf("%d functions of %d instructions found", len(functions), expanded)
	}
}

// The test above finds the encoding that it searches for.
func TestLegacyFindsEncoding(t *testing.T) {
	macros := map[string]asmMacro{}
	for _, line := range []string{
		"#define SET(REG, X) ; MOVL $1, REG ; MOVQ REG, X",
		"#define TWICE(M) ; M(AX, X3) ; M(BX, X4)",
		"#define SIX(M) M(AX, X5) M(BX, X6)",
		"#define RESET ; VPXOR Y1, Y1, Y1",
	} {
		if !addMacro(macros, line) {
			t.Fatalf("%s is no macro", line)
		}
	}
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{"RESET", "TWICE(SET)"}, "MOVQ AX, X3 MOVQ BX, X4"},
		{[]string{"RESET", "SIX(SET)"}, "MOVQ AX, X5 MOVQ BX, X6"},
		{[]string{"VMOVQ AX, X3", "MOVQ AX, (R8)(R9*8)"}, ""},
		{[]string{"VZEROUPPER", "PXOR X1, X1"}, "PXOR X1, X1"},
		{[]string{"KMOVW AX, K1", "MOVD X1, AX"}, "MOVD X1, AX"},
		{[]string{"MOVQ AX, X1", "PADDL X1, X2"}, ""}, // SSE throughout
	} {
		var instructions []string
		for _, line := range c.lines {
			instructions = expand(instructions, macros, line)
		}
		if got := strings.Join(legacy(instructions), " "); got != c.want {
			t.Errorf("%q: found %q, want %q", c.lines, got, c.want)
		}
	}
}
