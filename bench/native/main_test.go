package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
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
	saveQueries(t, folder, queries)
	return folder
}

// saveQueries writes points, and rays from them.
func saveQueries(t *testing.T, folder string, points [][3]float32) {
	t.Helper()
	var rays [][7]float32
	for i, p := range points {
		d := [][3]float32{{0, 0.6, -0.8}, {0.6, 0.8, 0}, {-0.48, 0.6, -0.64}}[i%3]
		rays = append(rays, [7]float32{p[0], p[1], p[2] + 5, d[0], d[1], d[2], 1000})
	}
	testkit.Must(t, flat.Save(filepath.Join(folder, "points.bin"), points, flat.WritePoints))
	testkit.Must(t, flat.Save(filepath.Join(folder, "rays.bin"), rays, flat.WriteRays))
}

// A missing compiler or header is named, and is no failure.
func TestAbsent(t *testing.T) {
	folder := export(t, 1000)
	t.Setenv("CXX", "no-such-compiler")
	want := "nanoflann: skipped: a C++ compiler is not installed"
	if out := bench.Good(t, "native", "-in", folder); !strings.HasPrefix(out, want) || !strings.Contains(out, strings.Replace(want, "nanoflann", "\nembree", 1)) {
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
func TestPoints(t *testing.T) {
	folder := export(t, 3000)
	if _, err := nanoflann.compile(t.TempDir()); errors.Is(err, errAbsent) {
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
	binary, err := nanoflann.compile(t.TempDir())
	if errors.Is(err, errAbsent) {
		t.Skip(err)
	}
	testkit.Must(t, err)
	s := session{points: [][3]float32{{0, 0, 0}}}
	c := pointContest{contest{session: &s, native: start(binary)}, [][3]float32{{1, 0, 0}, {2, 0, 0}, {3, 0, 0}}}
	defer c.native.close()
	c.load()
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

// Embree finds the same in a tree and in a scene of instances, and each operation has a row.
func TestBoxes(t *testing.T) {
	if _, err := embree.compile(t.TempDir()); errors.Is(err, errAbsent) {
		t.Skip(err)
	}
	args := []string{"native", "-count", "3", "-k", "1,8", "-format", "tsv"}
	out := bench.Good(t, append(args, "-in", export(t, 3000))...)
	for _, row := range []string{"build, a box", "first ray hit", "nearest, k = 1", "nearest, k = 8"} {
		if n := strings.Count(out, row+"\t"); n == 0 {
			t.Errorf("no row %s in\n%s", row, out)
		}
	}
	out = bench.Good(t, append(args, "-in", exportInstances(t))...)
	for _, row := range []string{"first ray hit", "nearest, k = 1", "nearest, k = 8"} {
		for _, where := range []string{"instances, ", "flat, "} {
			if !strings.Contains(out, where+row+"\t") {
				t.Errorf("no row %s%s in\n%s", where, row, out)
			}
		}
	}
}

// exportInstances writes a folder of instances of two parts.
func exportInstances(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	r := testkit.Rand(testkit.Seed(t))
	for i := range 2 {
		var boxes []soa.AABB
		for range 50 {
			x, y, z := r.Float32(), r.Float32(), r.Float32()
			boxes = append(boxes, soa.AABB{Min: [3]float32{x, y, z}, Max: [3]float32{x + 0.1, y + 0.1, z + 0.1}})
		}
		testkit.Must(t, flat.Save(filepath.Join(folder, fmt.Sprintf("part-%02d.bin", i)), boxes, flat.WriteScene))
	}
	var instances []flat.Instance
	var points [][3]float32
	for i := range 40 {
		x, y := r.Float32()*10, r.Float32()*10
		rows := [12]float32{0, -2, 0, x, 2, 0, 0, y, 0, 0, 2, 0}
		if i%4 == 0 {
			rows = [12]float32{1, 0.5, 0, x, 0, 1, 0, y, 0, 0, 1, 0} // no similarity
		}
		instances = append(instances, flat.Instance{Part: uint32(i % 2), Rows: rows})
		points = append(points, [3]float32{r.Float32() * 10, r.Float32() * 10, r.Float32() * 5})
	}
	testkit.Must(t, flat.Save(filepath.Join(folder, "instances.bin"), instances, flat.WriteInstances))
	saveQueries(t, folder, points)
	return folder
}

// Some answers may differ, by a grazing ray, but not many. A note after the table tells of them.
func TestSame(t *testing.T) {
	var written bytes.Buffer
	s := session{points: [][3]float32{{1, 1, 1}}, out: report.New(&written, report.Text, "native")}
	c := s.begin(&embree)
	ours, theirs := make([]float32, 300), make([]float32, 300)
	theirs[0], theirs[1], theirs[2] = 1, float32(math.Inf(1)), 2
	if err := must.Catch(func() { c.same("rays", "ray", 1, ours, theirs) }); err != nil {
		t.Errorf("three of 300 differ: %v", err)
	}
	c.row("rays", 1, []float64{10}, []float64{30})
	c.end()
	testkit.Must(t, s.out.Close())
	if out := written.String(); !regexp.MustCompile(`(?s)rays +10.0 +30.0 +3\.00.*differ +rays: 3 of 300 answers`).MatchString(out) {
		t.Errorf("output\n%s", out)
	}
	theirs[7] = 1
	if err := must.Catch(func() { c.same("rays", "ray", 1, ours, theirs) }); err == nil || !strings.Contains(err.Error(), "4 of 300") {
		t.Errorf("four of 300 differ: %v", err)
	}
}
