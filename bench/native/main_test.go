package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

var bench = commandtest.Bench(commands)

// compiled holds the drivers that tests have compiled, in a folder of all tests.
var compiled struct {
	sync.Mutex
	folder   string
	binaries map[string]string
	errs     map[string]error
}

// TestMain makes all tests compile a driver once. Tests that set CXX compile it anew.
func TestMain(m *testing.M) {
	folder := must.Get(os.MkdirTemp("", "native-test"))
	compiled.binaries, compiled.errs = map[string]string{}, map[string]error{}
	compileDriver = func(r *rival, to string) (string, error) {
		if os.Getenv("CXX") != "" {
			return r.compile(to)
		}
		compiled.Lock()
		defer compiled.Unlock()
		if compiled.binaries[r.name] == "" && compiled.errs[r.name] == nil {
			compiled.binaries[r.name], compiled.errs[r.name] = r.compile(folder)
		}
		return compiled.binaries[r.name], compiled.errs[r.name]
	}
	optimize = "-O1" // compiles in two thirds of the time
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// driver returns the running driver of a rival, in a folder of its own, or skips the test.
func driver(t *testing.T, r *rival) *program {
	t.Helper()
	binary, err := compileDriver(r, t.TempDir())
	if errors.Is(err, errAbsent) {
		t.Skip(err)
	}
	testkit.Must(t, err)
	p := start(binary, t.TempDir())
	t.Cleanup(func() { testkit.Must(t, p.close()) })
	return p
}

// Boxes at integers: overlapping, touching, flat, thin, points and equal ones, so that all results are exact.
func degenerate(t *testing.T, n int) (boxes []soa.AABB) {
	r := testkit.Rand(testkit.Seed(t))
	for i := range n {
		var b soa.AABB
		for a := range 3 {
			b.Min[a] = float32(r.IntN(20) - 10)
			b.Max[a] = b.Min[a]
			if i>>a&1 == 1 { // each combination of flat axes
				b.Max[a] += float32(1 + r.IntN(3))
			}
		}
		if i%17 == 16 {
			b = boxes[i-1]
		}
		boxes = append(boxes, b)
	}
	return boxes
}

// folderOf writes boxes and queries of them.
func folderOf(t *testing.T, boxes []soa.AABB) string {
	t.Helper()
	folder := t.TempDir()
	r := testkit.Rand(testkit.Seed(t) + 1)
	at := func() [3]float32 { return [3]float32{r.Float32()*24 - 12, r.Float32()*24 - 12, r.Float32()*24 - 12} }
	var points [][3]float32
	var spheres [][4]float32
	for range 60 {
		p := at()
		points, spheres = append(points, p), append(spheres, [4]float32{p[0], p[1], p[2], 2.5})
	}
	saveQueries(t, folder, points)
	windows := map[int][]soa.AABB{8: degenerate(t, 80), 450: nil}
	for _, b := range windows[8] {
		for a := range 3 {
			b.Max[a] += 8
		}
		windows[450] = append(windows[450], b)
	}
	for size, list := range windows {
		testkit.Must(t, flat.Save(filepath.Join(folder, fmt.Sprintf("boxes-%d.bin", size)), list, flat.WriteBoxes))
	}
	for percent, side := range map[int]float32{1: 3, 10: 6, 50: 9} {
		planes := [][6][4]float32{
			{{1, 0, 0, side}, {-1, 0, 0, side}, {0, 1, 0, side}, {0, -1, 0, side}, {0, 0, 1, side}, {0, 0, -1, side}},
			{{1, 1, 0, side}, {-1, 1, 0, side}, {0, 1, 1, side}, {0, -1, 1, side}, {0, 0, 1, 1}, {1, 0, -1, side}},
		}
		testkit.Must(t, flat.Save(filepath.Join(folder, fmt.Sprintf("frusta-%d.bin", percent)), planes, flat.WriteFrusta))
	}
	testkit.Must(t, flat.Save(filepath.Join(folder, "spheres-550.bin"), spheres, flat.WriteSpheres))
	testkit.Must(t, flat.Save(filepath.Join(folder, "scene.bin"), boxes, flat.WriteScene))
	return folder
}

// saveQueries writes points, and rays from them.
func saveQueries(t *testing.T, folder string, points [][3]float32) {
	t.Helper()
	var rays [][7]float32
	for i, p := range points {
		d := [][3]float32{{0, 0.6, -0.8}, {0.6, 0.8, 0}, {-0.48, 0.6, -0.64}, {0, 0, 1}}[i%4]
		rays = append(rays, [7]float32{p[0], p[1], p[2] + 5, d[0], d[1], d[2], 1000})
	}
	testkit.Must(t, flat.Save(filepath.Join(folder, "points.bin"), points, flat.WritePoints))
	testkit.Must(t, flat.Save(filepath.Join(folder, "rays.bin"), rays, flat.WriteRays))
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

// rowsOf returns the names of rows with a cell of a library, in TSV.
func rowsOf(t *testing.T, tsv, library string) (rows []string) {
	t.Helper()
	lines := strings.Split(tsv, "\n")
	column := slices.Index(strings.Split(lines[0], "\t"), library)
	if column < 0 {
		t.Fatalf("no column %s in\n%s", library, tsv)
	}
	for _, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) <= column {
			break // the end of the first table
		}
		if cells[column] != "-" {
			rows = append(rows, cells[0])
		}
	}
	return rows
}

