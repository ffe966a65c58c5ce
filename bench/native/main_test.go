package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

var bench = commandtest.Bench(commands)

// export writes a folder of n points and some queries.
func export(t *testing.T, n int) string {
	t.Helper()
	folder := t.TempDir()
	r := testkit.Rand(testkit.Seed(t))
	at := func() [3]float32 { return [3]float32{r.Float32() * 100, r.Float32() * 100, r.Float32()} }
	var boxes []soa.AABB
	var queries [][3]float32
	for range n {
		p := at()
		boxes = append(boxes, soa.AABB{Min: p, Max: p})
	}
	for range 50 {
		queries = append(queries, at())
	}
	testkit.Must(t, flat.Save(filepath.Join(folder, "scene.bin"), boxes, flat.WriteScene))
	testkit.Must(t, flat.Save(filepath.Join(folder, "points.bin"), queries, flat.WritePoints))
	return folder
}

// A missing compiler or header is named, and is no failure.
func TestAbsent(t *testing.T) {
	folder := export(t, 1000)
	t.Setenv("CXX", "no-such-compiler")
	if out := bench.Good(t, "native", "-in", folder); !strings.HasPrefix(out, "nanoflann: skipped: a C++ compiler is not installed") {
		t.Errorf("output %q", out)
	}
	compiler, err := exec.LookPath("c++")
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("CXX", compiler)
	t.Setenv("CPATH", "")
	out := bench.Good(t, "native", "-in", folder, "-count", "1", "-k", "1")
	if _, err := os.Stat("/usr/include/nanoflann.hpp"); err != nil && !strings.HasPrefix(out, "nanoflann: skipped: nanoflann.hpp") {
		t.Errorf("output %q", out)
	}
}

// All answers are equal, and each operation has a row.
func TestNative(t *testing.T) {
	folder := export(t, 3000)
	if _, err := compile(t.TempDir()); errors.Is(err, errAbsent) {
		t.Skip(err)
	}
	out := bench.Good(t, "native", "-in", folder, "-count", "3", "-k", "1,5,50", "-format", "tsv")
	for _, row := range []string{"build, a point", "nearest, k = 1", "nearest, k = 5", "nearest, k = 50", "window, rebuilt, a point in", "window, rebuilt, k = 5", "window, dynamic, k = 5"} {
		if !strings.Contains(out, row+"\t") {
			t.Errorf("no row %s in\n%s", row, out)
		}
	}
}

// A neighbour at another distance ends the command.
func TestCompare(t *testing.T) {
	binary, err := compile(t.TempDir())
	if errors.Is(err, errAbsent) {
		t.Skip(err)
	}
	testkit.Must(t, err)
	c := comparison{points: [][3]float32{{1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, queries: [][3]float32{{0, 0, 0}}, native: start(binary)}
	defer c.native.close()
	c.native.load(filepath.Dir(binary), c.points, c.queries)
	c.native.do("build 0 3")
	if err := must.Catch(func() { c.compare(newTree(c.points, true), "answers", 2) }); err != nil {
		t.Error(err)
	}
	c.points[1][1] = 0.01
	if err := must.Catch(func() { c.compare(newTree(c.points, true), "answers", 2) }); err == nil || !strings.Contains(err.Error(), "neighbour 1 of 2") {
		t.Errorf("error %v of another point", err)
	}
}

func TestRefused(t *testing.T) {
	for _, folder := range []string{"nowhere", export(t, 999)} {
		if o := bench.Do("native", "-in", folder); o.Code != 1 || !strings.Contains(o.Errs, folder) {
			t.Errorf("%s: exit code %d, %s", folder, o.Code, o.Errs)
		}
	}
}
