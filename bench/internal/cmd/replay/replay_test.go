package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

var bench = commandtest.Bench{Command, Export, Tracks}

// A small scene, written by hand: unit cubes at x = 0, 2, 4, …, 18, and frusta with obvious results.
func row10(t *testing.T) (scenePath, frustaPath string) {
	t.Helper()
	var boxes []soa.AABB
	for i := range 10 {
		x := float32(2 * i)
		boxes = append(boxes, soa.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 1, 1, 1}})
	}
	wide := [4]float32{0, 0, 0, 1}
	frusta := [][6][4]float32{
		{{1, 0, 0, -3.5}, {-1, 0, 0, 7.5}, wide, wide, wide, wide}, // 3.5 <= x <= 7.5: IDs 2 and 3
		{wide, wide, wide, wide, wide, wide},                       // all
		{{0, 0, 1, -5}, wide, wide, wide, wide, wide},              // z >= 5: none
	}
	dir := t.TempDir()
	scenePath, frustaPath = filepath.Join(dir, "s.bin"), filepath.Join(dir, "f.bin")
	must.Do(flat.Save(scenePath, boxes, flat.WriteScene))
	must.Do(flat.Save(frustaPath, frusta, flat.WriteFrusta))
	return scenePath, frustaPath
}

// The scrambler, implemented again from its published definition.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func TestReplayByHand(t *testing.T) {
	scenePath, frustaPath := row10(t)
	out := bench.Good(t, "replay", "-scene", scenePath, "-frusta", frustaPath, "-frusta", frustaPath, "-repeat", "2")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want a header and two rows:\n%s", len(lines), out)
	}
	head := "workload file n queries build_ns_per_object bytes_per_object ns_median ns_min results_mean hash verdict distance_sum ns_worst"
	if lines[0] != strings.ReplaceAll(head, " ", "\t") {
		t.Errorf("header %q", lines[0])
	}
	sum := scramble(2) + scramble(3)
	for id := range uint64(10) {
		sum += scramble(id)
	}
	for _, line := range lines[1:] {
		f := strings.Split(line, "\t")
		want := []string{0: "frustum", 1: frustaPath, 2: "10", 3: "3", 8: "4.00", 9: fmt.Sprintf("%016x", sum), 10: "ok", 11: "-", 12: "-"}
		for i, w := range want {
			if w != "" && f[i] != w {
				t.Errorf("field %d is %q, want %q", i, f[i], w)
			}
		}
		for i := 4; i <= 7; i++ {
			if x, err := strconv.ParseFloat(f[i], 64); err != nil || x <= 0 {
				t.Errorf("field %d is %q, want a positive number", i, f[i])
			}
		}
	}
}

// rowsOf runs a replay and returns its rows by workload and file.
func rowsOf(t *testing.T, args ...string) map[string][]string {
	t.Helper()
	rows := make(map[string][]string)
	for _, line := range strings.Split(strings.TrimSpace(bench.Good(t, args...)), "\n")[1:] {
		f := strings.Split(line, "\t")
		if len(f) != 13 || f[10] != "ok" {
			t.Errorf("row %q", line)
		}
		rows[f[0]+" "+filepath.Base(f[1])] = f
	}
	return rows
}

