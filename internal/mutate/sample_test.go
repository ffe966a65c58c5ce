package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// sample is a copy of the module in testdata.
func sample(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("testdata/sample")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(root, "go.mod.txt"), filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return root
}

func sampleOptions(t *testing.T, root string, args ...string) *options {
	t.Helper()
	args = append([]string{"-pkg", filepath.Join(root, "lib"), "-equivalent", filepath.Join(root, "equivalent.txt"), "-timeout", "1"}, args...)
	o, err := parse(args, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	o.cache, o.grace = t.TempDir(), time.Second
	return o
}

// TestVerdicts runs every mutant of the sample and checks one of each verdict.
func TestVerdicts(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // where the copies are
	root := sample(t)
	verdicts := filepath.Join(t.TempDir(), "verdicts.json")
	o := sampleOptions(t, root, "-n", "1000", "-json", verdicts)
	equal := "lib/lib.go\tLong\tremove\tno such mutant\t\t0\tnever\n" +
		"lib/lib.go\tLong\trelational\tp.X > p.Y\tp.X >= p.Y\t0\tan example\n"
	if err := os.WriteFile(o.equivalent, []byte(equal), 0o644); err != nil {
		t.Fatal(err)
	}
	before, err := fingerprint(root)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := check(context.Background(), o, &out); err != nil {
		t.Fatal(err, out.String())
	}
	if !strings.Contains(out.String(), "no such mutant: lib/lib.go\tLong\tremove\tno such mutant") {
		t.Error("a stale line in the file of equivalents is not told:", out.String())
	}
	got, err := readVerdicts(verdicts)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string][2]string{
		"Below\trelational\tn < Limit\tn <= Limit":       {survived, "1 tests execute it"},
		"\tconstant\tLimit = 10\tLimit = 11":             {caught, "lib.TestLimit"},
		"Sum\tarithmetic\ts += xs[i]\ts -= xs[i]":        {caught, "lib.TestSum"},
		"Sum\tremove\ti++\t":                             {timedOut, "lib.TestSum"},
		"weigh\tarithmetic\t2*a + b\t2*a - b":            {caught, "user.TestTwice"},
		"Far\targuments\tweigh(a, b)\tweigh(b, a)":       {caught, "user.TestTwice"},
		"Long\tbool\treturn true\treturn false":          {caught, "lib.TestLong"},
		"Long\trelational\tp.X > p.Y\tp.X >= p.Y":        {equivalent, "an example"},
		"Unused\tarithmetic\tlen(buf) - a\tlen(buf) + a": {survived, "no test executes it"},
		"Sum\trelational\ti < len(xs)\ti <= len(xs)":     {caught, "lib.TestSum"},
	} {
		r, ok := got["lib/lib.go\t"+key+"\t0"]
		if !ok || r.Verdict != want[0] || r.Test != want[1] {
			t.Errorf("%q: %v %s, %q; want %q", key, ok, r.Verdict, r.Test, want)
		}
	}
	for key := range got {
		if strings.Contains(key, "Point.String") || strings.Contains(key, "a+1") {
			t.Errorf("%q is not to be mutated", key)
		}
	}
	if after, err := fingerprint(root); err != nil || after != before {
		t.Error("the checkout changed", err)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "mutate*")); err != nil || len(left) > 0 {
		t.Error("copies are left", left, err)
	}

	// A second run finds all verdicts and maps, and nothing to run.
	data, err := os.ReadFile(verdicts)
	if err != nil {
		t.Fatal(err)
	}
	first := out.String()
	out.Reset()
	if err := check(context.Background(), o, &out); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(verdicts); err != nil || bytes.Count(again, []byte("\n")) != bytes.Count(data, []byte("\n"))+1 {
		t.Errorf("%v, the second run added more than the equivalent mutant:\n%s", err, again[len(data):])
	}
	if !strings.Contains(first, "mapped") || strings.Contains(out.String(), "mapped") {
		t.Error("the maps were not kept")
	}

	// The share decides the exit code, and survivors can be run again.
	o.want = 0.99
	if err := check(context.Background(), o, io.Discard); err == nil {
		t.Error("a share of less than 99 % passes")
	}
	o = sampleOptions(t, root, "-list", "-n", "1000", "-again", verdicts)
	out.Reset()
	if err := check(context.Background(), o, &out); err != nil {
		t.Fatal(err)
	}
	_, listed, _ := strings.Cut(out.String(), "seed 1: ")
	lines := strings.Split(strings.TrimSpace(listed), "\n")[1:]
	alive := 0
	for _, r := range got {
		if r.Verdict == survived {
			alive++
		}
	}
	if len(lines) != alive || !slices.ContainsFunc(lines, func(s string) bool { return strings.Contains(s, "n < Limit → n <= Limit") }) {
		t.Errorf("%d survivors, listed again: %q", alive, lines)
	}
}

