package walk_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// A bailout changes times alone, so results do not reveal it: these tests state the rules, case by case.

// A walk from the nearest on checks after a sixteenth of the slots, and after 16 visits at least. It bails out if it
// has ruled out fewer than two slots a visit since the last check and half of all are left.
func TestDoubt(t *testing.T) {
	for _, slots := range []int{9, 16, 40, 255, 256, 272, 1000, 100_000} {
		every := max(slots/16, 16)
		for _, gone := range []int{0, 1, slots / 3, slots - slots/2, slots - slots/2 + 1, 2*every - 1, 2 * every, 2*every + 1} {
			if gone > slots {
				continue
			}
			d := walk.NewDoubter(slots)
			if d.Rest() != every || d.Due(every-1) || d.Rest() != 1 || !d.Due(1) || d.Rest() != 1 {
				t.Fatalf("%d slots: the first look is not after %d visits", slots, every)
			}
			left := slots - gone
			if got, want := d.Fruitless(left), gone < 2*every && left >= slots/2; got != want {
				t.Errorf("%d slots, %d gone by %d visits: fruitless %v, want %v", slots, gone, every, got, want)
			}
			// The next check counts from there.
			if d.Rest() != every || d.Due(every-1) || !d.Due(4) {
				t.Fatalf("%d slots: the second look is not after %d visits", slots, every)
			}
			for _, more := range []int{2*(every+3) - 1, 2 * (every + 3)} {
				again := *d
				if got, want := again.Fruitless(left-more), more < 2*(every+3) && left-more >= slots/2; got != want {
					t.Errorf("%d slots, %d and %d gone: fruitless %v, want %v", slots, gone, more, got, want)
				}
			}
		}
	}
}

// The slots left are all that begin at the bound or before. A node stands for a subtree with three of four children
// at each level, but for no more slots than there are.
func TestDoubtCounts(t *testing.T) {
	times := []float32{0, 1, 2, 2, 2, math.Nextafter32(2, 3), 5, infinity}
	for bound, want := range map[float32]int{0: 1, 1: 2, 2: 5, 4: 6, 5: 7, infinity: 8} {
		if n := walk.LeftOfRay(times, bound); n != want {
			t.Errorf("a ray up to %v: %d left, want %d", bound, n, want)
		}
		if n := walk.LeftOfPoint(times, bound); n != want {
			t.Errorf("a point up to %v: %d left, want %d", bound, n, want)
		}
	}
	for height, want := range []int{12, 144, 1728, 20_736} {
		for _, slots := range []int{want / 2, want, 2 * want} {
			if n := walk.SlotsBelow(uint8(height), slots); n != min(want, slots) {
				t.Errorf("height %d of %d slots: %d, want %d", height, slots, n, min(want, slots))
			}
		}
	}
}

// A walk for a volume checks after a 32nd as many nodes as there are slots. It bails out if more than 15 of 16
// children, or 3 of 4 in a small tree, are on the border.
func TestVolumeDoubt(t *testing.T) {
	for _, slots := range []int{9, 31, 32, 63, 64, 127, 128, 129, 1000, 5000} {
		nodes := slots/12 + 1
		before := max(slots/32, 1)
		for visited := 1; visited < before; visited++ {
			if b := walk.VolumeDoubt(nodes, slots, asm.VolumeWalk{Budget: 1, Head: visited, Queue: make([]uint32, 10*slots)}, 0); b != before-visited {
				t.Fatalf("%d slots: %d more nodes after %d, want %d", slots, b, visited, before-visited)
			}
		}
		children := before * (nodes + slots) / nodes
		most := children - children/16
		if slots <= 128 {
			most = children - children/4
		}
		for more, want := range []int{0, -1} {
			for part := range 3 { // any kind of row on the border
				var n [3]int
				n[part] = most/2 + more
				n[(part+1)%3] += most - most/2
				l := asm.VolumeWalk{Budget: 1, Head: before, Queue: make([]uint32, n[0]), Packets: make([]uint32, n[1])}
				if b := walk.VolumeDoubt(nodes, slots, l, n[2]); b != want {
					t.Errorf("%d slots, %d of %d children on the border: budget %d, want %d", slots, most+more, children, b, want)
				}
				// The check was made.
				l.Budget = 0
				if b := walk.VolumeDoubt(nodes, slots, l, n[2]); b != 0 {
					t.Errorf("%d slots: it looks again", slots)
				}
			}
		}
	}
}

// The slots of a list are probed in steps of 64, of 8, and of one, each once, until the caller stops.
func TestProbes(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 8, 9, 63, 64, 65, 100, 128, 129, 500} {
		list := make([]uint32, n)
		for i := range list {
			list[i] = uint32(soa.PacketRef(uint32(3 * i)))
		}
		var want []uint32
		for level, step := range []int{64, 8, 1} {
			for i := 0; i < n; i += step {
				if level == 0 || level == 1 && i%64 != 0 || level == 2 && i%8 != 0 {
					want = append(want, uint32(3*i))
				}
			}
		}
		testkit.SameIDs(t, walk.Probes(list, n+1), want)
		testkit.SameIDs(t, walk.Probes(list, n/2+1), want[:min(n/2+1, n)])
	}
}

