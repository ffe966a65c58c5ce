package query_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// limits counts the queries on each side of each limit: small results are counted in one call, others in several.
type limits struct {
	budget  [3]int // fewer nodes than a walk visits before its first check, as many, more
	packets [2]int // up to 512 packets, more
	covered int    // some subtree is inside
}

func (l *limits) add(q manyForms, v linear.View) {
	s, c := v.Store(), q.Explain(v, query.Filter{}, nil)
	budget := min(max(len(s.Packets.Counts)/32, 1), 64)
	switch {
	case c.Nodes < budget:
		l.budget[0]++
	case c.Nodes == budget:
		l.budget[1]++
	default:
		l.budget[2]++
	}
	if c.Nodes <= budget && c.Packets <= 512 {
		l.packets[0]++
	} else if c.Nodes <= budget {
		l.packets[1]++
	}
	q.Ranges(v, query.Filter{}, func(r query.Range) bool {
		if r.Mask == 0 {
			l.covered++
		}
		return r.Mask != 0
	})
}

var countFilters = append([]query.Filter{{Exact: true}, {Exact: true, Mask: 3}}, filters...)

// checkCounts fails unless Count and Any agree with Append, with every filter.
func checkCounts(t *testing.T, q manyForms, v linear.View) {
	t.Helper()
	var ids []uint32
	for _, f := range countFilters {
		ids = q.Append(ids[:0], v, f)
		if n, any := q.Count(v, f), q.Any(v, f); n != len(ids) || any != (n > 0) {
			t.Fatalf("%T with %+v: Count %d, Any %v, Append gave %d of %d", q, f, n, any, len(ids), v.Len())
		}
	}
}

// Boxes, spheres and frusta that hold none to all of the objects, in trees of one node and of many, built and
// changed.
func TestCountSizes(t *testing.T) {
	sizes := testkit.Budget(t, []int{0, 1, 100, 1000, 5000}, []int{0, 1, 17, 100, 200, 1000, 3000, 30_000, 100_000})
	testkit.EachTier(t, func(t *testing.T) {
		var seen limits
		for _, n := range sizes {
			objects := testkit.SceneByName(t, "uniform").Make(n, 1)
			centre := scene.Bounds(append(objects, soa.Object{})).Center()
			tree := plant(t, objects, n%2 == 0)
			for _, state := range []string{"built", "changed", "emptied"} {
				switch {
				case state == "changed" && n > 0:
					for id := range min(n, 20) / 2 {
						testkit.Must(t, tree.Remove(uint32(id)))
						if _, err := tree.Insert(objects[id]); err != nil {
							t.Fatal(err)
						}
					}
				case state == "emptied" && n < 200:
					for id := range n + 20 {
						if tree.Has(uint32(id)) {
							testkit.Must(t, tree.Remove(uint32(id)))
						}
					}
				}
				v := tree.View()
				for half := float32(0.01); half < 300; half *= 1.3 {
					c := centre
					if n > 0 {
						c = objects[int(half*1000)%n].Box.Center()
					}
					b := testkit.CubeAt(c, half)
					for _, q := range []manyForms{box(t, b), sphere(t, scene.Sphere{Center: c, Radius: half}), frustum(t, [6][4]float32(faces(b)))} {
						checkCounts(t, q, v)
						seen.add(q, v)
					}
				}
			}
		}
		if seen.budget[0] == 0 || seen.budget[1] == 0 || seen.budget[2] == 0 || seen.covered == 0 {
			t.Errorf("limits that no query has met: %+v", seen)
		}
	})
}

// Heaps across the border of a box, about as many as a call tests.
func TestCountPackets(t *testing.T) {
	const rows, columns = 32, 80
	below := soa.AABB{Min: [3]float32{-1e4, -1e4, -1e4}, Max: [3]float32{1e4, 1e4, 0}}
	queries := []manyForms{
		box(t, below), sphere(t, scene.Sphere{Center: [3]float32{0, 0, -1e6}, Radius: 1e6 + 0.5}), frustum(t, [6][4]float32(faces(below))),
	}
	var views []linear.View
	for across := 15; across <= 17; across++ { // 512 packets at 16
		var objects []soa.Object
		for heap := range rows * columns {
			for i := range 16 {
				b := testkit.Cube(float32(10*(heap/rows)+i%4), float32(10*(heap%rows)+i/4), 5, 0.25)
				if i%2 == 0 && heap/rows < across {
					b.Min[2] = -5
				}
				objects = append(objects, soa.Object{Box: b, Mask: 1})
			}
		}
		views = append(views, plant(t, objects, true).View())
	}
	testkit.EachTier(t, func(t *testing.T) {
		var seen limits
		for _, v := range views {
			for _, q := range queries {
				checkCounts(t, q, v)
				seen.add(q, v)
			}
		}
		if seen.packets[0] == 0 || seen.packets[1] == 0 {
			t.Errorf("limits that no query has met: %+v", seen)
		}
	})
}

// Covered subtrees are counted from their nodes alone: the number of reads does not depend on the size of the tree.
func TestCountReadsNodes(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(20_000, 1)
	for _, frozen := range []bool{false, true} {
		tree := plant(t, objects, frozen)
		id, err := tree.Insert(objects[0])
		if err == nil {
			err = tree.Tick()
		}
		testkit.Must(t, err)
		v := tree.View()
		s := v.Store()
		for slot := range s.Packets.Counts {
			s.Packets.Counts[slot] += 100 // must not be read
		}
		all := scene.Bounds(objects)
		for name, q := range map[string]volume{
			"box": box(t, all), "frustum": frustum(t, [6][4]float32(faces(all))), "convex": convex(t, faces(all)),
			"sphere": sphere(t, scene.Sphere{Center: all.Center(), Radius: 2 * (all.Max[0] - all.Min[0])}),
		} {
			if n := q.Count(v, query.Filter{}); n != len(objects)+1 {
				t.Errorf("frozen %v, %s: %d of %d objects", frozen, name, n, len(objects)+1)
			}
		}
		for slot := range s.Packets.Counts {
			s.Packets.Counts[slot] -= 100
		}
		testkit.Must(t, tree.Remove(id))
		if n := (query.Frustum{}).Count(tree.View(), query.Filter{}); n != len(objects) {
			t.Errorf("frozen %v: %d of %d objects after a removal", frozen, n, len(objects))
		}
	}
}
