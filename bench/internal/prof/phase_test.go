package prof

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
)

// Every rule names an existing file and function.
func TestRules(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	for pkg, list := range rules {
		functions := map[string][]string{} // by file
		files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("package %s: %d files, %v", pkg, len(files), err)
		}
		for _, path := range files {
			f := must.Get(parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution))
			base := filepath.Base(path)
			functions[base] = nil
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					functions[base] = append(functions[base], d.Name.Name)
				}
			}
		}
		for _, r := range list {
			found := false
			for base, names := range functions {
				if !strings.HasPrefix(base, r.file) {
					continue
				}
				found = found || r.function == ""
				for _, name := range names {
					found = found || strings.HasPrefix(name, r.function)
				}
			}
			if !found {
				t.Errorf("package %s has no function %q in a file %q", pkg, r.function, r.file)
			}
		}
	}
	for _, k := range volumeKernels {
		if files, _ := filepath.Glob(filepath.Join(root, "asm/cull", k+"*.go")); len(files) == 0 {
			t.Errorf("package asm/cull has no file %s", k)
		}
	}
}

func TestPhaseOfFunction(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"linear/internal/octree.(*job).encode", "build.go", "encode"},
		{"linear/internal/octree.(*job).fillParallel.func1", "build.go", "fill"},
		{"linear/internal/octree.(*topology).leaf", "build_topology.go", "topology"},
		{"linear/internal/octree.(*Tree).Refit", "shape_refit.go", "refit"},
		{"linear/internal/octree.(*Tree).splitNode", "shape_split.go", "flush"},
		{"linear.Stats.String", "stats.go", ""},
		{"internal/radix.(*worker).countBuckets", "split.go", "sort"},
		{"asm/build.reducePacketsAVX2.abi0", "fill_amd64.s", ""},
		{"asm/build.ReduceNodes", "fill.go", ""},
		{"asm/build.fillRecordsAVX512", "fill_amd64.s", "fill"},
		{"asm/cull.volumeScanBoxAVX512", "volume_box_amd64.s", "walk packets"},
		{"asm/cull.MakePlanes", "frustum.go", "walk nodes"},
		{"asm/cull.multiPacketsAVX2", "multi_avx2_amd64.s", "walk packets"},
		{"asm/cull.selectAVX2", "select_amd64.s", ""},
		{"asm/pair.pairPacketsAVX512", "pair_packets_amd64.s", "pairs"},
		{"query.eachOf", "iterate.go", "ranges"},
		{"asm/cull.(*Volume).Packets", "volume.go", "walk packets"},
		{"query/internal/walk.(*Walk).scanFirst", "count.go", "walk packets"},
		{"query.Frustum.Append", "frustum.go", "walk nodes"},
		{"query.SweptBox.Append", "swept.go", "ray"},
		{"query/internal/walk.(*Nearest).Search", "nearest.go", "nearest"},
		{"query/occlude.(*frame).boxCone", "cone.go", "cones"},
		{"query/occlude.(*Culler).prepass", "occluders.go", "pick"},
		{"asm/cull.(*rect).hides", "lens.go", "walk"},
		{"soa.Fresh[go.shape.struct { Low uint64; High uint64 }]", "column.go", ""},
		{"bench.main", "walk.go", ""},
	} {
		p, ok := phaseOfFunction(module+c.name, "/src/"+c.file)
		if ok != (c.want != "") || ok && p.String() != c.want {
			t.Errorf("%s in %s: %v %v, want %q", c.name, c.file, p, ok, c.want)
		}
	}
	if p, ok := phaseOfFunction("runtime.mallocgc", "malloc.go"); ok {
		t.Errorf("the runtime is in phase %v", p)
	}
}

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		module + "linear.(*job).encode":                     "encode",
		module + "linear.(*job).fillParallel.func1":         "fillParallel",
		module + "linear.Tree.Len":                          "Len",
		module + "soa.Fresh[go.shape.struct { F a.b/c.D }]": "Fresh",
		module + "asm/cull.emitAVX2.abi0":                   "emitAVX2",
		module + "query.Frustum.All.func1":                  "All",
		"main.main":                                         "main",
	} {
		if got := shortName(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := packageOf("example.com/a.b/c.F[example.com/d.T]"); got != "example.com/a.b/c" {
		t.Errorf("package %q", got)
	}
	for path, want := range map[string]string{
		module + "linear": "linear", module + "bench": "", module + "bench/internal/prof": "", module + "internal/scene": "",
		module + "internal/radix": "internal/radix", module + "internal/testkit": "", module + "internal/scenery": "internal/scenery",
		"example.com/linear": "", module + "query_test": "query",
	} {
		if got, _ := libraryPackage(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
