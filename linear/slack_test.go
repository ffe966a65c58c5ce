package linear_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Objects that move stray exactly where the definition of Config.Slack says so.
func TestSlackDefinition(t *testing.T) {
	const slack = 60
	r := testkit.Rand(testkit.Seed(t))
	objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
	tree := newTree(t, linear.Config{Slack: slack, Policy: linear.PolicyIncremental, PendingMin: 1 << 20})
	insert(t, tree, objects)
	tick(t, tree)

	world := tree.World()
	low, high := world.Bounds()
	packets := &tree.View().Store().Packets
	var ids []uint32
	var boxes []soa.AABB
	want, kept := 0, 0
	for slot, n := range packets.Counts {
		keys := packets.Keys[slot]
		side := math.Ldexp(1, world.Exp())
		for count := keys.High - keys.Low + 1; count >= 8; count /= 8 {
			side *= 2
		}
		s := float32(side * slack / 100)
	lanes:
		for l := range int(n) {
			b := packets.Box(uint32(slot), l)
			for a := range 3 {
				by := (r.Float32()*8 - 4) * s
				b.Min[a], b.Max[a] = b.Min[a]+by, b.Max[a]+by
			}
			c := b.Center()
			for a := range 3 {
				if c[a]-s <= low[a] || c[a]+s >= high[a] {
					continue lanes
				}
			}
			ids, boxes = append(ids, packets.IDs[slot][l]), append(boxes, b)
			key := uint64(world.KeyOfBox(b.Min, b.Max))
			switch at := key >= keys.Low && key <= keys.High; {
			case !at && !touches(world, keys, c, s):
				want++
			case !at:
				kept++
			}
		}
	}
	if err := tree.MoveBatch(ids, boxes); err != nil {
		t.Fatal(err)
	}
	if got := tree.Stats().Strays; got != want || want < 500 || kept < 500 {
		t.Errorf("%d strays, want %d; the slack keeps %d of %d", got, want, kept, len(ids))
	}
	tick(t, tree)
	valid(t, tree)
}

// touches reports whether the cube that reaches s from c has a grid cell whose key
// is in the interval, which is taken apart into cells of the octree and its halves.
func touches(world morton.World, keys soa.KeySpan, c [3]float32, s float32) bool {
	for k := keys.Low; k <= keys.High; {
		bits := 63
		for bits > 0 {
			if cell := morton.CellOf(morton.Key(k), bits-1); uint64(cell.First()) != k || uint64(cell.Last()) > keys.High {
				break
			}
			bits--
		}
		cell := morton.CellOf(morton.Key(k), bits)
		lo, hi := world.CellBox(cell)
		hit := true
		for a := range 3 {
			hit = hit && c[a]-s < hi[a] && c[a]+s >= lo[a]
		}
		if hit {
			return true
		}
		k = uint64(cell.Last()) + 1
	}
	return false
}
