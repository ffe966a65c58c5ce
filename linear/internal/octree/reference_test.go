package octree

import (
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// A changed tree inserts into the packets of the plain search, and a refit leaves the boxes of the plain recursion.
func TestReference(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for _, n := range []int{3, 300, testkit.Budget(t, 5000, 50_000)} {
		for _, policy := range []Policy{PolicyAuto, PolicyIncremental} {
			tree := newTestTree(t, Config{Policy: policy})
			ids := insertAll(t, tree, someObjects(r, n, 100))
			for range 8 {
				tree.BeginChange()
				ids = append(ids, insertAll(t, tree, someObjects(r, 1+n/50, 100))...)
				if err := moveSome(tree, ids, r); err != nil {
					t.Fatal(err)
				}
				if err := tree.EndFrame(); err != nil {
					t.Fatal(err)
				}
				check(t, tree)
				sameAsReference(t, tree, r)
			}
		}
	}
}

// someObjects draws objects in a cube with the given side.
func someObjects(r *rand.Rand, n int, side float32) (objects []soa.Object) {
	for range n {
		var b soa.AABB
		for a := range 3 {
			b.Min[a] = side * r.Float32()
			b.Max[a] = b.Min[a] + r.Float32()
		}
		objects = append(objects, soa.Object{Box: b})
	}
	return objects
}

// moveSome moves a few objects or most of them.
func moveSome(t *Tree, ids []uint32, r *rand.Rand) error {
	some := ids[:1+r.IntN(len(ids))]
	var to Bodies
	for _, o := range someObjects(r, len(some), 110) {
		to.Boxes = append(to.Boxes, o.Box)
	}
	m, _ := t.SurveyMoves(&to)
	t.BeginChange()
	if t.IsWhole(some) {
		return t.MakeWhole(some, &to, m)
	}
	t.CountMoves(some, &to, m)
	var d Deferred
	d.AddBatch(t, some, &to, false)
	return t.MakeMoves(&d)
}

func sameAsReference(t *testing.T, tree *Tree, r *rand.Rand) {
	t.Helper()
	s := tree.Store
	for i := range s.Nodes.Hot {
		for l, child := range s.Nodes.Hot[i].Child[:s.Nodes.Used[i]] {
			if got, want := LaneBox(&s.Nodes.Hot[i], l), referenceRefit(s, child); got != want {
				t.Fatalf("node %d has the box %v in lane %d, want %v", i, got, l, want)
			}
		}
	}
	for _, o := range someObjects(r, 50, 120) {
		key := uint64(tree.Code.Key(&o.Box))
		if got, want := packetFor(s, key, &o.Box), referencePacket(s, key, &o.Box); got != want {
			t.Fatalf("the box %v belongs in packet %d, want %d", o.Box, got, want)
		}
	}
}
