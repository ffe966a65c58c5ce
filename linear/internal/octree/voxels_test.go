package octree

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// hardPoint returns a coordinate near a border of cells, far away, tiny or random.
func hardPoint(r interface{ IntN(int) int }, float func() float32, side float64) float32 {
	x := float32(float64(float()*40-20) * side)
	switch r.IntN(6) {
	case 0:
		x = float32(float64(r.IntN(2000)-1000) * side)
	case 1:
		x = float32(float64(r.IntN(1<<22)-1<<21) * side)
	case 2:
		x = []float32{0, float32(math.Copysign(0, -1)), math.MaxFloat32, -math.MaxFloat32, 0x1p-149, -0x1p-149}[r.IntN(6)]
	}
	for range r.IntN(4) {
		x = math.Nextafter32(x, float32(r.IntN(3)-1)*math.MaxFloat32)
	}
	return max(-math.MaxFloat32, min(math.MaxFloat32, x))
}

// Cells by products are those by divisions, for sides of all magnitudes.
func TestCellsAreQuotients(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	near := 0
	for _, side := range []float64{0.3, 1, 0.5, 1e-3, 1.0 / 3, 7, 1e5, 1e-30, 1e-45, 0x1p-890, 1e30, 1e39, 0x1p900, math.MaxFloat64} {
		g := gridOf(side)
		for range testkit.Budget(t, 5000, 500_000) {
			var p [3]float32
			for a := range p {
				p[a] = hardPoint(r, r.Float32, side)
			}
			var want voxel
			for a, to := range []*float64{&want.x, &want.y, &want.z} {
				*to = math.Floor(float64(p[a]) / side)
				if *to == 0 {
					*to = 0 // of either sign
				}
			}
			c := g.cellOf(&p)
			if c.x != want.x || c.y != want.y || c.z != want.z || math.Signbit(c.x) && c.x == 0 || c != g.divide(&p) || !g.holds(&c, &p) {
				t.Fatalf("side %v: point %v is in cell %v, want %v", side, p, c, want)
			}
			if c.near {
				near++
			}
			for a := range p {
				q := p
				q[a] = math.Nextafter32(q[a], float32(r.IntN(2)*2-1)*math.MaxFloat32)
				if math.Abs(float64(q[a])) <= math.MaxFloat32 && g.holds(&c, &q) != (g.divide(&q) == c) {
					t.Fatalf("side %v: point %v beside %v in cell %v: %v", side, q, p, c, g.holds(&c, &q))
				}
			}
		}
	}
	if near == 0 {
		t.Error("no cell is near")
	}
}

// The table of cells is a map from cells to sets of objects under random insertions, moves and removals, in a table
// that is nearly full.
func TestVoxels(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for _, spread := range []float32{3, 30, 1000} {
		v := &voxels{grid: gridOf(1)}
		cells := map[voxel]map[uint32]bool{}
		var live []uint32
		point := func() (p [3]float32) {
			return [3]float32{(r.Float32() - 0.5) * spread, (r.Float32() - 0.5) * spread, r.Float32() * 2}
		}
		add := func(id uint32) {
			c := v.cellOf(&v.points[id])
			if cells[c] == nil {
				cells[c] = map[uint32]bool{}
			}
			cells[c][id] = true
		}
		remove := func(id uint32) {
			c := v.cellOf(&v.points[id])
			if delete(cells[c], id); len(cells[c]) == 0 {
				delete(cells, c)
			}
		}
		for step := range testkit.Budget(t, 3000, 100_000) {
			switch op := r.IntN(3); {
			case op == 0 && len(live) < 600 || len(live) == 0:
				id := uint32(len(live))
				p := point()
				v.add(id, &p)
				add(id)
				live = append(live, id)
			case op == 1:
				id := uint32(r.IntN(len(live)))
				remove(id)
				p := point()
				v.move(id, &p)
				add(id)
			default:
				id := uint32(len(live) - 1)
				remove(id)
				v.remove(id)
				live = live[:id]
			}
			if v.cells != len(cells) || v.cells >= len(v.slots) {
				t.Fatalf("step %d: %d cells in %d slots, want %d", step, v.cells, len(v.slots), len(cells))
			}
			if step%50 > 0 {
				continue
			}
			for c, want := range cells {
				at, first := v.find(c.hash(), &c)
				if first == ^uint32(0) || v.count(first) != len(want) {
					t.Fatalf("step %d: cell %v in slot %d has the first object %d, want %d objects", step, c, at, first, len(want))
				}
				for _, id := range v.members(nil, first) {
					if !want[id] {
						t.Fatalf("step %d: object %d is in cell %v", step, id, c)
					}
				}
			}
		}
	}
}
