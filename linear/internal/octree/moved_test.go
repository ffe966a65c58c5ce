package octree

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// A batch of moves leaves the lanes of packets exact, so that a refit only updates the nodes above; for an ID
// that is in the batch twice, the last box counts. This also holds after far objects are inserted and removed,
// and on each tier.
func TestMovedLanes(t *testing.T) {
	for _, scene := range testkit.Scenes() {
		testkit.EachTier(t, func(t *testing.T) {
			r := testkit.Rand(1)
			objects := scene.Make(3000, 1)
			tree := newTestTree(t, Config{Policy: PolicyIncremental, Log: true})
			ids := insertAll(t, tree, objects)
			boxes := make([]soa.AABB, len(objects))
			for i := range objects {
				boxes[i] = objects[i].Box
			}
			for round := range testkit.Budget(t, 4, 40) {
				tree.Refit()
				var movers []uint32
				var to []soa.AABB
				for range 200 + 300*(round%2) {
					id := ids[r.IntN(len(ids))]
					box := boxes[id]
					if round%4 > 0 { // else it stays unchanged
						for a := range 3 {
							by := (r.Float32() - 0.5) * float32(round)
							box.Min[a], box.Max[a] = box.Min[a]+by, box.Max[a]+by
						}
					}
					if round == 5 && r.IntN(20) == 0 {
						box = testkit.Cube(1e7, 0, 0, 1)
					}
					if round == 7 && box.Min[0] > 1e6 {
						box = objects[id].Box
					}
					if box.Check() != nil {
						continue
					}
					boxes[id] = box
					movers, to = append(movers, id), append(to, box)
				}
				testkit.Must(t, tree.moveUnflushed(movers, to))
				for _, id := range movers {
					slot, lane := tree.Locate(id)
					if box := tree.Store.Packets.Box(slot, lane); box != boxes[id] {
						t.Fatalf("%s, round %d: object %d has the box %v, was given %v", scene.Name, round, id, box, boxes[id])
					}
				}
				checkMovedLanes(t, tree)
				check(t, tree)
				if round%3 == 2 {
					testkit.Must(t, tree.EndFrame())
				}
			}
		})
	}
}

// moveUnflushed moves objects and leaves displaced objects in their packets, for any number of them.
func (t *Tree) moveUnflushed(ids []uint32, boxes []soa.AABB) error {
	to := Bodies{Boxes: boxes}
	m, _ := t.SurveyMoves(&to, t.IsWhole(ids))
	t.BeginChange()
	return t.MakeMoves(ids, &to, m)
}

// checkMovedLanes compares the lanes of packets that need no refit with their boxes.
func checkMovedLanes(t *testing.T, tree *Tree) {
	t.Helper()
	s := tree.Store
	for slot, up := range s.Packets.Parents {
		if up == soa.NoParent || tree.Dirty.Has(uint32(slot)) {
			continue
		}
		tight := soa.Empty()
		for l := range int(s.Packets.Counts[slot]) {
			tight = tight.Union(s.Packets.Box(uint32(slot), l))
		}
		if box := LaneBox(&s.Nodes.Hot[up.Node()], up.Lane()); box != tight {
			t.Fatalf("slot %d is in a lane with the box %v, holds %v", slot, box, tight)
		}
	}
	if n := tree.Dirty.Len(); n > tree.Pending { // a far object has been removed from each of these packets
		t.Fatalf("%d packets are to be refitted, %d objects are pending", n, tree.Pending)
	}
}