// Exported files replay, with the hashes computed by plain loops over the boxes, before and after the
// objects move.
func TestExportReplay(t *testing.T) {
	dir := t.TempDir()
	line := bench.Good(t, "replay", "export", "-o", dir, "-scene", "city", "-n", commandtest.Small(), "-cameras", "5", "-queries", "30",
		"-steps", "7", "-moves", "50", "-seed", "3")
	args := strings.Fields(strings.TrimPrefix(line, "go run ./bench "))
	if len(args) != 1+2*12 {
		t.Fatalf("export prints %q", line)
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	boxes := must.Get(flat.Load(file("scene.bin"), flat.ReadScene))
	cubes := must.Get(flat.Load(file("boxes-8.bin"), flat.ReadBoxes))
	rays := must.Get(flat.Load(file("rays.bin"), flat.ReadRays))
	points := must.Get(flat.Load(file("points.bin"), flat.ReadPoints))
	steps := must.Get(flat.Load(file("moves.bin"), flat.ReadMoves))
	all := must.Get(flat.Load(file("moveall.bin"), flat.ReadBoxes))
	moved := slices.Clone(boxes)
	for _, step := range steps {
		for _, m := range step {
			moved[m.ID] = m.Box
		}
	}
	hashes := func(boxes []soa.AABB) map[string]uint64 {
		sums := make(map[string]uint64)
		for _, q := range cubes {
			for _, id := range testkit.ReferenceBox(boxes, q) {
				sums["box"] += scramble(uint64(id))
			}
		}
		for _, r := range rays {
			for i, h := range testkit.ReferenceSweep(boxes, testkit.RaySweep([3]float32(r[:3]), [3]float32(r[3:6]), r[6])) {
				sums["ray"] += scramble(uint64(h.Index))
				sums["ray_ids"] += scramble(uint64(h.Index))
				if i == 0 {
					sums["ray_first"] += scramble(uint64(h.Index))
				}
			}
		}
		for _, p := range points {
			for i, near := range testkit.ReferenceNearest(boxes, p, 8, lab.AnyDistance) {
				sums["knn8"] += scramble(uint64(near.Index))
				if i == 0 {
					sums["knn1"] += scramble(uint64(near.Index))
				}
			}
		}
		return sums
	}
	files := map[string]string{"box": "boxes-8.bin", "ray": "rays.bin", "ray_first": "rays.bin", "ray_ids": "rays.bin", "knn1": "points.bin", "knn8": "points.bin"}
	sums := map[string]map[string]uint64{"": hashes(boxes), "_after_move": hashes(moved), "_after_moveall": hashes(all)}
	sums["_after_churn"] = sums["_after_move"]
	for _, tier := range []string{"", "go"} {
		rows := rowsOf(t, append(args, "-repeat", "2", "-tier", tier)...)
		if want := 3 * 1; len(rows) != 4*(3+3+1+3+2)+want {
			t.Errorf("%d rows", len(rows))
		}
		for suffix, of := range sums {
			for workload, sum := range of {
				f := rows[workload+suffix+" "+files[workload]]
				// Equally distant objects have other IDs in a tree that churns.
				if suffix == "_after_churn" && workload != "box" && workload != "ray" && workload != "ray_ids" {
					continue
				}
				if want := fmt.Sprintf("%016x", sum); f == nil || f[9] != want {
					t.Errorf("%s%s: row %q, want hash %s", workload, suffix, f, want)
				}
			}
		}
		for _, workload := range []string{"ray_first rays.bin", "knn1 points.bin", "knn8_after_churn points.bin"} {
			if x, err := strconv.ParseFloat(rows[workload][11], 64); err != nil || x <= 0 {
				t.Errorf("%s: sum of distances %q", workload, rows[workload][11])
			}
		}
		for workload, steps := range map[string]string{"move moves.bin": "7", "churn moves.bin": "7", "moveall moveall.bin": "1"} {
			f := rows[workload]
			least, _ := strconv.ParseFloat(f[7], 64)
			worst, err := strconv.ParseFloat(f[12], 64)
			if f[3] != steps || err != nil || least <= 0 || worst < least {
				t.Errorf("%s: row %q", workload, f)
			}
		}
	}
}

// The pairs of a scene, by hand and by a double loop over all boxes, before and
// after its objects move.
func TestReplayPairs(t *testing.T) {
	touching := []soa.AABB{
		{Max: [3]float32{1, 1, 1}},
		{Min: [3]float32{1, 1, 1}, Max: [3]float32{2, 2, 2}}, // a corner in common with 0
		{Min: [3]float32{5, 5, 5}, Max: [3]float32{6, 6, 6}},
		{Min: [3]float32{-9, -9, -9}, Max: [3]float32{9, 9, 1.5}}, // contains 0, overlaps 1
	}
	path := filepath.Join(t.TempDir(), "s.bin")
	must.Do(flat.Save(path, touching, flat.WriteScene))
	f := rowsOf(t, "replay", "-scene", path, "-pairs", "-repeat", "1")["pairs s.bin"]
	want := fmt.Sprintf("%016x", scramble(0<<32|1)+scramble(0<<32|3)+scramble(1<<32|3))
	if f == nil || f[3] != "1" || f[8] != "3.00" || f[9] != want {
		t.Errorf("row %q, want 3 pairs and hash %s", f, want)
	}

	dir := t.TempDir()
	bench.Good(t, "replay", "export", "-o", dir, "-scene", "city", "-n", commandtest.Small(), "-cameras", "1", "-queries", "1", "-steps", "3", "-moves", "50")
	file := func(name string) string { return filepath.Join(dir, name) }
	boxes := must.Get(flat.Load(file("scene.bin"), flat.ReadScene))
	steps := must.Get(flat.Load(file("moves.bin"), flat.ReadMoves))
	moved := slices.Clone(boxes)
	for _, step := range steps {
		for _, m := range step {
			moved[m.ID] = m.Box
		}
	}
	rows := rowsOf(t, "replay", "-scene", file("scene.bin"), "-moves", file("moves.bin"), "-pairs", "-repeat", "1")
	for suffix, at := range map[string][]soa.AABB{"": boxes, "_after_move": moved, "_after_churn": moved} {
		pairs := testkit.ReferencePairs(at)
		sum := uint64(0)
		for _, p := range pairs {
			sum += scramble(uint64(p.A)<<32 | uint64(p.B))
		}
		f := rows["pairs"+suffix+" scene.bin"]
		if f == nil || f[8] != fmt.Sprintf("%d.00", len(pairs)) || f[9] != fmt.Sprintf("%016x", sum) || len(pairs) == 0 {
			t.Errorf("row %q, want %d pairs and hash %016x", f, len(pairs), sum)
		}
	}
}

// A step may contain an ID twice; the last box counts. An unknown ID is an error.
func TestReplayMovesTwice(t *testing.T) {
	scenePath, _ := row10(t)
	dir := t.TempDir()
	box := func(x float32) soa.AABB { return soa.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 1, 1, 1}} }
	moves, cubes, bad := filepath.Join(dir, "m.bin"), filepath.Join(dir, "b.bin"), filepath.Join(dir, "bad.bin")
	step := []flat.Move{{ID: 3, Box: box(100)}, {ID: 4, Box: box(300)}, {ID: 3, Box: box(200)}}
	must.Do(flat.Save(moves, [][]flat.Move{step}, flat.WriteMoves))
	must.Do(flat.Save(cubes, []soa.AABB{box(100), box(200), box(300.5)}, flat.WriteBoxes))
	rows := rowsOf(t, "replay", "-scene", scenePath, "-boxes", cubes, "-moves", moves, "-repeat", "1")
	want := fmt.Sprintf("%016x", scramble(3)+scramble(4))
	for _, workload := range []string{"box_after_move b.bin", "box_after_churn b.bin"} {
		if rows[workload][9] != want {
			t.Errorf("row %q, want hash %s", rows[workload], want)
		}
	}
	must.Do(flat.Save(bad, [][]flat.Move{{{ID: 10, Box: box(1)}}}, flat.WriteMoves))
	if o := bench.Do("replay", "-scene", scenePath, "-moves", bad); o.Code != 1 || !strings.Contains(o.Errs, "ID 10 of 10 objects") {
		t.Errorf("exit code %d, errors %q", o.Code, o.Errs)
	}
	if o := bench.Do("replay", "-scene", scenePath, "-moveall", cubes); o.Code != 1 || !strings.Contains(o.Errs, "3 boxes for 10 objects") {
		t.Errorf("exit code %d, errors %q", o.Code, o.Errs)
	}
}

