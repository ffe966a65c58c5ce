package linear_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// snapRule is a rule of the safe check, by the text of its error, and a store that breaks this rule and no
// earlier one.
type snapRule struct {
	says  string
	spoil func(r *ruled)
}

// ruled is a store that will break a rule, and some of its rows.
type ruled struct {
	t testing.TB
	*soa.Store
	leaf  uint32 // a node of packets, with several
	upper uint32 // a node of nodes, with several
	slot  uint32 // of a packet that is not full, below leaf
	spare uint32 // a slot without objects or owner
}

func newRuled(t testing.TB, tree *linear.Tree) *ruled {
	r := &ruled{t: t, Store: tree.View().Store(), leaf: soa.None, upper: soa.None, slot: soa.None, spare: soa.None}
	n, p := &r.Nodes, &r.Packets
	for i := range n.Hot {
		i := uint32(i)
		if n.Used[i] < 2 || n.Used[i] == soa.Fan {
			continue
		}
		if n.Height[i] == 0 && r.leaf == soa.None {
			for l := range n.Used[i] - 1 { // except the last lane
				slot := n.Hot[i].Child[l].Index()
				if k := p.Counts[slot]; k > 1 && k < soa.Lanes {
					r.leaf, r.slot = i, slot
				}
			}
		}
		if n.Height[i] > 0 {
			r.upper = i
		}
	}
	for slot := range p.Counts {
		if p.Counts[slot] == 0 && p.Parents[slot] == soa.NoParent {
			r.spare = uint32(slot)
		}
	}
	if r.leaf == soa.None || r.upper == soa.None || r.spare == soa.None || len(r.Pending) < 2 || len(p.Spheres) == 0 || len(p.OrientedBoxes) == 0 {
		t.Fatalf("the tree has nothing to break: %+v", r)
	}
	return r
}

// lane returns a lane of a node that refers to a packet with objects.
func (r *ruled) lane(node uint32) int {
	for l, ref := range r.Nodes.Hot[node].Child[:r.Nodes.Used[node]] {
		if r.Packets.Counts[ref.Index()] > 0 {
			return l
		}
	}
	r.t.Fatal("no lane with objects")
	return 0
}

var nan, inf = float32(math.NaN()), float32(math.Inf(1))

