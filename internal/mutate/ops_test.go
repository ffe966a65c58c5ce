package main

import (
	"slices"
	"strings"
	"testing"
)

const sampleAsm = `#include "x.h"
#define STEP(D) \
	ADDQ $16, SI \ // the next
	VCMPPS $0x12, 64(BX), Z1, K1

// func kernel(p *byte)
TEXT ·kernel(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), SI
	PREFETCHT0 (SI)
loop: VMINPS Y1, Y2, Y3; DECQ CX
	STEP(X1)
	JGE  loop
	VZEROUPPER
	RET

TEXT ·prefetchRows(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), SI
	RET
`

// TestAsmMutants lists the mutants of a few lines.
func TestAsmMutants(t *testing.T) {
	f := parseAsm("a/x_amd64.s", sampleAsm)
	var got []string
	for _, m := range asmMutants([]*asmFile{f}, func(string) bool { return true }) {
		got = append(got, m.Func+" "+m.Op+": "+m.Before+" → "+m.After)
		if !slices.Equal(m.symbols, []string{"kernel"}) {
			t.Errorf("%v: functions %q", m, m.symbols)
		}
		line := strings.Split(sampleAsm, "\n")[m.Line-1]
		changed := strings.Split(string(m.apply([]byte(sampleAsm))), "\n")[m.Line-1]
		if line[:m.Col-1] != changed[:m.Col-1] || line == changed {
			t.Errorf("%v: line %q becomes %q", m, line, changed)
		}
	}
	slices.Sort(got)
	want := []string{
		"STEP addsub: ADDQ $16, SI → SUBQ $16, SI",
		"STEP drop: ADDQ $16, SI → NOP",
		"STEP drop: VCMPPS $0x12, 64(BX), Z1, K1 → NOP",
		"STEP immediate: ADDQ $16, SI → ADDQ $15, SI",
		"STEP immediate: ADDQ $16, SI → ADDQ $17, SI",
		"STEP mask: VCMPPS $0x12, 64(BX), Z1, K1 → VCMPPS $0x12, 64(BX), Z1, K2",
		"STEP offset: VCMPPS $0x12, 64(BX), Z1, K1 → VCMPPS $0x12, 68(BX), Z1, K1",
		"STEP predicate: VCMPPS $0x12, 64(BX), Z1, K1 → VCMPPS $0x11, 64(BX), Z1, K1",
		"STEP register: ADDQ $16, SI → ADDQ $16, DI",
		"STEP register: VCMPPS $0x12, 64(BX), Z1, K1 → VCMPPS $0x12, 64(BX), Z0, K1",
		"kernel addsub: DECQ CX → INCQ CX",
		"kernel drop: DECQ CX → NOP",
		"kernel drop: JGE loop → NOP",
		"kernel drop: MOVQ p+0(FP), SI → NOP",
		"kernel drop: VMINPS Y1, Y2, Y3 → NOP",
		"kernel jump: JGE loop → JG loop",
		"kernel minmax: VMINPS Y1, Y2, Y3 → VMAXPS Y1, Y2, Y3",
		"kernel register: DECQ CX → DECQ DX",
		"kernel register: MOVQ p+0(FP), SI → MOVQ p+0(FP), DI",
		"kernel register: VMINPS Y1, Y2, Y3 → VMINPS Y0, Y2, Y3",
		"kernel register: VMINPS Y1, Y2, Y3 → VMINPS Y1, Y2, Y2",
		"kernel register: VMINPS Y1, Y2, Y3 → VMINPS Y1, Y3, Y3",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestDiff reads the lines that a diff has on its new side.
func TestDiff(t *testing.T) {
	got, err := parseDiff(`diff --git a/lib/a.go b/lib/a.go
--- a/lib/a.go
+++ b/lib/a.go
@@ -3 +3,2 @@ func f()
-x
+y
+z
@@ -9,2 +10,0 @@
-gone
-gone
diff --git a/b.go b/b.go
deleted file mode 100644
--- a/b.go
+++ /dev/null
@@ -1 +0,0 @@
-gone
`)
	if err != nil || len(got) != 1 || len(got["lib/a.go"]) != 2 || !got["lib/a.go"][3] || !got["lib/a.go"][4] {
		t.Errorf("%v, %v", got, err)
	}
}

// TestPlan has each test in its default form, the short form only where it saves
// much, and the cheapest first.
func TestPlan(t *testing.T) {
	maps := map[string]*coverMap{
		"own": {Package: "own", Tests: []timedTest{{"TestA", 0.01, 0.01}, {"TestB", 0.02, 0.01}, {"TestSlow", 30, 1}, {"TestEven", 3, 2}, {"TestOut", 1, 1}}},
		"far": {Package: "far", Tests: []timedTest{{"TestC", 0.01, 0.01}, {"TestMid", 2, 0.1}}},
	}
	j := &judge{o: &options{}, maps: maps}
	got := j.plan("own", func(c *coverMap) []int {
		if c.Package == "own" {
			return []int{0, 1, 2, 3}
		}
		return []int{0, 1}
	})
	var lines []string
	for _, s := range got {
		form := "default"
		if s.short {
			form = "short"
		}
		lines = append(lines, s.pkg+" "+form+" "+strings.Join(s.tests, ","))
	}
	want := []string{"own default TestA,TestB", "own short TestSlow", "own default TestEven", "far default TestC", "far short TestMid", "far default TestMid", "own default TestSlow"}
	if !slices.Equal(lines, want) {
		t.Errorf("got %q", lines)
	}
}

// TestCovering finds the tests of a position in a block, of one outside all blocks by the lines of its function, and
// of tests without a profile always.
func TestCovering(t *testing.T) {
	c := &coverMap{Loose: []int{9}, Blocks: map[string][]block{"f.go": {
		{At: [4]int{3, 10, 5, 8}, Tests: []int{1}},
		{At: [4]int{5, 8, 7, 3}, Tests: []int{2}},
		{At: [4]int{8, 1, 9, 3}},
		{At: [4]int{20, 1, 30, 1}, Tests: []int{4}},
	}}}
	for _, test := range []struct {
		line, col int
		want      []int
	}{
		{4, 99, []int{1, 9}},
		{5, 7, []int{1, 9}},
		{5, 8, []int{2, 9}},
		{8, 5, []int{9}},
		{9, 3, []int{1, 2, 9}},
	} {
		if got := c.covering("f.go", test.line, test.col, 3, 10); !slices.Equal(got, test.want) {
			t.Errorf("%d:%d: tests %v, want %v", test.line, test.col, got, test.want)
		}
	}
}