func TestReplayEmpty(t *testing.T) {
	dir := t.TempDir()
	s, f := filepath.Join(dir, "s.bin"), filepath.Join(dir, "f.bin")
	must.Do(flat.Save(s, []soa.AABB{}, flat.WriteScene))
	must.Do(flat.Save(f, [][6][4]float32{}, flat.WriteFrusta))
	_, one := row10(t)
	out := bench.Good(t, "replay", "-scene", s, "-frusta", f, "-frusta", one, "-repeat", "1")
	if strings.Count(out, "\tok\t") != 2 || strings.Count(out, "\t0000000000000000\t") != 2 {
		t.Errorf("an empty scene gives\n%s", out)
	}
}

func TestReplayBadFiles(t *testing.T) {
	scenePath, frustaPath := row10(t)
	data := must.Get(os.ReadFile(frustaPath))
	cut := filepath.Join(t.TempDir(), "cut.bin")
	must.Do(os.WriteFile(cut, data[:100], 0o666))
	for _, args := range [][]string{
		{"-scene", frustaPath, "-frusta", frustaPath}, // another kind
		{"-scene", scenePath, "-frusta", cut},
		{"-scene", scenePath + ".missing"},
	} {
		o := bench.Do(append([]string{"replay"}, args...)...)
		if o.Code != 1 || o.Out != "" || strings.Count(o.Errs, "\n") != 1 || !strings.HasPrefix(o.Errs, "bench: ") {
			t.Errorf("replay %v: exit code %d, output %q, errors %q", args, o.Code, o.Out, o.Errs)
		}
	}
	if o := bench.Do("replay", "-scene", scenePath, "-frusta", cut); !strings.Contains(o.Errs, "byte 100") {
		t.Errorf("no offset in %q", o.Errs)
	}
}

