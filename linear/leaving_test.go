package linear_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// bytesOf returns the total of the bytes in the statistics of a tree.
func bytesOf(tree *linear.Tree) int {
	st := tree.Stats()
	return st.LiveBytes() + st.Slack + st.Scratch + st.Log + st.VersionBytes
}

// fillOf returns the objects per lane of the packets that nodes refer to, including empty packets.
func fillOf(tree *linear.Tree) float64 {
	packets, objects := 0, 0
	for c := range tree.Cells() {
		packets++
		objects += c.Count
	}
	return float64(objects) / float64(soa.Lanes*packets)
}

// shuffled returns IDs in random order.
func shuffled(t testing.TB, ids []uint32) []uint32 {
	ids = slices.Clone(ids)
	testkit.Rand(testkit.Seed(t)).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids
}

// eachLeaving runs f for trees of all kinds from which objects will be removed.
func eachLeaving(t *testing.T, n int, f func(t *testing.T, tree *linear.Tree, ids []uint32)) {
	for _, name := range []string{"uniform", "city"} {
		objects := sceneOf(t, name, n)
		for _, frozen := range []bool{false, true} {
			for _, changes := range []linear.Policy{linear.PolicyAuto, linear.PolicyIncremental, linear.PolicyRefit} {
				t.Run(fmt.Sprintf("%s/frozen=%v/%v", name, frozen, changes), func(t *testing.T) {
					tree := newTree(t, linear.Config{Frozen: frozen, Policy: changes})
					ids := insert(t, tree, objects)
					tree.Trim()
					f(t, tree, shuffled(t, ids))
				})
			}
		}
	}
}

// For any share of removals, packets are half full after a tick. A tree without rebuilds keeps emptied nodes
// for their lifespan, and is half full after that.
func TestFillAfterRemovals(t *testing.T) {
	shares := []int{10, 25, 40, 50, 60, 75, 90, 99}
	for _, share := range testkit.Budget(t, []int{10, 50, 75, 99}, shares) {
		eachLeaving(t, testkit.Budget(t, 5000, 10_000), func(t *testing.T, tree *linear.Tree, ids []uint32) {
			must(t, tree.RemoveBatch(ids[:len(ids)*share/100]))
			tick(t, tree)
			valid(t, tree)
			least := 0.5
			if tree.Stats().Policy == linear.PolicyIncremental && share > 50 {
				for range 10 {
					tick(t, tree)
				}
				valid(t, tree)
				if share > 90 {
					least = 0.25 // some objects a node, and nodes of several heights
				}
			}
			if fill := fillOf(tree); fill < least {
				t.Errorf("packets are %.2f full when %d %% have left", fill, share)
			}
		})
	}
}

// Removals, in batches or one by one, never make a tree larger, and the removal of half of it at once frees
// memory.
func TestLeavingNeverGrows(t *testing.T) {
	eachLeaving(t, 6000, func(t *testing.T, tree *linear.Tree, ids []uint32) {
		had := bytesOf(tree) + 5*len(ids) // and the generations, which the first removal makes
		smaller := func(what string) {
			t.Helper()
			if now := bytesOf(tree); now > had {
				t.Fatalf("%d bytes after %s of %d objects, %d before", now, what, tree.Len(), had)
			} else {
				had = now
			}
		}
		for k := 0; len(ids) > 0; k++ {
			part := ids[:min(len(ids), 37+k)]
			ids = ids[len(part):]
			if k%2 == 0 {
				must(t, tree.RemoveBatch(part))
				smaller("a batch")
			} else {
				for _, id := range part {
					must(t, tree.Remove(id))
				}
				smaller("removals")
			}
			if k%5 == 4 {
				must(t, tree.Flush())
				smaller("a flush")
			}
			tick(t, tree)
			smaller("a tick")
			if k%8 == 0 {
				valid(t, tree)
			}
		}
	})
}

// After the removal of all objects and a tick, a tree has no nodes and no packets, and can be filled again.
func TestEmptiedTree(t *testing.T) {
	eachLeaving(t, 1000, func(t *testing.T, tree *linear.Tree, ids []uint32) {
		objects := make([]soa.Object, len(ids))
		for i, id := range ids {
			objects[i], _ = tree.Object(id)
		}
		must(t, tree.RemoveBatch(ids))
		tick(t, tree)
		valid(t, tree)
		if st := tree.Stats(); st.Nodes != 0 || st.Slots != 0 {
			t.Errorf("an emptied tree has %d nodes and %d slots", st.Nodes, st.Slots)
		}
		version := tree.View()
		tick(t, tree)
		version.Len() // nothing has changed
		for i := range objects {
			id, err := tree.Insert(objects[i])
			must(t, err)
			ids[i] = id
			if i%100 == 0 {
				tick(t, tree)
			}
		}
		tick(t, tree)
		check(t, tree, ids, objects)
	})
}

