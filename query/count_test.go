package query_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
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

// counter is a query that counts.
type counter interface {
	Count(v linear.View, flt query.Filter) int
	Append(dst []uint32, v linear.View, flt query.Filter) []uint32
}

// coverings are volumes of every shape that hold all objects, and some that hold
// whole subtrees.
func coverings(t testing.TB, objects []soa.Object) map[string]counter {
	t.Helper()
	all := scene.Bounds(objects)
	mid, far := all.Center(), float32(0)
	for a := range 3 {
		far = max(far, all.Max[a]-all.Min[a])
	}
	half := all
	half.Max[0] = mid[0]
	corners := func(b soa.AABB) [6][4]float32 {
		return [6][4]float32{
			{1, 0, 0, -b.Min[0]}, {-1, 0, 0, b.Max[0]}, {0, 1, 0, -b.Min[1]}, {0, -1, 0, b.Max[1]}, {0, 0, 1, -b.Min[2]}, {0, 0, -1, b.Max[2]},
		}
	}
	c := map[string]counter{}
	keep := func(name string, q counter, err error) {
		t.Helper()
		testkit.Must(t, err)
		c[name] = q
	}
	for part, b := range map[string]soa.AABB{"all": all, "half": half} {
		box, err := query.NewBox(b.Min, b.Max)
		keep("box of "+part, box, err)
		frustum, err := query.FrustumPlanes(corners(b))
		keep("frustum of "+part, frustum, err)
		planes := corners(b)
		convex, err := query.ConvexPlanes(planes[:])
		keep("convex of "+part, convex, err)
	}
	ball, err := query.NewSphere(mid, 2*far)
	keep("sphere of all", ball, err)
	ball, err = query.NewSphere(all.Min, far/2)
	keep("sphere of a corner", ball, err)
	return c
}

// Count is the number that Append appends, after any changes of the tree since nodes were counted.
func TestCountCovered(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(6000, 1)
	queries := coverings(t, objects)
	r := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		for _, frozen := range []bool{false, true} {
			tree := plant(t, objects, frozen)
			shared := linear.NewPublisher(tree)
			ids := make([]uint32, len(objects))
			for i := range ids {
				ids[i] = uint32(i)
			}
			for step := range testkit.Budget(t, 18, 120) {
				v := tree.View()
				for name, q := range queries {
					for _, flt := range []query.Filter{{}, {Exact: true}, {Mask: 1}} {
						if n, want := q.Count(v, flt), len(q.Append(nil, v, flt)); n != want {
							t.Fatalf("%s, step %d: %d objects with %+v, Append gives %d", name, step, n, flt, want)
						}
					}
				}
				if n := queries["box of all"].Count(v, query.Filter{}); n > tree.Len() || n < tree.Len()-300 { // few have left the box
					t.Fatalf("step %d: %d of %d objects", step, n, tree.Len())
				}
				var err error
				switch step % 6 {
				case 0:
					for range 1 + r.IntN(40) {
						k := r.IntN(len(ids))
						err = tree.Remove(ids[k])
						ids[k] = ids[len(ids)-1]
						ids = ids[:len(ids)-1]
					}
				case 1, 3:
					for range 1 + r.IntN(100) {
						var id uint32
						id, err = tree.Insert(objects[r.IntN(len(objects))])
						ids = append(ids, id)
					}
				case 2:
					err = tree.Flush()
				case 4:
					for range 50 {
						o := objects[r.IntN(len(objects))]
						err = tree.Move(ids[r.IntN(len(ids))], o.Box)
					}
				default:
					err = tree.Tick()
				}
				if err == nil {
					err = tree.Validate()
				}
				testkit.Must(t, err)
				shared.Publish()
				h := shared.Acquire()
				if n, want := queries["frustum of half"].Count(h.View(), query.Filter{}), queries["frustum of half"].Count(tree.View(), query.Filter{}); n != want {
					t.Fatalf("step %d: %d objects in what is published, %d in the tree", step, n, want)
				}
				h.Release()
			}
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
		for name, q := range coverings(t, objects) {
			if name[len(name)-3:] != "all" {
				continue
			}
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

// A count of all objects, after a tick and after 1,000 removals.
func BenchmarkCountCovered(b *testing.B) {
	for _, n := range micro.Sizes(10_000, 100_000, 1_000_000) {
		objects := testkit.SceneByName(b, "uniform").Make(n, 1)
		tree := plant(b, objects, false)
		inf := float32(math.MaxFloat32)
		box := box(b, soa.AABB{Min: [3]float32{-inf, -inf, -inf}, Max: [3]float32{inf, inf, inf}})
		total := 0
		for _, state := range []string{"ticked", "changed"} {
			b.Run(fmt.Sprintf("n=%d/%s", n, state), func(b *testing.B) {
				v := tree.View()
				for b.Loop() {
					total += box.Count(v, query.Filter{})
				}
			})
			for _, id := range testkit.Rand(1).Perm(n)[:1000] {
				if tree.Has(uint32(id)) {
					testkit.Must(b, tree.Remove(uint32(id)))
				}
			}
		}
		if total == 0 {
			b.Error("nothing was counted")
		}
	}
}