func snapRules() []snapRule {
	lastLane := func(r *ruled, node uint32) (*soa.Node, int) {
		return &r.Nodes.Hot[node], int(r.Nodes.Used[node]) // the first free lane
	}
	return []snapRule{
		// Numbers and lengths.
		{"bounds of coordinates", func(r *ruled) { r.Extent[1] = nan }},
		{"bounds of coordinates", func(r *ruled) { r.Near[2] = r.Extent[2] * 2 }},
		{"bounds of coordinates", func(r *ruled) { r.Extent[0] = inf }},
		{"bounds of coordinates", func(r *ruled) { r.Near[0] = -1 }},
		{"objects with", func(r *ruled) { r.Count = 1 << 20 }},
		{"objects with", func(r *ruled) { r.Count = -1 }},
		{"column Masks has", func(r *ruled) { r.Packets.Masks = r.Packets.Masks[1:] }},
		{"column Slots has", func(r *ruled) { r.Nodes.Slots = append(r.Nodes.Slots, soa.Span{}) }},
		{"column Spheres has", func(r *ruled) { r.Packets.Spheres = r.Packets.Spheres[:1] }},
		{"holds 17 objects", func(r *ruled) { r.Packets.Counts[r.slot] = 17 }},
		{"objects in packets, there are", func(r *ruled) { r.Packets.Counts[r.slot]-- }},
		{"objects in packets, there are", func(r *ruled) { r.Count-- }},

		// Pending slots.
		{"is pending", func(r *ruled) { r.Pending[1] = uint32(len(r.Packets.Counts)) }},
		{"pending twice", func(r *ruled) { r.Pending[1] = r.Pending[0] }},
		{"is pending and has the owner", func(r *ruled) { r.Packets.Parents[r.Pending[0]] = soa.MakeUp(r.leaf, 0) }},

		// Nodes.
		{"has 17 lanes", func(r *ruled) { r.Nodes.Used[r.leaf] = 17 }},
		{"is free and not empty", func(r *ruled) { n, l := lastLane(r, r.leaf); n.Child[l] = 1 }},
		{"is free and not empty", func(r *ruled) { n, l := lastLane(r, r.leaf); n.Mask[l] = 1 }},
		{"is free and not empty", func(r *ruled) { n, l := lastLane(r, r.leaf); n.Bounds[soa.MinY][l] = nan }},
		{"is free and not empty", func(r *ruled) { n, l := lastLane(r, r.leaf); n.Bounds[soa.MaxZ][l] = 0 }},
		{"is free and not empty", func(r *ruled) { r.Nodes.Keys[r.upper][r.Nodes.Used[r.upper]] = 5 }},
		{"does not hold node", func(r *ruled) { r.Nodes.Hot[r.leaf].Bounds[soa.MinX][0] = nan }},
		{"has the box", func(r *ruled) { r.Nodes.Hot[0].Bounds[soa.MaxX][0] = nan }},
		{"has the box", func(r *ruled) {
			b := &r.Nodes.Hot[r.leaf].Bounds
			b[soa.MinX][0], b[soa.MaxX][0] = b[soa.MaxX][0]+1, b[soa.MinX][0]-1
		}},
		{"which does not lead back", func(r *ruled) { r.Nodes.Hot[r.leaf].Child[0] |= 1 << 27 }},
		{"which does not lead back", func(r *ruled) { // one packet in two lanes
			n := &r.Nodes.Hot[r.leaf]
			n.Child[0] = n.Child[1]
		}},
		{"which does not lead back", func(r *ruled) { r.Packets.Parents[r.slot]++ }},
		{"which does not lead back", func(r *ruled) { r.Nodes.Hot[r.upper].Child[0] = soa.RefMoving }}, // the root
		{"which does not lead back", func(r *ruled) { r.Nodes.Hot[r.upper].Child[0] |= 1 << 27 }},
		{"which does not lead back", func(r *ruled) { // one node in two lanes
			n := &r.Nodes.Hot[r.upper]
			n.Child[0] = n.Child[1]
		}},
		{"which does not lead back", func(r *ruled) { r.Nodes.Used[r.Nodes.Hot[r.upper].Child[0].Index()] = 0 }},
		{"which does not lead back", func(r *ruled) { r.Nodes.Parents[r.Nodes.Hot[r.upper].Child[0].Index()]++ }},
		{"is below node", func(r *ruled) {
			r.Nodes.Height[r.Nodes.Hot[r.upper].Child[0].Index()] = r.Nodes.Height[r.upper]
		}},
		{"does not hold node", func(r *ruled) { r.Nodes.Hot[r.upper].Bounds[soa.MaxX][0] -= 0.5 }},
		{"does not hold node", func(r *ruled) { r.Nodes.Hot[r.upper].Mask[0] = 0 }},
		{"does not hold node", func(r *ruled) { r.Nodes.Hot[r.upper].Child[0] &^= soa.RefFlags }},
		{"has cells below it", func(r *ruled) { r.Nodes.Cells[0] = soa.KeySpan{High: 1} }},
		{"without", func(r *ruled) {
			for i := range r.Nodes.Cells {
				if r.Nodes.Cells[i] != soa.NoSpan {
					r.Nodes.Cells[i] = soa.NoSpan
					break
				}
			}
		}},
		{"are not in order", func(r *ruled) { k := &r.Nodes.Keys[r.upperAbove()]; k[0], k[1] = k[1], k[0] }},
		{"are not in order", func(r *ruled) { r.Nodes.Keys[r.upperAbove()][1] = soa.NoKey }},
		{"are not in order", func(r *ruled) { // two nodes in each other's lane
			node, n := r.upperAbove(), &r.Nodes
			hot, keys := &n.Hot[node], &n.Keys[node]
			for i := range hot.Bounds {
				b := &hot.Bounds[i]
				b[0], b[1] = b[1], b[0]
			}
			hot.Mask[0], hot.Mask[1] = hot.Mask[1], hot.Mask[0]
			keys[0], keys[1] = keys[1], keys[0]
			a, b := &n.Parents[hot.Child[0].Index()], &n.Parents[hot.Child[1].Index()]
			*a, *b = *b, *a
			hot.Child[0], hot.Child[1] = hot.Child[1], hot.Child[0]
		}},
		{"there is no cell", func(r *ruled) {
			for i := range r.Nodes.Cells {
				r.Nodes.Cells[i] = soa.NoSpan
			}
		}},
		{"counts", func(r *ruled) { r.Nodes.Below[r.leaf]++ }},
		{"counts", func(r *ruled) { r.Counted = true; r.Nodes.Below[r.upper]++ }},
		{"has slots", func(r *ruled) { s := &r.Nodes.Slots[r.leaf]; s.First, s.End = s.First+1, s.End+1 }},
		{"has slots", func(r *ruled) { r.Nodes.Slots[r.leaf] = soa.Span{First: 0, End: uint32(len(r.Packets.Counts))} }},
		{"has slots", func(r *ruled) { r.Nodes.Slots[r.leaf].End = math.MaxUint32 }},
		{"has slots", func(r *ruled) { r.Nodes.Slots[r.leaf] = soa.Span{First: 5, End: 5} }},
		{"the root has no lanes", func(r *ruled) { r.Nodes.Used[0] = 0 }},
		{"the root has the parent", func(r *ruled) { r.Nodes.Parents[0] = soa.MakeUp(1, 0) }},
		{"the root has the box", func(r *ruled) { r.Near, r.Extent = [3]float32{}, [3]float32{} }},
		{"are below the root or pending", func(r *ruled) { r.Pending = r.Pending[1:] }},

		// Packets.
		{"has the owner 0x80000000, there are", func(r *ruled) { r.Packets.Parents[r.spare] = soa.MakeUp(1<<27, 0) }},
		{"which refers to", func(r *ruled) { r.Packets.Parents[r.spare] = soa.MakeUp(r.leaf, 0) }},
		{"hold boxes", func(r *ruled) { r.Packets.Bounds[r.slot][soa.MaxY][0] = nan }},
		{"hold boxes", func(r *ruled) { r.Packets.Bounds[r.slot][soa.MinX][1] = nan }},
		{"hold boxes", func(r *ruled) { r.Packets.Bounds[r.slot][soa.MinZ][0] = -nan }},
		{"does not hold slot", func(r *ruled) { r.Packets.Bounds[r.slot][soa.MaxZ][0] = inf }},
		{"does not hold slot", func(r *ruled) { r.Packets.Bounds[r.slot][soa.MinY][1] = -inf }},
		{"hold boxes", func(r *ruled) { r.Packets.Bounds[r.slot] = soa.EmptyNode.Bounds }},
		{"hold boxes", func(r *ruled) {
			r.Packets.SetBox(r.slot, soa.Lanes-1, &soa.AABB{Max: [3]float32{1, 1, 1}})
		}},
		{"move, there are", func(r *ruled) { r.Packets.Moving[r.slot] |= 1 << 15 }},
		{"is free and not empty", func(r *ruled) { r.Packets.Bounds[r.slot][soa.MinX][soa.Lanes-1] = nan }},
		{"is free and holds object 7", func(r *ruled) { r.Packets.IDs[r.slot][soa.Lanes-1] = 7 }},
		{"is free and not empty", func(r *ruled) { r.Packets.Masks[r.slot][soa.Lanes-1] = 7 }},
		{"has the sphere", func(r *ruled) { r.Packets.SetSphere(r.slot, 0, [4]float32{nan, 0, 0, 1}) }},
		{"has the sphere", func(r *ruled) { r.Packets.SetSphere(r.slot, 0, [4]float32{0, 0, 0, inf}) }},
		{"has the oriented box", func(r *ruled) { r.Packets.SetOriented(r.slot, 0, &soa.OrientedBox{Center: [3]float32{nan, 0, 0}}) }},
		{"has the oriented box", func(r *ruled) {
			r.Packets.SetOriented(r.slot, 0, &soa.OrientedBox{Axes: [3][3]float32{{}, {}, {0, 0, inf}}})
		}},
		{"holds object 4294967295, there are", func(r *ruled) { r.Packets.IDs[r.slot][0] = math.MaxUint32 }},
		{"indexed elsewhere", func(r *ruled) { i := &r.Packets.IDs[r.slot]; i[0], i[1] = i[1], i[0] }},
		{"indexed elsewhere", func(r *ruled) { i := &r.Packets.IDs[r.slot]; i[0] = i[1] }},
		{"does not hold slot", func(r *ruled) { r.Nodes.Hot[r.leaf].Bounds[soa.MaxX][r.lane(r.leaf)] -= 0.25 }},
		{"does not hold slot", func(r *ruled) { r.Nodes.Hot[r.leaf].Mask[r.lane(r.leaf)] = 0 }},
		{"does not hold slot", func(r *ruled) { r.Nodes.Hot[r.leaf].Child[r.lane(r.leaf)] &^= soa.RefFlags }},
		{"beyond the bound", func(r *ruled) { r.Packets.SetBox(r.Pending[0], 0, &soa.AABB{Max: [3]float32{1e9, 1, 1}}) }},
	}
}

