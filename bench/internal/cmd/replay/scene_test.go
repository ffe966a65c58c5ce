package replay

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/soa"
)

// Two cubes at 0 and 2; instances at rest, mirrored, and rotated by a quarter turn at (10, 0, 0).
func TestReplayInstancesByHand(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	cubes := []soa.AABB{{Max: [3]float32{1, 1, 1}}, {Min: [3]float32{2}, Max: [3]float32{3, 1, 1}}}
	instances := []flat.Instance{
		{Part: 1, Rows: [12]float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
		{Part: 0, Rows: [12]float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
		{Part: 0, Rows: [12]float32{-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
		{Part: 0, Rows: [12]float32{0, -1, 0, 10, 1, 0, 0, 0, 0, 0, 1, 0}},
	}
	save := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	save(flat.Save(file("part0"), cubes, flat.WriteScene))
	save(flat.Save(file("part1"), []soa.AABB{}, flat.WriteScene))
	save(flat.Save(file("instances"), instances, flat.WriteInstances))
	save(flat.Save(file("boxes"), []soa.AABB{
		{Min: [3]float32{1.5}, Max: [3]float32{10, 1, 1}},        // 1 of instance 1, 0 of instance 3
		{Min: [3]float32{8, 2.5}, Max: [3]float32{20, 2.75, 1}},  // 1 of instance 3
		{Min: [3]float32{-2.5}, Max: [3]float32{0.5, 0.5, 0.5}},  // 0 of instance 1, both of instance 2
		{Min: [3]float32{0, 0, 5}, Max: [3]float32{20, 20, 20}}}, // nothing
		flat.WriteBoxes))
	save(flat.Save(file("rays"), [][7]float32{{-5, 0.5, 0.5, 1, 0, 0, 100}, {9.5, -4, 0.5, 0, 1, 0, 100}, {0, 9, 0, 1, 0, 0, 5}}, flat.WriteRays))
	save(flat.Save(file("points"), [][3]float32{{9.5, 4, 0.5}}, flat.WritePoints))
	save(flat.Save(file("spheres"), [][4]float32{{9.5, 4, 0.5, 2}}, flat.WriteSpheres))
	rows := rowsOf(t, "replay", "-part", file("part0"), "-part", file("part1"), "-instances", file("instances"), "-boxes", file("boxes"),
		"-rays", file("rays"), "-points", file("points"), "-spheres", file("spheres"), "-pairs", "-repeat", "2")
	of := func(named ...uint64) string {
		sum := uint64(0)
		for _, n := range named {
			sum += scramble(n)
		}
		return fmt.Sprintf("%016x", sum)
	}
	at := func(instance, id uint64) uint64 { return instance<<32 | id }
	for name, want := range map[string][3]string{
		"box boxes":       {"1.50", of(at(1, 1), at(3, 0), at(3, 1), at(1, 0), at(2, 0), at(2, 1)), "-"},
		"sphere spheres":  {"1.00", of(at(3, 1)), "-"},
		"ray_first rays":  {"0.67", of(at(2, 1), at(3, 0)), "6"},
		"knn1 points":     {"1.00", of(at(3, 1)), "1"},
		"knn8 points":     {"6.00", "", ""},
		"pairs instances": {"1.00", of(scramble(at(1, 0)) ^ at(2, 0)), "-"},
	} {
		f := rows[name]
		if f == nil {
			t.Fatalf("no row %s: %v", name, rows)
		}
		if f[2] != "6" || f[8] != want[0] || want[1] != "" && f[9] != want[1] || want[2] != "" && f[11] != want[2] {
			t.Errorf("%s: %q, want %v", name, f, want)
		}
		for _, k := range []int{4, 5, 6, 7} {
			if x, err := strconv.ParseFloat(f[k], 64); err != nil || x <= 0 {
				t.Errorf("%s: field %d is %q, want a positive number", name, k, f[k])
			}
		}
	}

	for want, args := range map[string][]string{
		"want 8 (instances)":            {"-part", file("part0"), "-instances", file("boxes")},
		"part 1 of 1":                   {"-part", file("part0")},
		"want 1 (scene boxes)":          {"-part", file("instances")},
		"instance 0: linear: transform": {"-part", file("part0"), "-instances", file("flat")},
		"no such file":                  {"-part", file("part0"), "-part", file("part1"), "-frusta", file("none")},
		"kind is 4 (boxes), want 3":     {"-part", file("part0"), "-part", file("part1"), "-frusta", file("boxes")},
		"-part requires -instances":     {"-scene", file("part0"), "-part", file("part1"), "-instances", ""},
		"-instances allows -part, but":  {"-scene", file("part0"), "-part", file("part1")},
	} {
		save(flat.Save(file("flat"), []flat.Instance{{Rows: [12]float32{0: 1, 5: 1}}}, flat.WriteInstances))
		if o := bench.Do(append([]string{"replay", "-instances", file("instances")}, args...)...); o.Code == 0 || !strings.Contains(o.Errs, want) {
			t.Errorf("%v: exit code %d, %q, want %q", args, o.Code, o.Errs, want)
		}
	}
}

// An exported scene replays, with valid results.
func TestExportReplayInstances(t *testing.T) {
	dir := t.TempDir()
	line := bench.Good(t, "replay", "export", "-o", dir, "-n", commandtest.Small(), "-instances", "40", "-cameras", "3", "-queries", "20", "-seed", "3")
	args := strings.Fields(strings.TrimPrefix(line, "go run ./bench "))
	rows := rowsOf(t, append(args, "-pairs", "-repeat", "1")...)
	if len(rows) != 11 {
		t.Errorf("%d rows: %v", len(rows), rows)
	}
	for name, f := range rows {
		if name != "pairs instances.bin" && f[8] == "0.00" {
			t.Errorf("%s finds nothing: %q", name, f)
		}
	}
}
