package livemap

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

var bench = commandtest.Bench{Command}

// small are the arguments of a short run.
var small = []string{"map", "-points", "3k", "-scans", "4", "-warm", "8", "-queries", "30"}

// rows returns the rows of the table of a run.
func rows(t *testing.T, args ...string) (all [][]string) {
	t.Helper()
	for line := range strings.Lines(bench.Good(t, append(args, "-format", "tsv")...)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 8 && f[0] != "index" {
			all = append(all, f)
		}
	}
	return all
}

// The table has a row for each index, with equal numbers of points, and quantiles that ascend.
func TestMap(t *testing.T) {
	all := rows(t, "map", "-points", "20k", "-scans", "3", "-queries", "30", "-count", "2")
	if len(all) != len(indexes()) {
		t.Fatalf("%d rows, want %d", len(all), len(indexes()))
	}
	for i, x := range indexes() {
		f := all[i]
		median, p95 := number(t, f[2]), number(t, f[3])
		if f[0] != x.name() || f[1] != all[0][1] || median > p95 || median <= 0 || number(t, f[4]) <= 0 || number(t, f[6]) <= 0 {
			t.Errorf("row %q", f)
		}
	}
	if n := number(t, all[0][1]); n < 15_000 || n > 25_000 {
		t.Errorf("%v points in the window, want about 20,000", n)
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestMapFormats(t *testing.T) {
	bench.Formats(t, append(small, "-count", "1"), 6*len(indexes()), len(indexes()))
	for _, args := range [][]string{{"-points", "10"}, {"-window", "0"}, {"-window", "nan"}, {"-window", "2e6"}, {"-k", "0"}, {"-scans", "0"}, {"-warm", "0"}, {"-queries", "x"}} {
		if o := bench.Do(append([]string{"map"}, args...)...); o.Code != 2 {
			t.Errorf("%v: exit code %d", args, o.Code)
		}
	}
}

// Scans of a folder, in the order of the numbers in the names, and of a file in the order of its times.
func TestMapFiles(t *testing.T) {
	folder := t.TempDir()
	town := newTown(2000, 60, 3)
	var whole strings.Builder
	whole.WriteString("x,y,z,gps_time\n")
	n := 0
	for i := range 6 {
		var file strings.Builder
		for _, p := range town.scan(i).points {
			fmt.Fprintf(&file, "%v %v %v\n", p[0]+5e5, p[1], p[2])
			fmt.Fprintf(&whole, "%v,%v,%v,%d\n", p[0], p[1], p[2], 1000-n)
			n++
		}
		testkit.Must(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("town%d.xyz", 7+i)), []byte(file.String()), 0o600))
	}
	testkit.Must(t, os.WriteFile(filepath.Join(folder, ".hidden"), []byte("no scan"), 0o600))
	testkit.Must(t, os.WriteFile(filepath.Join(folder, "readme.txt"), []byte("1 2 3\n"), 0o600))
	testkit.Must(t, os.Mkdir(filepath.Join(folder, "more"), 0o700))
	if got := len(rows(t, "map", "-in", folder, "-warm", "2", "-scans", "2", "-queries", "20")); got != len(indexes()) {
		t.Errorf("%d rows of a folder", got)
	}
	f := readScans(folder, 1)
	if len(f.scans) != 6 || len(f.scans[3].points) != len(town.scan(3).points) || f.scans[5].at[0]-f.scans[0].at[0] < 3 {
		t.Errorf("%d scans of a folder, the last at %v, the first at %v", len(f.scans), f.scans[len(f.scans)-1].at, f.scans[0].at)
	}

	path := filepath.Join(folder, "more", "whole.csv")
	testkit.Must(t, os.WriteFile(path, []byte(whole.String()), 0o600))
	if got := len(rows(t, "map", "-in", path, "-scan", "100")); got != len(indexes()) {
		t.Errorf("%d rows of a file", got)
	}
	f = readScans(path, n-1)
	last := town.scan(5).points
	if len(f.scans) != 2 || len(f.scans[1].points) != 1 || f.scans[0].points[0] != last[len(last)-1] || f.scans[1].points[0] != town.scan(0).points[0] {
		t.Errorf("%d scans of a file, not in the order of their times", len(f.scans))
	}
	two := filepath.Join(folder, "two")
	testkit.Must(t, os.Mkdir(two, 0o700))
	for _, name := range []string{"a.xyz", "b.xyz"} {
		testkit.Must(t, os.WriteFile(filepath.Join(two, name), []byte("1 2 3\n"), 0o600))
	}
	for _, args := range [][]string{{"-in", path}, {"-in", filepath.Join(folder, "missing")}, {"-in", two}} {
		if o := bench.Do(append([]string{"map"}, args...)...); o.Code != 1 || !strings.Contains(o.Errs, args[1]) {
			t.Errorf("%v: exit code %d, %s", args, o.Code, o.Errs)
		}
	}
}

