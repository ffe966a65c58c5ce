package asm_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit"
)

// nativeTiers are the tiers with assembly, and where it is built.
var nativeTiers = []struct {
	tier asm.Tier
	arch string
	name string // in conditions
}{
	{asm.TierAVX2, "amd64", "AVX2"},
	{asm.TierAVX512, "amd64", "AVX512"},
	{asm.TierNEON, "arm64", "NEON"},
}

// codeOf splits the name of a function in assembly into kernel and tier. PDEP is a form of AVX2, YMM one of
// AVX-512, and kernels for the base of amd64 are called SSE.
func codeOf(symbol string) (kernel string, tier asm.Tier) {
	for _, s := range []struct {
		suffix string
		tier   asm.Tier
	}{
		{"AVX512", asm.TierAVX512}, {"AVX2", asm.TierAVX2}, {"PDEP", asm.TierAVX2}, {"SSE", asm.TierAVX2},
		{"NEON", asm.TierNEON}, {"YMM", asm.TierAVX512},
	} {
		if kernel, ok := strings.CutSuffix(symbol, s.suffix); ok {
			return kernel, s.tier
		}
	}
	return symbol, asm.TierGo
}

// familyOf returns the family of a kernel: the longest family name that is a prefix of its name.
func familyOf(kernel string) (family string) {
	for _, f := range asm.KernelsOn(asm.TierGo) {
		if strings.HasPrefix(kernel, f.Name) && len(f.Name) > len(family) {
			family = f.Name
		}
	}
	return family
}

// symbols lists the functions in the assembly of an architecture.
func symbols(t *testing.T, arch string) (list []string) {
	t.Helper()
	for _, file := range asmFiles(t, "_"+arch+".s") {
		for _, line := range asmText(t, file) {
			if head := textHead.FindStringSubmatch(line); head != nil {
				list = append(list, head[1])
			}
		}
	}
	if len(list) == 0 {
		t.Fatalf("no functions for %s found", arch)
	}
	return list
}

// Each function in assembly is a kernel of a family that has code for its tier, and
// all kernels of a family have it.
func TestKernelsHaveFamilies(t *testing.T) {
	kernels := map[string]bool{}
	has := map[string]bool{}
	for _, arch := range []string{"amd64", "arm64"} {
		for _, symbol := range symbols(t, arch) {
			kernel, tier := codeOf(symbol)
			if familyOf(kernel) == "" || tier == asm.TierGo {
				t.Errorf("%s: %s belongs to no family of kernels", arch, symbol)
			}
			kernels[kernel] = true
			has[kernel+tier.String()] = true
		}
	}
	families := map[string]bool{}
	for kernel := range kernels {
		families[familyOf(kernel)] = true
		for _, n := range nativeTiers {
			for _, f := range asm.KernelsOn(n.tier) {
				if f.Name == familyOf(kernel) && has[kernel+n.tier.String()] != (f.Tier == n.tier) {
					t.Errorf("%s: has code for tier %s: %v, but family %s runs %s there",
						kernel, n.tier, f.Tier != n.tier, f.Name, f.Tier)
				}
			}
		}
	}
	for _, f := range asm.KernelsOn(asm.TierGo) {
		if !families[f.Name] {
			t.Errorf("no kernel belongs to family %s", f.Name)
		}
		if f.Tier != asm.TierGo {
			t.Errorf("family %s runs %s on tier go", f.Name, f.Tier)
		}
	}
}

// Assembly lies with the Go that calls it: k_amd64.s, or its parts k_part_amd64.s, in the folder of k.go, where
// dispatch_amd64.go or k_amd64.go declares the functions.
func TestFilesOfKernels(t *testing.T) {
	for _, arch := range []string{"amd64", "arm64"} {
		declared := map[string]string{}
		for name, file := range parseSource(t, arch).files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil {
					declared[f.Name.Name] = name
				}
			}
		}
		files := asmFiles(t, "_"+arch+".s")
		if len(files) == 0 {
			t.Fatalf("%s: no files", arch)
		}
		for _, file := range files {
			k, _, _ := strings.Cut(filepath.Base(file), "_")
			k = filepath.Join(filepath.Dir(file), k)
			if _, err := os.Stat(k + ".go"); err != nil && strings.Contains(strings.Join(asmText(t, file), "\n"), "TEXT") {
				t.Errorf("%s: %v", file, err)
			}
			places := []string{filepath.Join(filepath.Dir(file), "dispatch_"+arch+".go"), k + "_" + arch + ".go"}
			for _, line := range asmText(t, file) {
				if head := textHead.FindStringSubmatch(line); head != nil && !slices.Contains(places, declared[head[1]]) {
					t.Errorf("%s: %s is declared in %q", file, head[1], declared[head[1]])
				}
			}
		}
	}
}

// The calls of Go on each tier agree with the families.
func TestDispatchFollowsFamilies(t *testing.T) {
	for _, n := range nativeTiers {
		called := map[string]map[asm.Tier]bool{}
		for _, symbol := range symbols(t, n.arch) {
			kernel, _ := codeOf(symbol)
			called[kernel] = map[asm.Tier]bool{}
		}
		d := dispatch{active: n.name, call: func(name string) {
			if kernel, tier := codeOf(name); tier != asm.TierGo && called[kernel] != nil {
				called[kernel][tier] = true
			}
		}}
		for _, f := range bodies(t, n.arch) {
			d.block(f.Body.List)
		}
		for _, f := range asm.KernelsOn(n.tier) {
			for kernel, tiers := range called {
				if familyOf(kernel) != f.Name {
					continue
				}
				want := map[asm.Tier]bool{f.Tier: true}
				if f.Tier == asm.TierGo {
					want = map[asm.Tier]bool{}
				}
				if fmt.Sprint(tiers) != fmt.Sprint(want) {
					t.Errorf("tier %s: %s is called with the code of %v, family %s runs %s", n.tier, kernel, tiers, f.Name, f.Tier)
				}
			}
		}
	}
}

// The table of the package comment equals that of the families, row by row.
func TestTableOfKernels(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(file.Doc.Text(), "family         avx2  avx512  neon  what\n")
	if !ok {
		t.Fatal("doc.go has no table of kernels")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	row := regexp.MustCompile(`^\t(\w+) +(\w+) +(\w+) +(\w+) +\S`)
	var got, want []string
	for line := range strings.Lines(table) {
		m := row.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("this is no row: %q", line)
		}
		got = append(got, strings.Join(m[1:], " "))
	}
	avx2, avx512, neon := asm.KernelsOn(asm.TierAVX2), asm.KernelsOn(asm.TierAVX512), asm.KernelsOn(asm.TierNEON)
	for i, f := range avx2 {
		want = append(want, fmt.Sprint(f.Name, " ", f.Tier, " ", avx512[i].Tier, " ", neon[i].Tier))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the table of doc.go is\n%s\nthe families are\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Info names the kernels of the active tier.
func TestInfo(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		info := asm.Info()
		if !slices.Contains(info.Available, info.Tier) {
			t.Errorf("tier %v is not among %v", info.Tier, info.Available)
		}
		if want := asm.KernelsOn(info.Tier); !slices.Equal(info.Kernels, want) {
			t.Errorf("kernels %v, want %v", info.Kernels, want)
		}
		for _, f := range info.Kernels {
			if !slices.Contains(info.Available, f.Tier) {
				t.Errorf("%s runs %v, which is not available", f.Name, f.Tier)
			}
		}
	})
}
