package occlude_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
)

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