// The tests that execute a Go line that calls an assembly function judge its mutants, also those in included files.
func TestAsmVerdicts(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the assembly is of amd64")
	}
	root := sample(t)
	verdicts := filepath.Join(t.TempDir(), "verdicts.json")
	o := sampleOptions(t, root, "-asm", "-n", "1000", "-json", verdicts)
	o.pkgs = []string{filepath.Join(root, "kernel")}
	if err := check(context.Background(), o, io.Discard); err != nil {
		t.Fatal(err)
	}
	got, err := readVerdicts(verdicts)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range got {
		want := [2]string{caught, "kernel.TestAdd"}
		if r.Func == "idle" {
			want = [2]string{survived, "no test executes it"}
		}
		if r.Verdict != want[0] || r.Test != want[1] {
			t.Errorf("%v: %s, %q; want %q", &r.Mutant, r.Verdict, r.Test, want)
		}
	}
	for _, key := range []string{
		"double_amd64.h\tDOUBLE\timmediate\tSHLQ $1, AX\tSHLQ $2, AX",
		"kernel_amd64.s\tadd\taddsub\tADDQ b+8(FP), AX\tSUBQ b+8(FP), AX",
		"kernel_amd64.s\tidle\tdrop\tMOVQ a+0(FP), AX\tNOP",
	} {
		if _, ok := got["kernel/"+key+"\t0"]; !ok {
			t.Errorf("no verdict on %q", key)
		}
	}
}