// The notes have the numbers of scans and points that were read and used, their box, and the points left out.
func TestMapAbout(t *testing.T) {
	folder := t.TempDir()
	var whole strings.Builder
	whole.WriteString("x,y,z,gps_time\n")
	for i := range 6 {
		fmt.Fprintf(&whole, "%d,2,3,4\nNaN,%[1]d,0,5\n", i)
		testkit.Must(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.xyz", i)), fmt.Appendf(nil, "%d 2 3\n%[1]d 4 5\nInf 0 0\n", i), 0o600))
	}
	path := filepath.Join(t.TempDir(), "whole.csv")
	testkit.Must(t, os.WriteFile(path, []byte(whole.String()), 0o600))
	for in, want := range map[string]string{
		folder: folder + ", 6 scans of 12 points in [0 2 3] to [5 4 5]; used: 3 scans, 50 % of the points; " +
			"left out: 0.xyz: 1 points that are not finite, 1.xyz: 1 points that are not finite, 2.xyz: 1 points that are not finite and 3 more",
		path: path + ", 6 scans of 6 points in [0 2 3] to [5 2 3], in the order of gps_time; used: 3 scans, 50 % of the points; " +
			"left out: 6 points that are not finite",
	} {
		out := bench.Good(t, "map", "-in", in, "-scan", "1", "-warm", "1", "-scans", "1")
		if !strings.Contains(out, want+"\n") {
			t.Errorf("the output is\n%swithout %q", out, want)
		}
	}
}

// The order of names.
func TestCompareNames(t *testing.T) {
	names := []string{"", "0", "9", "10", "a", "a2", "a2b", "a10", "a010b3", "a10b12", "b", "scan-1", "scan1", "scan18446744073709551616"}
	for i, a := range names {
		for j, b := range names {
			if got, want := compareNames(a, b), cmp.Compare(i, j); got != want {
				t.Errorf("%q and %q: %d, want %d", a, b, got, want)
			}
		}
	}
	if got := compareNames("a02b", "a2b"); got != 0 {
		t.Errorf("a02b and a2b: %d", got)
	}
}

// wrong is an index with a fault.
type wrong struct {
	incremental
	nearer, kept bool
}

func (x *wrong) nearest(dst []float32, p [3]float32, k int) []float32 {
	dst = x.incremental.nearest(dst, p, k)
	if x.nearer && dst[0] > 0 {
		dst[0] = math.Nextafter32(dst[0], 0)
	}
	return dst
}

func (x *wrong) len() int {
	if x.kept {
		return x.incremental.len() + 1
	}
	return x.incremental.len()
}

// A wrong distance or number of points ends the command.
func TestMapWrong(t *testing.T) {
	for _, x := range []*wrong{{nearer: true}, {kept: true}, {}} {
		x.tree = newTree()
		c := livemap{points: 2000, scans: 2, warm: 3, queries: 50, k: 5, window: 60}
		err := must.Catch(func() {
			c.drive(newTown(c.points, c.window, 1), []index{&voxels{cells: map[cell][][3]float32{}}, x}, &command.Progress{})
		})
		if (err != nil) != (x.nearer || x.kept) {
			t.Errorf("%v, %v: error %v", x.nearer, x.kept, err)
		}
	}
}

// All indexes hold the points inside a closed window, and find their neighbours.
func TestWindow(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	at := func() float32 { return float32(r.IntN(9)) - 4 }
	for range testkit.Budget(t, 100, 5000) {
		w := window{min: [3]float32{-at() - 4, -3, -1}, max: [3]float32{at() + 4, 2, 1}}
		for a := range 3 {
			w.min[a], w.max[a] = min(w.min[a], w.max[a]), max(w.min[a], w.max[a])
		}
		points := make([][3]float32, 60)
		want := 0
		for i := range points {
			points[i] = [3]float32{at(), at(), at()}
			if r.IntN(3) == 0 {
				points[i][r.IntN(3)] = math.Nextafter32(at(), at())
			}
			if w.has(&points[i]) {
				want++
			}
		}
		for _, x := range indexes() {
			x.fill(points[:20])
			x.update(points[20:], &w)
			if x.len() != want {
				t.Fatalf("%s: %d points in %v, want %d", x.name(), x.len(), w, want)
			}
			for range 5 {
				p := [3]float32{at(), at() * 3, at()}
				k := 1 + r.IntN(8)
				var all []float32
				for i := range points {
					if w.has(&points[i]) {
						all = append(all, squared(&points[i], &p))
					}
				}
				slices.Sort(all)
				if got := x.nearest([]float32{7}, p, k); !slices.Equal(got, append([]float32{7}, all[:min(k, len(all))]...)) {
					t.Fatalf("%s: neighbours %v of %v, want %v", x.name(), got, p, all)
				}
			}
		}
	}
}

// A point of a scan is the first surface along its ray, within the noise, and a function of the seed.
func TestTown(t *testing.T) {
	town := newTown(20_000, 60, 1)
	first := slices.Clone(town.scan(7).points)
	if again := newTown(20_000, 60, 1).scan(7).points; !slices.Equal(first, again) {
		t.Error("a scan is no function of the seed")
	}
	if other := newTown(20_000, 60, 2).scan(7).points; slices.Equal(first, other) {
		t.Error("the seed has no effect")
	}
	r := testkit.Rand(testkit.Seed(t))
	hits, walls := 0, 0
	for range testkit.Budget(t, 2000, 50_000) {
		sin, cos := math.Sincos(2 * math.Pi * r.Float64())
		e := town.rings[r.IntN(rings)]
		d := [3]float64{e[0] * cos, e[0] * sin, e[1]}
		at := [3]float64{100 * r.Float64(), 0, height}
		want := math.Inf(1)
		if d[2] < 0 {
			want = -at[2] / d[2]
		}
		ground := want
		for x := int64(-12); x < 25; x++ {
			for y := int64(-12); y < 12; y++ {
				town.boxes(x, y, func(lo, hi *[3]float64) {
					for a := range 2 {
						if c := []float64{float64(x), float64(y)}[a] * tile; lo[a] < c || hi[a] > c+tile || lo[a] >= hi[a] {
							t.Fatalf("box %v, %v leaves cell %d, %d", lo, hi, x, y)
						}
					}
					if far, ok := clip(&at, &d, lo, hi); ok {
						want = min(want, far)
					}
				})
			}
		}
		if want >= town.reach {
			want = 0
		} else {
			hits++
			walls += cmp.Compare(ground, want)
		}
		if got := town.cast(&at, &d); got != want {
			t.Fatalf("from %v along %v: %v, want %v", at, d, got, want)
		}
	}
	if hits == 0 || walls == 0 || walls == hits {
		t.Errorf("%d hits, %d of them are no ground", hits, walls)
	}
	for _, p := range first {
		if !(p[2] > -noise && p[2] < 31) {
			t.Fatalf("point %v", p)
		}
	}
}

// The hash and a tree round distances alike.
func TestSquared(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for range 1000 {
		x := incremental{tree: newTree()}
		p, q := [3]float32{r.Float32() * 100, r.Float32(), r.Float32()}, [3]float32{r.Float32(), r.Float32(), 100 * r.Float32()}
		x.fill([][3]float32{p})
		got := must.Get(query.AppendNearest(nil, x.view, q, 1, query.Unlimited, query.Filter{}))
		if want := squared(&p, &q); got[0].Dist2 != want {
			t.Fatalf("%v to %v: %v, want %v", p, q, got[0].Dist2, want)
		}
	}
}
