package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// A small scene, written by hand: unit cubes at x = 0, 2, 4, …, 18, and frusta
// whose answers are plain to see.
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
	if err := writeFile(scenePath, boxes, flat.WriteScene); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(frustaPath, frusta, flat.WriteFrusta); err != nil {
		t.Fatal(err)
	}
	return scenePath, frustaPath
}

// The scrambler, written out once more from its published definition.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func TestReplayByHand(t *testing.T) {
	scenePath, frustaPath := row10(t)
	out := good(t, "replay", "-scene", scenePath, "-frusta", frustaPath, "-frusta", frustaPath, "-repeat", "2")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want a header and two rows:\n%s", len(lines), out)
	}
	head := "workload file n queries build_ns_per_object bytes_per_object ns_median ns_min results_mean hash verdict"
	if lines[0] != strings.ReplaceAll(head, " ", "\t") {
		t.Errorf("header %q", lines[0])
	}
	sum := scramble(2) + scramble(3)
	for id := range uint64(10) {
		sum += scramble(id)
	}
	for _, line := range lines[1:] {
		f := strings.Split(line, "\t")
		want := []string{0: "frustum", 1: frustaPath, 2: "10", 3: "3", 8: "4.00", 9: fmt.Sprintf("%016x", sum), 10: "ok"}
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

// What export writes replays, with the hash of a plain loop over the boxes.
func TestExportReplay(t *testing.T) {
	dir := t.TempDir()
	line := good(t, "export", "-out", dir, "-scene", "city", "-n", small(), "-cameras", "5", "-seed", "3")
	args := strings.Fields(strings.TrimPrefix(line, "go run ./bench "))
	if len(args) != 9 {
		t.Fatalf("export prints %q", line)
	}
	boxes, err := flat.Load(filepath.Join(dir, "scene.bin"), flat.ReadScene)
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range []string{"", "go"} {
		out := good(t, append(args, "-repeat", "1", "-tier", tier)...)
		for i, row := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
			f := strings.Split(row, "\t")
			planes, err := flat.Load(f[1], flat.ReadFrusta)
			if err != nil {
				t.Fatal(err)
			}
			sum := uint64(0)
			for _, p := range planes {
				for _, id := range testkit.TwinFrustum(boxes, p) {
					sum += scramble(uint64(id))
				}
			}
			if want := fmt.Sprintf("%016x", sum); f[9] != want || f[10] != "ok" {
				t.Errorf("row %d: hash %s, want %s; verdict %s", i, f[9], want, f[10])
			}
		}
	}
}

func TestReplayEmpty(t *testing.T) {
	dir := t.TempDir()
	s, f := filepath.Join(dir, "s.bin"), filepath.Join(dir, "f.bin")
	if err := writeFile(s, []soa.AABB{}, flat.WriteScene); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(f, [][6][4]float32{}, flat.WriteFrusta); err != nil {
		t.Fatal(err)
	}
	_, one := row10(t)
	out := good(t, "replay", "-scene", s, "-frusta", f, "-frusta", one, "-repeat", "1")
	if strings.Count(out, "\tok\n") != 2 || strings.Count(out, "\t0000000000000000\t") != 2 {
		t.Errorf("an empty scene gives\n%s", out)
	}
}

func TestReplayBadFiles(t *testing.T) {
	scenePath, frustaPath := row10(t)
	data, err := os.ReadFile(frustaPath)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.bin")
	if err := os.WriteFile(cut, data[:100], 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"-scene", frustaPath, "-frusta", frustaPath}, // another kind
		{"-scene", scenePath, "-frusta", cut},
		{"-scene", scenePath + ".missing"},
	} {
		o := do(append([]string{"replay"}, args...)...)
		if o.code != 1 || o.out != "" || strings.Count(o.errs, "\n") != 1 || !strings.HasPrefix(o.errs, "bench: ") {
			t.Errorf("replay %v: exit code %d, output %q, errors %q", args, o.code, o.out, o.errs)
		}
	}
	if o := do("replay", "-scene", scenePath, "-frusta", cut); !strings.Contains(o.errs, "byte 100") {
		t.Errorf("no offset in %q", o.errs)
	}
}

// liar answers every query with one ID too many.
type liar struct{ batch }

func (l liar) query(dst []uint32, v linear.View, i int) []uint32 {
	return append(l.batch.query(dst, v, i), 7)
}

func (l liar) verify(v linear.View, boxes []soa.AABB, i int) bool {
	return verifyFrustum(l.query(nil, v, i), boxes, l.batch.(frusta)[i].Planes)
}

// A wrong answer is a MISMATCH and exit code 1.
func TestReplayMismatch(t *testing.T) {
	honest := kinds
	defer func() { kinds = honest }()
	kinds = []kind{{"frustum", "frusta", "", func(path string) (batch, error) {
		b, err := loadFrusta(path)
		return liar{b}, err
	}}}
	scenePath, frustaPath := row10(t)
	o := do("replay", "-scene", scenePath, "-frusta", frustaPath, "-repeat", "1")
	if o.code != 1 || !strings.HasSuffix(o.out, "\tMISMATCH\n") || !strings.Contains(o.errs, "differ from the oracle") {
		t.Errorf("exit code %d, output %q, errors %q", o.code, o.out, o.errs)
	}
}
