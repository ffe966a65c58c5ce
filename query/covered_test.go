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
