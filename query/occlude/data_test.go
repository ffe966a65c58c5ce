package occlude_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// The share in a real town, OpenStreetMap's Bad Hersfeld, between its houses: the convex hulls of 11,290
// footprints, of heights by their size, and 200,000 small boxes scattered about them.
func TestShareOfRealTown(t *testing.T) {
	prisms, middles := realHouses(t, testkit.Data(t, "osm_bad_hersfeld_polygons.csv.gz"))
	if len(prisms) != 11_290-1 { // one of them is a line
		t.Fatalf("%d houses", len(prisms))
	}
	rng := rand.New(rand.NewPCG(1, 25))
	about := func(spread float64) (x, y float64) {
		m := middles[rng.IntN(len(middles))]
		return m[0] + spread*rng.NormFloat64(), m[1] + spread*rng.NormFloat64()
	}
	var small []soa.Object
	for range 200_000 {
		x, y := about(60)
		var b soa.AABB
		for a, c := range [3]float64{x, y, 0} {
			b.Min[a] = float32(c)
			b.Max[a] = float32(c + 0.2 + 1.5*rng.Float64())
		}
		small = append(small, soa.Object{Box: b})
	}
	ofTown(t, prisms, small, testkit.Budget(t, 2, 24), 1500, 98, func() (at [3]float64) {
		at[0], at[1] = about(15)
		return at
	})
}

// realHouses reads the buildings of a town, and their positions.
func realHouses(t *testing.T, path string) (prisms []scene.Prism, middles [][2]float64) {
	t.Helper()
	f, err := os.Open(path)
	testkit.Must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	testkit.Must(t, err)
	lines := csv.NewReader(z)
	for {
		line, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return prisms, middles
		}
		testkit.Must(t, err)
		if !strings.HasPrefix(line[1], "building") {
			continue
		}
		var points [][2]float64
		for _, pair := range strings.Fields(line[8]) {
			x, y, _ := strings.Cut(pair, ",")
			px, errX := strconv.ParseFloat(x, 32)
			py, errY := strconv.ParseFloat(y, 32)
			testkit.Must(t, errors.Join(errX, errY))
			points = append(points, [2]float64{px, py})
		}
		corners := convexHull(points)
		if len(corners) < 3 {
			continue
		}
		if len(corners) > 16 { // the limit for a prism
			every := (len(corners) + 15) / 16
			for i := range len(corners) / every {
				corners[i] = corners[i*every]
			}
			corners = corners[:len(corners)/every]
		}
		var p scene.Prism
		var middle [2]float64
		for _, c := range corners {
			p.Base = append(p.Base, [2]float32{float32(c[0]), float32(c[1])})
			for a := range 2 {
				middle[a] += c[a] / float64(len(corners))
			}
		}
		p.Z1 = float32(4 + min(math.Sqrt(math.Hypot(corners[0][0]-middle[0], corners[0][1]-middle[1]))*2, 12))
		prisms, middles = append(prisms, p), append(middles, middle)
	}
}

// convexHull returns the corners of the hull of points, counterclockwise (A. Andrew, 1979).
func convexHull(points [][2]float64) (h [][2]float64) {
	slices.SortFunc(points, func(a, b [2]float64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	points = slices.Compact(points)
	side := func(p [2]float64, least int) {
		for len(h) > least {
			a, b := h[len(h)-2], h[len(h)-1]
			// nearly straight corners are left out: hulls have to be convex in float32
			if turn := (b[0]-a[0])*(p[1]-b[1]) - (b[1]-a[1])*(p[0]-b[0]); turn > 1e-3*math.Hypot(b[0]-a[0], b[1]-a[1]) {
				break
			}
			h = h[:len(h)-1]
		}
		h = append(h, p)
	}
	for _, p := range points {
		side(p, 1)
	}
	least := len(h)
	for _, p := range slices.Backward(points[:len(points)-1]) {
		side(p, least)
	}
	return h[:len(h)-1]
}

// The share in a real country, the City Site 1 of the ISPRS filter test, scanned from the air: of each cell
// of 6 m the lowest of its points, and 100,000 small boxes scattered about.
func TestShareOfRealTerrain(t *testing.T) {
	ground := realGround(t, testkit.Data(t, "isprs_csite1_red1.pcd"), 170, 6)
	corners, triangles := ground.Triangles()
	objects := ground.Strewn(100_000, 1)
	views := testkit.Budget(t, 1, 6)
	t.Run("ground", func(t *testing.T) {
		ofGround(t, corners, triangles, objects, groundCameras(ground, 1.7, views), 10)
	})
	t.Run("above", func(t *testing.T) {
		ofGround(t, corners, triangles, objects, groundCameras(ground, 40, views), 10)
	})
}

// realGround reads the points of a scan, from its lowest corner on, as a square of ground.
func realGround(t *testing.T, path string, cells int, cell float64) *scene.Terrain {
	t.Helper()
	all, err := os.ReadFile(path)
	testkit.Must(t, err)
	_, points, ok := bytes.Cut(all, []byte("DATA binary\n"))
	if !ok || len(points)%12 != 0 || len(points) == 0 {
		t.Fatalf("%s has no points", path)
	}
	number := func(i int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(points[4*i:]))) }
	least := [2]float64{math.Inf(1), math.Inf(1)}
	for i := 0; i < len(points)/12; i++ {
		for a := range 2 {
			least[a] = min(least[a], number(3*i+a))
		}
	}
	g := &scene.Terrain{Cells: cells, Cell: cell, Heights: make([]float32, (cells+1)*(cells+1))}
	for i := range g.Heights {
		g.Heights[i] = float32(math.Inf(1))
	}
	for i := 0; i < len(points)/12; i++ {
		x, y := int((number(3*i)-least[0])/cell), int((number(3*i+1)-least[1])/cell)
		if x <= cells && y <= cells {
			h := &g.Heights[y*(cells+1)+x]
			*h = min(*h, float32(math.Floor(number(3*i+2)*256)/256))
		}
	}
	for filled := false; !filled; { // cells without points are as high as a neighbour
		filled = true
		for i, h := range g.Heights {
			if !math.IsInf(float64(h), 1) {
				continue
			}
			filled = false
			for _, k := range []int{i - 1, i + 1, i - cells - 1, i + cells + 1} {
				if k >= 0 && k < len(g.Heights) {
					g.Heights[i] = min(g.Heights[i], g.Heights[k])
				}
			}
		}
	}
	return g
}
