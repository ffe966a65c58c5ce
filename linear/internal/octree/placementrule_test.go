package octree

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// ruledHome is the rule of placement by its definition, lane by lane.
func ruledHome(t *Tree, box *soa.AABB) uint32 {
	s := t.Store
	key := t.Code.Key(box)
	node := uint32(0)
	for s.Nodes.Cells[node] == soa.NoSpan { // the last lane that begins at or before the key
		l := 0
		for k := 1; k < int(s.Nodes.Used[node]); k++ {
			if s.Nodes.Keys[node][k] <= key {
				l = k
			}
		}
		node = s.Nodes.Hot[node].Child[l].Index()
	}
	for {
		n := &s.Nodes.Hot[node]
		best := 0
		var grown, long [soa.Fan]float32
		for l := range int(s.Nodes.Used[node]) {
			for a := range 3 {
				lo, hi := n.Bounds[2*a][l], n.Bounds[2*a+1][l]
				grown[l] += max(lo-box.Min[a], 0) + max(box.Max[a]-hi, 0)
				if side := hi - lo; side < 0 {
					long[l] -= side
				} else {
					long[l] += side
				}
			}
			if grown[l] < grown[best] || grown[l] == grown[best] && long[l] < long[best] {
				best = l
			}
		}
		ref := n.Child[best]
		if ref.IsPacket() {
			return ref.Index()
		}
		node = ref.Index()
	}
}

// An object that is inserted into a tree with room is placed by the rule, and inside its placement box.
func TestPlacementRule(t *testing.T) {
	for _, scene := range testkit.Scenes() {
		r := testkit.Rand(testkit.Seed(t))
		objects := scene.Make(6000, 1)
		for _, frozen := range []bool{false, true} {
			tree := newTestTree(t, Config{Policy: PolicyIncremental})
			insertAll(t, tree, objects[:5000])
			testkit.Must(t, tree.Rebuild(nil, BuildParams{Frozen: frozen}))
			kept, moved := 0, 0
			for _, o := range objects[5000:5400] {
				for a := range 3 {
					by := r.Float32()*4 - 2
					o.Box.Min[a], o.Box.Max[a] = o.Box.Min[a]+by, o.Box.Max[a]+by
				}
				if o.Box.Check() != nil {
					continue
				}
				want := soa.None
				if len(tree.Store.Nodes.Hot) > 0 {
					want = ruledHome(tree, &o.Box)
				}
				id := tree.InsertOne(&o, &NoSphere)
				testkit.Must(t, tree.Flush())
				slot, _ := tree.Locate(id)
				if tree.Buffers().cuts != (cutNodes{}) {
					moved++
					continue // the insertion had to make room
				}
				kept++
				if slot != want {
					t.Fatalf("%s, frozen %v: box %v is in slot %d, the rule says %d", scene.Name, frozen, o.Box, slot, want)
				}
				if !tree.Store.Packets.PlacementBoxes[slot].Contains(o.Box) || !tree.isPlaced(slot, &o.Box) {
					t.Fatalf("%s: box %v does not belong in %v", scene.Name, o.Box, tree.Store.Packets.PlacementBoxes[slot])
				}
			}
			check(t, tree)
			if !frozen && kept < moved {
				t.Errorf("%s: %d objects put without making room, %d with", scene.Name, kept, moved)
			}
		}
	}
}