// liar returns one ID too many for every query.
type liar struct{ lab.Batch }

func (l liar) Answer(a *lab.Answer, v linear.View, i int) {
	l.Batch.Answer(a, v, i)
	a.IDs = append(a.IDs, 7)
}

func (l liar) Verify(v linear.View, _ []soa.AABB, i int) bool {
	var lie, truth lab.Answer
	l.Answer(&lie, v, i)
	l.Batch.Answer(&truth, v, i)
	return len(lie.IDs) == len(truth.IDs)
}

// A wrong answer is a MISMATCH and an error.
func TestReplayMismatch(t *testing.T) {
	scenePath, frustaPath := row10(t)
	lies := lab.FileKind{Load: func(path string) ([]lab.Workload, error) {
		planes, err := flat.Load(path, flat.ReadFrusta)
		if err != nil {
			return nil, err
		}
		b, err := lab.NewFrusta(planes)
		return []lab.Workload{{Name: "frustum", Batch: liar{b}}}, err
	}}
	var out, errs strings.Builder
	r := replay{scene: scenePath, files: []lab.QueryFile{{Kind: lies, Path: frustaPath}}, repeat: 1, output: command.Output{Format: report.TSV}}
	err := must.Catch(func() { must.Do(r.run(&command.Env{Out: &out, Errs: &errs})) })
	if err == nil || !strings.Contains(out.String(), "\tMISMATCH\t") || !strings.Contains(err.Error(), "differ from the oracle") {
		t.Errorf("error %v, output %q, progress %q", err, out.String(), errs.String())
	}
}

func TestReplayFormats(t *testing.T) {
	scenePath, frustaPath := row10(t)
	bench.Formats(t, []string{"replay", "-repeat", "2", "-scene", scenePath, "-frusta", frustaPath}, 1, 1)
}
