package octree

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// A build gives each node of packets a free slot, and blocks to none but a root. Nodes that outgrow their slots move to
// blocks, and nodes that become empty lose theirs: blocks without a slot of another node are free then, and used again.
func TestSlotsOfNodes(t *testing.T) {
	for _, frozen := range []bool{false, true} {
		r := testkit.Rand(testkit.Seed(t))
		tree := newTestTree(t, Config{Policy: PolicyIncremental, Lifespan: 1})
		objects := someObjects(r, 8000, 100)
		ids := insertAll(t, tree, objects)
		testkit.Must(t, tree.Rebuild(nil, BuildParams{Frozen: frozen}))
		s := tree.Store
		for node, height := range s.Nodes.Height {
			if want := 1; height == 0 && s.Nodes.Used[node] < soa.Fan {
				if frozen {
					want = 0
				}
				if got := tree.freeSlots(uint32(node)); got != want {
					t.Fatalf("frozen %v: node %d of %d packets has %d free slots, want %d", frozen, node, s.Nodes.Used[node], got, want)
				}
			}
		}
		built, freed, used := len(s.Packets.Counts), 0, 0
		for range 40 {
			// A slab of the world becomes empty; as many objects are added to another.
			axis, from, to := r.IntN(3), 90*r.Float32(), 90*r.Float32()
			var gone []uint32
			for id := range objects {
				if b := &objects[id].Box; b.Min[axis] >= from && b.Min[axis] < from+20 {
					gone = append(gone, uint32(id))
				}
			}
			tree.BeginChange()
			for node, height := range s.Nodes.Height { // the first slots of some nodes become free, not the last
				if lanes := s.Nodes.Used[node]; height == 0 && lanes > 0 && tree.freeSlots(uint32(node)) > 0 && r.IntN(4) == 0 {
					if from, to := s.Nodes.Slots[node].First, tree.freeSlot(uint32(node)); from < to {
						tree.movePacket(from, to)
					}
				}
			}
			tree.RemoveAll(gone)
			tree.ApplyRemovals()
			for range 3 {
				before := s.Packets.Unused()
				testkit.Must(t, tree.EndFrame())
				check(t, tree)
				freed += max(s.Packets.Unused()-before, 0)
			}
			before := s.Packets.Unused()
			for range gone {
				o := someObjects(r, 1, 100)[0]
				size := o.Box.Max[axis] - o.Box.Min[axis]
				o.Box.Min[axis] = to + 10*r.Float32()
				o.Box.Max[axis] = o.Box.Min[axis] + size
				objects[tree.InsertOne(&o, &NoSphere)] = o
			}
			testkit.Must(t, tree.Flush())
			check(t, tree)
			used += max(before-s.Packets.Unused(), 0)
		}
		if freed == 0 || used == 0 {
			t.Errorf("frozen %v: %d slots of blocks freed, %d used again, of %d built", frozen, freed, used, built)
		}
		if tree.IDs.Len() != len(ids) || len(s.Packets.Counts) > 4*built || !frozen && tree.Dead > built/4 {
			t.Errorf("frozen %v: %d objects of %d in %d slots, of which %d are dead, after %d slots", frozen, tree.IDs.Len(), len(ids), len(s.Packets.Counts), tree.Dead, built)
		}
	}
}