// A library that is missing, or a compiler, is named, and is no failure. Another error of the compiler is one.
func TestAbsent(t *testing.T) {
	t.Setenv("CXX", "no-such-compiler")
	out := bench.Good(t, "native")
	for _, r := range rivals {
		if want := r.name + ": skipped: a C++ compiler is not installed"; !strings.Contains(out, want) {
			t.Errorf("output %q, want %q", out, want)
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("no shell")
	}
	compiler := filepath.Join(t.TempDir(), "compiler")
	t.Setenv("CXX", compiler)
	for _, x := range []struct {
		says string
		code int
	}{
		{"nanoflann.cpp:9:10: fatal error: nanoflann.hpp: No such file or directory", 0},
		{"nanoflann.cpp:9:10: fatal error: 'nanoflann.hpp' file not found", 0},
		{"/usr/include/nanoflann.hpp:9:10: error: expected a semicolon", 1},
	} {
		testkit.Must(t, os.WriteFile(compiler, []byte("#!/bin/sh\necho \""+x.says+"\"\nexit 1\n"), 0o700))
		o := bench.Do("native", "-only", "nanoflann")
		if o.Code != x.code || (x.code == 0) != strings.HasPrefix(o.Out, "nanoflann: skipped: nanoflann.hpp, of the package libnanoflann-dev, is not installed") {
			t.Errorf("%s: exit code %d, output %q, errors %q", x.says, o.Code, o.Out, o.Errs)
		}
	}
}

// All libraries find the same as zoctree among degenerate boxes, and each of their operations has a row.
func TestDegenerate(t *testing.T) {
	folder := folderOf(t, degenerate(t, 3000))
	points := []string{"points: build, a point", "points: nearest 1", "points: nearest 5", "points: within a radius", "points: window, rebuilt, a point",
		"points: window, rebuilt, nearest 5", "points: window, dynamic, a point", "points: window, dynamic, nearest 5"}
	for _, x := range []struct {
		of   *rival
		rows []string
	}{
		{&embree, []string{"build, an object", "ray, first hit", "nearest 1", "nearest 5", "all pairs, an object", "move 1 %, a move", "move all, a move"}},
		{&boost, []string{"build, an object", "box of 8", "box of 450", "ray, all hits", "nearest 1", "nearest 5", "all pairs, an object",
			"insert one by one, an object", "remove one by one, a removal", "move 1 %, a move", "move all, a move"}},
		{&bullet, []string{"build, an object", "box of 8", "box of 450", "frustum of 1 %", "frustum of 10 %", "frustum of 50 %", "ray, all hits", "ray, first hit",
			"all pairs, an object", "insert one by one, an object", "remove one by one, a removal", "move 1 %, a move", "move all, a move",
			"frame of 1 % moves, pairs", "frame of 1 % moves, pairs, camera, 100 boxes"}},
		{&nanoflann, points},
	} {
		t.Run(x.of.name, func(t *testing.T) {
			driver(t, x.of) // or skip
			out := bench.Good(t, "native", "-in", folder, "-only", x.of.name, "-count", "2", "-k", "1,5", "-format", "tsv")
			if got := rowsOf(t, out, x.of.name); !slices.Equal(got, x.rows) {
				t.Errorf("rows %q, want %q", got, x.rows)
			}
		})
	}
}

// Embree finds the same in a scene of instances, and in the flat tree of the boxes around the objects.
func TestInstances(t *testing.T) {
	driver(t, &embree)
	out := bench.Good(t, "native", "-count", "2", "-k", "1,8", "-format", "tsv", "-only", "embree", "-in", exportInstances(t))
	want := []string{"build, an object", "ray, first hit", "nearest 1", "nearest 8", "all pairs, an object",
		"instances: ray, first hit", "instances: nearest 1", "instances: nearest 8"}
	if got := rowsOf(t, out, "embree"); !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

// Without -in the command makes the files of each size and scene, and removes them.
func TestOwnFiles(t *testing.T) {
	driver(t, &embree)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	args := []string{"native", "-n", "1k,2k", "-scenes", "city,instances", "-only", "embree", "-rows", "first,pairs", "-count", "2"}
	out := bench.Good(t, args...)
	for _, want := range []string{"city, 1000 objects", "1000 objects in 10 instances", "2000 objects in 20 instances", "all pairs, an object", "instances: ray, first hit", " to "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
	commandtest.GoFormat(t, bench.Good(t, append(args, "-format", "json")...))
}

func TestRefused(t *testing.T) {
	driver(t, &nanoflann)
	few := folderOf(t, degenerate(t, minObjects-1))
	for _, folder := range []string{"nowhere", few} {
		if o := bench.Do("native", "-only", "nanoflann", "-in", folder); o.Code != 1 || !strings.Contains(o.Errs, folder) {
			t.Errorf("%s: exit code %d, %s", folder, o.Code, o.Errs)
		}
	}
	for _, args := range [][]string{{"-scenes", "nowhere"}, {"-n", "999"}, {"-k", "0"}} {
		if o := bench.Do(append([]string{"native"}, args...)...); !o.Misused() {
			t.Errorf("%v: exit code %d, %s", args, o.Code, o.Errs)
		}
	}
}