// upperAbove returns a node above cells.
func (r *ruled) upperAbove() uint32 {
	if r.Nodes.Cells[0] != soa.NoSpan || r.Nodes.Keys[0][0] == r.Nodes.Keys[0][1] {
		r.t.Fatal("the root is a cell, or has one key")
	}
	return 0
}

// ruledTree is a tree of several levels, with cells, pending objects, spheres and oriented boxes.
func ruledTree(t testing.TB) *linear.Tree {
	tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental, SplitAbove: 4, MergeBelow: 2})
	insert(t, tree, testkit.SceneByName(t, "uniform").Make(1500, 1))
	for id := uint32(0); id < 40; id++ {
		o, _ := tree.Object(id)
		c := o.Box.Center()
		must(t, tree.SetSphere(id, [4]float32{c[0], c[1], c[2], 0}))
		must(t, tree.SetOriented(id, linear.OrientedBox{Center: c}))
	}
	must(t, tree.Tick())
	insert(t, tree, testkit.SceneByName(t, "uniform").Make(40, 2))
	valid(t, tree)
	return tree
}

// Each rule of the safe check rejects a file with valid checksums, and names itself. Without the rule the file
// would be accepted, or rejected by another rule with another text.
func TestSafeCheckRules(t *testing.T) { testkit.EachTier(t, safeCheckRules) }

func safeCheckRules(t *testing.T) {
	tree := ruledTree(t)
	if s, err := linear.FromBytes(written(t, tree), linear.CheckSafe); err != nil || s.Len() != tree.Len() {
		t.Fatalf("the tree itself: %v", err)
	}
	for i, rule := range snapRules() {
		if !testkit.OfTier(t, i) {
			continue
		}
		c := tree.Clone()
		rule.spoil(newRuled(t, c))
		file := written(t, c)
		for _, level := range []linear.CheckLevel{linear.CheckSafe, linear.CheckFull} {
			if _, err := linear.FromBytes(file, level); !errors.Is(err, linear.ErrSnapshot) || !strings.Contains(err.Error(), rule.says) {
				t.Errorf("rule %d, %q, level %v: error %v", i, rule.says, level, err)
			}
		}
		if _, err := linear.FromBytes(file, linear.CheckSums); (err != nil) != strings.HasPrefix(rule.says, "column") {
			t.Errorf("rule %d, %q: the sums are right, error %v", i, rule.says, err)
		}
	}
}