// With -all, a verdict lists every test that detects the mutant, and the table counts them. -again draws these
// mutants only.
func TestAll(t *testing.T) {
	wanted := map[string][]string{
		"\tconstant\tLimit = 10\tLimit = 11":         {"lib.TestLimit"},
		"Sum\tremove\ti++\t":                         {"lib.TestSum", "lib.TestTotal"},
		"Sum\trelational\ti < len(xs)\ti <= len(xs)": {"lib.TestSum", "lib.TestTotal"}, // panics
		"Sum\tarithmetic\ts += xs[i]\ts -= xs[i]":    {"lib.TestSum", "lib.TestTotal"},
		"weigh\tarithmetic\t2*a + b\t2*a - b":        {"user.TestTwice"},
		"Long\tbool\treturn true\treturn false":      {"lib.TestLong"},
	}
	again, verdicts := filepath.Join(t.TempDir(), "again.json"), filepath.Join(t.TempDir(), "verdicts.json")
	var survivors bytes.Buffer
	for key := range wanted {
		p := strings.Split(key, "\t")
		r := Result{Mutant: Mutant{File: "lib/lib.go", Func: p[0], Op: p[1], Before: p[2], After: p[3]}, Verdict: survived}
		if err := json.NewEncoder(&survivors).Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(again, survivors.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	o := sampleOptions(t, sample(t), "-all", "-n", "150", "-again", again, "-json", verdicts)
	var out bytes.Buffer
	if err := check(context.Background(), o, &out); err != nil {
		t.Fatal(err)
	}
	got, err := readVerdicts(verdicts)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range wanted {
		r, ok := got["lib/lib.go\t"+key+"\t0"]
		if slices.Sort(r.Killers); !ok || !slices.Equal(r.Killers, want) {
			t.Errorf("%q: %v, killed by %q, want %q", key, ok, r.Killers, want)
		}
	}
	for _, row := range []string{`lib\.TestTotal 0 \d+ 0 5`, `lib\.TestLong [1-9]\d* 0 3 5`} {
		if !regexp.MustCompile(`(?m)^` + strings.ReplaceAll(row, " ", " +") + `$`).MatchString(out.String()) {
			t.Errorf("no row %q in:\n%s", row, out.String())
		}
	}
	if _, err := parse([]string{"-pkg", ".", "-all", "-n", "151"}, io.Discard); err == nil {
		t.Error("-all accepts 151 mutants")
	}
}

// More than a tenth cannot be called equivalent.
func TestTooManyEquivalents(t *testing.T) {
	root := sample(t)
	o := sampleOptions(t, root, "-n", "1")
	var list bytes.Buffer
	ctx := context.Background()
	o.list = true
	if err := check(ctx, o, &list); err != nil {
		t.Fatal(err)
	}
	o.list = false
	j := &judge{o: o, out: io.Discard}
	var err error
	if j.mod, err = load(ctx, root, ""); err != nil {
		t.Fatal(err)
	}
	drawn, err := j.draw(ctx, []string{"example.com/sample/lib"}, nil)
	if err != nil || len(drawn) != 1 || !strings.Contains(list.String(), drawn[0].String()) {
		t.Fatal(drawn, err, list.String())
	}
	if err := os.WriteFile(o.equivalent, []byte(drawn[0].Key()+"\tsaid so\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := check(ctx, o, io.Discard); err == nil || !strings.Contains(err.Error(), "1 of 1") {
		t.Errorf("error %v", err)
	}
}

// The type checker keeps such mutants from the draw; in assembly nothing does.
func TestBroken(t *testing.T) {
	root := sample(t)
	ctx := context.Background()
	mod, err := load(ctx, root, "")
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{o: sampleOptions(t, root), out: io.Discard, mod: mod, dir: t.TempDir(), free: make(chan *module, 1)}
	j.free <- mod
	src, err := os.ReadFile(filepath.Join(root, "lib", "lib.go"))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(src, []byte("n < Limit"))
	m := &Mutant{File: "lib/lib.go", start: at, end: at + 1, text: "nobody"}
	j.maps = map[string]*coverMap{"lib": {Tests: []timedTest{{Name: "TestBelow"}, {Name: "TestSum"}}}}
	j.o.skip = regexp.MustCompile("Sum")
	if got := j.plan("lib", (*coverMap).all); len(got) != 1 || !slices.Equal(got[0].tests, []string{"TestBelow"}) {
		t.Errorf("the plan is %v, without TestSum", got)
	}
	plan := []sitting{{pkg: "example.com/sample/lib", tests: []string{"TestBelow"}}}
	r, err := j.judge(ctx, m, plan)
	if err != nil || r.Verdict != broken || !strings.Contains(r.Test, "undefined: nobody") {
		t.Errorf("%v: %s, %s", err, r.Verdict, r.Test)
	}
	if after, err := os.ReadFile(filepath.Join(root, "lib", "lib.go")); err != nil || !bytes.Equal(after, src) {
		t.Error("the mutant is left in the copy", err)
	}
}

// A seed draws the same mutants in the same order, another one others, and matching mutants are first.
func TestDraw(t *testing.T) {
	root := sample(t)
	ctx := context.Background()
	list := func(args ...string) string {
		var out bytes.Buffer
		if err := check(ctx, sampleOptions(t, root, append(args, "-list", "-n", "20")...), &out); err != nil {
			t.Fatal(err)
		}
		_, lines, _ := strings.Cut(out.String(), "\n")
		return lines
	}
	one := list("-seed", "7")
	if one != list("-seed", "7") {
		t.Error("a seed draws different mutants")
	}
	if one == list("-seed", "8") {
		t.Error("seeds draw the same mutants")
	}
	var ms []*Mutant
	for i := range 50 {
		ms = append(ms, &Mutant{File: "f", start: i, Line: i})
	}
	changed := func(m *Mutant) bool { return m.Line >= 40 }
	yes := func(*Mutant) bool { return true }
	got := draw(ms, 15, 1, changed, yes)
	for i, m := range got {
		if changed(m) != (i < 10) {
			t.Errorf("place %d: line %d", i, m.Line)
		}
	}
	odd := draw(ms, 50, 1, changed, func(m *Mutant) bool { return m.Line%2 == 1 })
	if len(odd) != 25 {
		t.Errorf("%d mutants that compile, want 25", len(odd))
	}
}