// hasBelow finds an ID below a limit in each lane of a packet, and in no free lane.
func TestHasBelow(t *testing.T) {
	for n := range soa.Lanes + 1 {
		for lane := range soa.Lanes {
			var ids [soa.Lanes]uint32
			for l := range ids {
				ids[l] = 100 + uint32(l*7%soa.Lanes)
			}
			ids[lane] = 50
			for _, limit := range []uint32{50, 51, 100} {
				if got, want := walk.HasBelow(ids, uint8(n), limit), lane < n && limit > 50; got != want {
					t.Errorf("lane %d of %d below %d: %v", lane, n, limit, got)
				}
			}
		}
	}
}

// The packets that may hold a tie are those within its distance, and no others.
func TestNearSlots(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	v := plant(t, objects, true).View()
	s := v.Store()
	bounds := make([]soa.AABB, v.Slots())
	used := 0
	for slot := range bounds {
		bounds[slot] = soa.Empty()
		for _, id := range v.IDs(uint32(slot)) {
			bounds[slot] = bounds[slot].Union(objects[id].Box)
		}
		if bounds[slot] != soa.Empty() {
			used++
		}
	}
	testkit.EachTier(t, func(t *testing.T) {
		for i := range 20 {
			p := objects[100*i].Box.Center()
			for _, near := range testkit.ReferenceNearest(bounds, p, len(bounds), infinity) {
				if near.Dist2 == 0 || near.Dist2 == infinity || near.Index%16 != i%16 {
					continue
				}
				var want []uint32
				for slot := range bounds {
					if testkit.ReferenceDist2(&bounds[slot], p) <= near.Dist2 {
						want = append(want, uint32(slot))
					}
				}
				got := walk.NearSlots(s, p, near.Dist2)
				slices.Sort(got)
				if !testkit.SameIDs(t, got, want) {
					t.Fatalf("within %v of %v", near.Dist2, p)
				}
			}
			all := walk.NearSlots(s, p, infinity)
			slices.Sort(all)
			if len(all) != used || len(slices.Compact(all)) != used {
				t.Fatalf("%d of %d slots at any distance", len(all), used)
			}
		}
	})
}

// The search for a single neighbour ends by itself if the neighbour is finitely far away. It does not if all are too
// far for a distance: its result may then be a free lane. It is left after one round
// without progress.
func TestFoundByOne(t *testing.T) {
	const far = 3e38
	objects := testkit.SceneByName(t, "uniform").Make(20_000, 1)
	v := plant(t, objects, true).View()
	ties, shell := plant(t, testkit.AwkwardObjects("equal", 20_000), true).View(), plant(t, testkit.AwkwardObjects("shell", 20_000), true).View()
	lost := make([]soa.Object, 40)
	for i := range lost {
		lost[i] = soa.Object{Box: testkit.CubeAt([3]float32{-far, float32(i), 0}, 1)}
	}
	tree := plant(t, lost, false)
	for id := range uint32(20) {
		if id%3 != 2 {
			testkit.Must(t, tree.Remove(id))
		}
	}
	testkit.EachTier(t, func(t *testing.T) {
		found := 0
		for i := range 50 {
			if ok, _ := walk.FoundByOne(v.Store(), objects[100*i].Box.Max); ok {
				found++
			}
		}
		if found < 25 {
			t.Errorf("only %d of 50 are found at once", found)
		}
		p := [3]float32{far, 0, 0}
		if ok, _ := walk.FoundByOne(tree.View().Store(), p); ok {
			t.Error("a neighbour at an infinite distance is found at once")
		}
		for _, v := range []linear.View{ties, shell} {
			if ok, n := walk.FoundByOne(v.Store(), [3]float32{}); ok || n != 1 {
				t.Errorf("a neighbour of equal distance: found %v, or left after %d rounds of progress, want 1", ok, n)
			}
		}
		q := walk.TakeNearest()
		near, ok := q.First(tree.View().Store(), &p, infinity, &walk.Everything)
		if q.Release(); !ok || near != (walk.Neighbor{ID: 2, Dist2: infinity}) {
			t.Errorf("at an infinite distance: %v, %v", near, ok)
		}
	})
}

// A search begins with the root, if there is one, on top of the pending packets.
func TestNearStack(t *testing.T) {
	for nodes := range 3 {
		for _, pending := range [][]uint32{nil, {7}, {9, 4, 5}} {
			s := &soa.Store{Pending: pending}
			s.Nodes.Hot = make([]soa.Node, nodes)
			var want []soa.Ref
			for _, slot := range pending {
				want = append(want, soa.PacketRef(slot))
			}
			if nodes > 0 {
				want = append(want, 0)
			}
			if got := walk.NearStack(s); !slices.Equal(got, want) {
				t.Errorf("%d nodes, packets %d pending: %x, want %x", nodes, pending, got, want)
			}
		}
	}
}