// Trim of an emptied tree leaves next to nothing, in the statistics and on the heap, and little of a nearly
// emptied tree.
func TestTrimGivesBack(t *testing.T) {
	all := sceneOf(t, "uniform", testkit.Budget(t, 6_000, 1_000_000))
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	for _, some := range []bool{false, true} {
		for i, cfg := range []linear.Config{{}, {Log: true}, {Policy: linear.PolicyIncremental}, {Frozen: true}} {
			objects := all
			if i > 0 {
				objects = all[:min(50_000, len(all))]
			}
			n, left := len(objects), 0
			if some {
				left = n / 1000
			}
			for _, clear := range []bool{false, true} {
				before := heap()
				tree := newTree(t, cfg)
				ids := insert(t, tree, objects)
				boxes := make([]soa.AABB, n) // all buffers are used
				for i := range objects {
					boxes[i] = objects[i].Box
				}
				must(t, tree.MoveBatch(ids, boxes))
				must(t, tree.SetBounds(ids[:1], linear.Bodies{Spheres: [][4]float32{{boxes[0].Min[0], boxes[0].Min[1], boxes[0].Min[2], 0}}}))
				rebuild(t, tree, cfg.Frozen)
				switch {
				case clear && !some:
					tree.Clear()
				case !clear:
					must(t, tree.RemoveBatch(ids[left:]))
				default:
					continue
				}
				tree.Trim() // without a tick
				valid(t, tree)
				ids, boxes = slices.Clone(ids[:left]), nil
				tick(t, tree)
				most := 1<<20 + 300*left
				if b, h := bytesOf(tree), heap()-before; b > most || h > most {
					t.Errorf("%+v: %d objects of %d take %d bytes after Trim, %d on the heap, want at most %d", cfg, left, n, b, h, most)
				}
				check(t, tree, ids, objects[:left])
				insert(t, tree, objects[:100])
				tick(t, tree)
				valid(t, tree)
			}
		}
	}
}

// The versions of a shared tree shrink with it.
func TestTrimShared(t *testing.T) {
	objects := sceneOf(t, "uniform", 20_000)
	tree := newTree(t, linear.Config{})
	ids := insert(t, tree, objects)
	s := linear.NewPublisher(tree)
	held := s.Acquire()
	for range 3 {
		must(t, tree.Move(ids[0], objects[1].Box))
		tick(t, tree)
		s.Publish()
	}
	must(t, tree.RemoveBatch(ids[100:]))
	tree.Trim()
	for range 2 { // without held versions, the published version is the last one
		s.Publish()
		must(t, tree.Move(ids[0], objects[0].Box))
	}
	tick(t, tree)
	s.Publish()
	if diff := s.Differs(); diff != nil {
		t.Error(diff)
	}
	if held.View().Len() != len(objects) {
		t.Errorf("the version that is held has %d objects", held.View().Len())
	}
	held.Release()
	tree.Trim()
	check(t, tree, ids[:100], objects[:100])
	if st := tree.Stats(); bytesOf(tree) > 200<<10 || st.Held != 0 {
		t.Errorf("%d bytes for 100 objects: %+v", bytesOf(tree), st)
	}
}

// Handles of removed objects stay stale after the reuse of their IDs, and handles of live objects stay valid.
func TestHandlesAfterTrim(t *testing.T) {
	objects := sceneOf(t, "uniform", 500)
	tree := newTree(t, linear.Config{})
	stale, live := map[soa.Handle]bool{}, map[uint32]soa.Handle{}
	r := testkit.Rand(testkit.Seed(t))
	ids := insert(t, tree, objects[:1])
	h, _ := tree.Handle(ids[0])
	live[ids[0]] = h
	for round := range 300 {
		for range r.IntN(20) {
			id, err := tree.Insert(objects[r.IntN(len(objects))])
			must(t, err)
			h, ok := tree.Handle(id)
			if !ok || stale[h] {
				t.Fatalf("object %d has the handle %v, %v, of one that was removed", id, h, ok)
			}
			live[id] = h
		}
		for id := range uint32(1000) { // in a deterministic order
			if h, ok := live[id]; ok && r.IntN(3) == 0 || round%50 == 49 && ok {
				must(t, tree.Remove(id))
				delete(live, id)
				stale[h] = true
			}
		}
		if round%3 == 0 {
			tree.Trim()
			valid(t, tree)
		}
		tick(t, tree)
		for h := range stale {
			if _, err := tree.Resolve(h); !errors.Is(err, soa.ErrStale) {
				t.Fatalf("round %d: the handle %v of a removed object resolves: %v", round, h, err)
			}
		}
		for id, h := range live {
			if got, err := tree.Resolve(h); err != nil || got != id {
				t.Fatalf("round %d: the handle %v of object %d resolves to %d, %v", round, h, id, got, err)
			}
		}
	}
}

// Half of the objects move in each frame, in several calls, in a tree that most objects have left: few of its IDs are
// of live objects.
func TestMovesOfFewLiveIDs(t *testing.T) {
	const n, oneIn = 6000, 20
	r := testkit.Rand(testkit.Seed(t))
	tree := newTree(t, linear.Config{})
	var live []uint32
	boxes := make([]soa.AABB, n)
	objects := sceneOf(t, "uniform", n)
	for i, id := range insert(t, tree, objects) {
		boxes[id] = objects[i].Box
		if i%oneIn == 0 {
			live = append(live, id)
		} else {
			must(t, tree.Remove(id))
		}
	}
	tick(t, tree)
	for frame := range 6 {
		r.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
		for c := range 3 {
			var to []soa.AABB
			moved := live[c*len(live)/6 : (c+1)*len(live)/6]
			for _, id := range moved {
				boxes[id] = drift(r, boxes[id], 2, soa.AABB{Max: [3]float32{100, 100, 100}}, 20)
				to = append(to, boxes[id])
			}
			must(t, tree.MoveBatch(moved, to))
		}
		valid(t, tree)
		for _, id := range live {
			if o, _ := tree.Object(id); o.Box != boxes[id] {
				t.Fatalf("frame %d: object %d has the box %v, want %v", frame, id, o.Box, boxes[id])
			}
		}
		tick(t, tree)
	}
}
