package input

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
)

// readReal reads a file of the folder named by ZOCTREE_DATA. The expected facts in the tests below were
// published with the files, or counted from them by brute force with another program.
func readReal(t *testing.T, name string, opt Options) *Data {
	t.Helper()
	dir := os.Getenv("ZOCTREE_DATA")
	if dir == "" {
		t.Skip("ZOCTREE_DATA is not set: no real files to read")
	}
	if !filepath.IsAbs(dir) {
		t.Fatalf("ZOCTREE_DATA is %q, not an absolute path", dir)
	}
	d := must.Get(Read(filepath.Join(dir, name), opt))
	for i, o := range d.Objects {
		if err := o.Box.Check(); err != nil {
			t.Fatalf("object %d: %v", i, err)
		}
	}
	return d
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// distinct returns the number of distinct values and the count of the most frequent one.
func distinct[T comparable](values []T) (n, most int) {
	count := map[T]int{}
	for _, v := range values {
		count[v]++
		most = max(most, count[v])
	}
	return len(count), most
}

// positions returns the positions of objects without extent.
func positions(t *testing.T, d *Data) (all [][3]float32) {
	t.Helper()
	for i, o := range d.Objects {
		if o.Box.Min != o.Box.Max {
			t.Fatalf("object %d: %v is no point", i, o.Box)
		}
		all = append(all, o.Box.Min)
	}
	return all
}

const dragon = "stanford_dragon.ply.gz"

func TestRealDragon(t *testing.T) {
	d := readReal(t, dragon, Options{})
	expect(t, "kind", d.Kind, Triangles)
	expect(t, "triangles", len(d.Objects), 871_414)
	expect(t, "vertices", len(d.Cloud.Points), 437_645)
	expect(t, "bounds", d.Bounds, box(-0.108324, 0.0527295, -0.0504143, 0.0965662, 0.197173, 0.0412075))
	positions, most := distinct(d.Cloud.Points)
	expect(t, "positions", positions, 435_545)
	expect(t, "vertices on one position", most, 9)

	flat, polygons := 0, 0
	for i := range d.Cloud.Faces() {
		face := d.Cloud.Face(i)
		if len(face) != 3 {
			polygons++
		}
		if area2(d.Cloud.Points[face[0]], d.Cloud.Points[face[1]], d.Cloud.Points[face[2]]) == 0 {
			flat++
		}
	}
	expect(t, "faces that are no triangles", polygons, 0)
	expect(t, "triangles of zero area", flat, 108)
}

// area2 returns the squared length of the cross product of two edges.
func area2(a, b, c [3]float32) float64 {
	var u, v [3]float64
	for i := range 3 {
		u[i], v[i] = float64(b[i])-float64(a[i]), float64(c[i])-float64(a[i])
	}
	x, y, z := u[1]*v[2]-u[2]*v[1], u[2]*v[0]-u[0]*v[2], u[0]*v[1]-u[1]*v[0]
	return x*x + y*y + z*z
}

func TestRealDragonPoints(t *testing.T) {
	d := readReal(t, dragon, Options{Points: true})
	expect(t, "kind", d.Kind, Points)
	expect(t, "points", len(positions(t, d)), 437_645)
}

func TestRealTerrain(t *testing.T) {
	d := readReal(t, "isprs_csite1_red1.pcd", Options{})
	expect(t, "kind", d.Kind, Points)
	expect(t, "points", len(d.Objects), 522_674)
	expect(t, "bounds", d.Bounds, box(512049.5, 5403059.5, 247.190002, 513150.188, 5404100, 426.820007))
	expect(t, "skipped", len(d.Skipped), 0)
	all := positions(t, d)
	var column [2][]float32
	for _, p := range all {
		column[0] = append(column[0], p[0])
		column[1] = append(column[1], p[1])
	}
	xs, _ := distinct(column[0])
	ys, _ := distinct(column[1])
	positions, most := distinct(all)
	expect(t, "values of x", xs, 35_186)
	expect(t, "values of y", ys, 2_082)
	expect(t, "positions", positions, 500_820)
	expect(t, "points on one position", most, 4)
}

func TestRealTown(t *testing.T) {
	d := readReal(t, "osm_bad_hersfeld_polygons.csv.gz", Options{Columns: []string{"nverts"}, Texts: []string{"id", "type"}})
	expect(t, "kind", d.Kind, Boxes)
	expect(t, "polygons", len(d.Objects), 12_746)
	// The published bounds have nine digits, ours are the next float32 outside.
	lo, hi := [3]float64{-3275.47546, -8304.03635}, [3]float64{22057.8924, 28292.0821}
	for a := range 3 {
		for _, v := range [2][2]float64{{float64(d.Bounds.Min[a]), lo[a]}, {float64(d.Bounds.Max[a]), hi[a]}} {
			if math.Abs(v[0]-v[1]) > math.Abs(v[1])*0x1p-23+1e-4 {
				t.Errorf("bound of axis %d: %v, want about %v", a, v[0], v[1])
			}
		}
	}
	corners := 0.0
	for _, n := range d.Cloud.Columns["nverts"] {
		corners += n
	}
	expect(t, "vertices", corners, 106_466.0)
	types := map[string]int{}
	for _, name := range d.Cloud.Texts["type"] {
		types[name]++
	}
	for name, want := range map[string]int{
		"building": 11_290, "landuse": 339, "parking": 230, "water": 148, "natural": 148, "forest": 125, "leisure": 100, "amenity": 95,
	} {
		expect(t, name, types[name], want)
	}
	ids, _ := distinct(d.Cloud.Texts["id"])
	expect(t, "IDs", ids, 12_746)
}

func TestRealAircraft(t *testing.T) {
	d := readReal(t, "adsb_switzerland_20180801.csv.gz", Options{Columns: []string{"t_s", "flight"}, Texts: []string{"icao24"}})
	expect(t, "kind", d.Kind, Points)
	expect(t, "rows", len(d.Objects), 139_098)
	expect(t, "bounds", d.Bounds, box(-174537.1, -109344.4, 6181.1, 177676.8, 114489.5, 13708.8))
	times, flights := d.Cloud.Columns["t_s"], d.Cloud.Columns["flight"]
	instants, most := distinct(times)
	expect(t, "instants", instants, 6_120)
	expect(t, "aircraft at one instant", most, 47)
	n, _ := distinct(flights)
	expect(t, "flights", n, 1_243)
	expect(t, "greatest flight", slices.Max(flights), 1_242.0)
	aircraft, _ := distinct(d.Cloud.Texts["icao24"])
	expect(t, "aircraft", aircraft, 842)
	if !slices.IsSorted(times) {
		t.Error("times are not sorted")
	}
}

func BenchmarkRead(b *testing.B) {
	dir := os.Getenv("ZOCTREE_DATA")
	if dir == "" {
		b.Skip("ZOCTREE_DATA is not set: no real files to read")
	}
	for _, name := range []string{dragon, "isprs_csite1_red1.pcd", "osm_bad_hersfeld_polygons.csv.gz", "adsb_switzerland_20180801.csv.gz"} {
		b.Run("file="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d := must.Get(Read(filepath.Join(dir, name), Options{}))
				b.ReportMetric(float64(len(d.Objects)), "objects")
			}
		})
	}
}
