package linear_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Validate detects a wrong number of pending objects.
func TestValidateCountsPending(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, testkit.SceneByName(t, "uniform").Make(20, 1))
	valid(t, tree)
	tree.MiscountPending()
	if err := tree.Validate(); err == nil {
		t.Error("one pending object more than there are is valid")
	}
}

// Validate detects a run of slots with a wrong end or beginning, even if the number of objects is right.
func TestValidateFindsShiftedSlots(t *testing.T) {
	for _, by := range []int{-1, 1} {
		tree := newTree(t, linear.Config{Frozen: true})
		insert(t, tree, grid(22))
		shifted := 0
		s := tree.View().Store()
		for i, span := range s.Nodes.Slots {
			to := soa.Span{First: span.First + uint32(by), End: span.End + uint32(by)}
			if s.Nodes.Height[i] != 1 || span.First == 0 || int(to.End) > len(s.Packets.Counts) {
				continue
			}
			if counts := s.Packets.Counts; by < 0 && counts[to.First] != counts[span.End-1] || by > 0 && counts[span.First] != counts[span.End] {
				continue
			}
			s.Nodes.Slots[i] = to
			if err := tree.Validate(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("node %d has slots %d to %d", i, to.First, to.End)) {
				t.Errorf("node %d of slots %d to %d says %d to %d: error %v", i, span.First, span.End, to.First, to.End, err)
			}
			s.Nodes.Slots[i] = span
			shifted++
		}
		valid(t, tree)
		if shifted == 0 {
			t.Fatal("no node of full packets")
		}
	}
}

// While one packet waits for a refit, boxes and masks of nodes are exact, except above the packet. Anywhere
// else, Validate detects a box that is too large, though its parent contains it, and a file with it, and with
// valid checksums, is rejected.
func TestValidateExactBesideRefits(t *testing.T) {
	tree := newTree(t, linear.Config{Log: true})
	ids := insert(t, tree, testkit.SceneByName(t, "uniform").Make(3000, 1))
	for i, id := range ids {
		must(t, tree.SetMask(id, 1<<(i%7)))
	}
	tick(t, tree)
	valid(t, tree)
	must(t, tree.SetMask(ids[77], 1<<9))
	v := tree.View()
	s := v.Store()
	instances := v.Locator(nil)
	slot, _, _ := instances.Locate(ids[77])
	waits := map[uint32]int{} // parent lane by node
	for up := s.Packets.Parents[slot]; up != soa.NoParent; up = s.Nodes.Parents[up.Node()] {
		waits[up.Node()] = up.Lane()
	}
	valid(t, tree)
	found, above, files := 0, 0, 0
	wrong := func(what string, node uint32, l int) {
		t.Helper()
		on, is := waits[node]
		err := tree.Validate()
		if is && on == l {
			if above++; err != nil {
				t.Errorf("node %d lane %d, above the packet that waits: %s: %v", node, l, what, err)
			}
			return
		}
		if found++; err == nil {
			t.Errorf("node %d lane %d: %s is not found", node, l, what)
		}
		if found%40 != 0 {
			return
		}
		files++
		file := written(t, tree)
		if _, err := linear.FromBytes(file, linear.CheckFull); !errors.Is(err, linear.ErrSnapshot) {
			t.Errorf("node %d lane %d: %s in a file: %v", node, l, what, err)
		}
		if _, err := opened(t, file, linear.CheckSafe).Load(); !errors.Is(err, linear.ErrSnapshot) {
			t.Errorf("node %d lane %d: %s in a file that is loaded: %v", node, l, what, err)
		}
	}
	for node := range s.Nodes.Hot {
		up := s.Nodes.Parents[node]
		if up == soa.NoParent || s.Nodes.Used[node] == 0 {
			continue
		}
		holder, n := &s.Nodes.Hot[up.Node()], &s.Nodes.Hot[node]
		for l := range int(s.Nodes.Used[node]) {
			if was, most := n.Bounds[soa.MaxX][l], holder.Bounds[soa.MaxX][up.Lane()]; was < most {
				n.Bounds[soa.MaxX][l] = most
				wrong("a larger box", uint32(node), l)
				n.Bounds[soa.MaxX][l] = was
			}
			if was, most := n.Mask[l], holder.Mask[up.Lane()]; was != most {
				n.Mask[l] = most
				wrong("a larger mask", uint32(node), l)
				n.Mask[l] = was
			}
		}
	}
	if valid(t, tree); found < 200 || above == 0 || files == 0 {
		t.Errorf("%d larger lanes, %d above the packet that waits, %d files", found, above, files)
	}
}

// faults are the messages of a Validate method, given its file, as patterns.
func faults(t *testing.T, of string) (patterns []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), of, nil, parser.SkipObjectResolution)
	must(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "fail" {
			return true
		}
		if lit, ok := call.Args[0].(*ast.BasicLit); ok {
			format, err := strconv.Unquote(lit.Value)
			must(t, err)
			patterns = append(patterns, regexp.MustCompile(`%#?[a-z]`).ReplaceAllString(regexp.QuoteMeta(format), "(?s:.*)"))
		}
		return true
	})
	return patterns
}

// usedTree has nodes of several heights, free nodes and slots, displaced objects and a pending list of more
// packets than a node.
func usedTree(t *testing.T) *linear.Tree {
	t.Helper()
	tree := newTree(t, linear.Config{PendingMin: 1000, PendingShare: 1 << 20, Policy: linear.PolicyIncremental, Lifespan: 8})
	objects := testkit.SceneByName(t, "uniform").Make(6000, 1)
	ids := insert(t, tree, objects[:4000])
	middle := tree.View().Bounds().Center()
	for i, id := range ids { // whole branches become empty
		if objects[i].Box.Min[0] > middle[0] {
			must(t, tree.Remove(id))
		}
	}
	for range 100 {
		tick(t, tree)
	}
	insert(t, tree, objects[4000:4399])
	_, err := tree.Insert(objects[4399]) // computes the fast bounds of boxes
	must(t, err)
	if s := tree.View().Store(); s.Nodes.Unused() < 2 || tree.FreeSlots() < 16 || len(s.Pending) <= soa.Fan {
		t.Fatalf("%d free nodes, %d free slots, %d pending slots", s.Nodes.Unused(), tree.FreeSlots(), len(s.Pending))
	}
	return tree
}

// inner returns a node that has a node as the child in a lane, not the first.
func inner(s *soa.Store) (node uint32, lane int) {
	for i := range s.Nodes.Hot {
		for l := 1; l < int(s.Nodes.Used[i]); l++ {
			if !s.Nodes.Hot[i].Child[l].IsPacket() {
				return uint32(i), l
			}
		}
	}
	panic("no inner node")
}

// leaf returns a node of packets that is in use, with two lanes at least.
func leaf(s *soa.Store) uint32 {
	for i, h := range s.Nodes.Height {
		if h == 0 && s.Nodes.Used[i] > 2 {
			return uint32(i)
		}
	}
	panic("no leaf")
}

func firstSlot(s *soa.Store) uint32 { return s.Nodes.Hot[leaf(s)].Child[1].Index() }

func freeSlot(s *soa.Store) (slot uint32) {
	for slot = 0; s.Packets.Parents[slot] != soa.NoParent || slices.Contains(s.Pending, slot) || slices.ContainsFunc(s.Nodes.Slots, func(span soa.Span) bool {
		return slot >= span.First && slot < span.End
	}); {
		slot++
	}
	return slot
}

// Each message of Validate is the result of some damage, and names it.
func TestValidateSays(t *testing.T) {
	damage := []struct {
		want string
		do   func(s *soa.Store)
	}{
		{"column .* nodes, the hot", func(s *soa.Store) { s.Nodes.MinTicks = s.Nodes.MinTicks[1:] }},
		{"column .* nodes, the hot", func(s *soa.Store) { s.Nodes.Parents = s.Nodes.Parents[1:] }},
		{"column .* nodes, the hot", func(s *soa.Store) { s.Nodes.Below = s.Nodes.Below[1:] }},
		{"column .* packets, the bounds", func(s *soa.Store) { s.Packets.Masks = s.Packets.Masks[1:] }},
		{"column .* packets, the bounds", func(s *soa.Store) { s.Packets.PlacementBoxes = s.Packets.PlacementBoxes[1:] }},
		{"which is empty", func(s *soa.Store) { s.Packets.Counts[firstSlot(s)] = 0 }},
		{"which holds object", func(s *soa.Store) {
			i := &s.Packets.IDs[firstSlot(s)]
			i[0], i[1] = i[1], i[0]
		}},
		{"live IDs, counted as", func(s *soa.Store) { s.Count++ }},
		{"objects in packets,", func(s *soa.Store) { s.Count-- }},
		{"slot %d holds 17 objects", func(s *soa.Store) { s.Packets.Counts[firstSlot(s)] = 17 }},
		{"inverted or not finite", func(s *soa.Store) { s.Packets.Bounds[firstSlot(s)][soa.MinX][0] = 1e30 }},
		{"which does not exist", func(s *soa.Store) { s.Packets.IDs[firstSlot(s)][0] = 1 << 20 }},
		{"is free and not empty", func(s *soa.Store) { s.Packets.IDs[freeSlot(s)][3] = 7 }},
		{"is free and not empty", func(s *soa.Store) { s.Packets.Masks[freeSlot(s)][15] = 1 }},
		{"is free and not empty", func(s *soa.Store) { s.Packets.Moving[freeSlot(s)] = 1 << 5 }},
		{"is free and not empty", func(s *soa.Store) { s.Packets.Bounds[freeSlot(s)][soa.MaxY][4] = 0 }},
		{"is pending twice", func(s *soa.Store) { s.Pending = append(s.Pending, s.Pending[0]) }},
		{"pending slot .* has owner", func(s *soa.Store) { s.Packets.Parents[s.Pending[1]] = 9 }},
		{"pending slot .*, 0 of .*, holds 3 objects", func(s *soa.Store) { s.Packets.Counts[s.Pending[0]] = 3 }},
		{"pending slot .* holds 0 objects", func(s *soa.Store) { s.Packets.Counts[s.Pending[len(s.Pending)-1]] = 0 }},
		{"objects in pending slots,", func(s *soa.Store) { s.Pending = s.Pending[:len(s.Pending)-1] }},
		{"is far, which no box may be", func(s *soa.Store) {
			s.Packets.SetBox(firstSlot(s), 0, &soa.AABB{Min: [3]float32{1e20}, Max: [3]float32{1e20}})
		}},
		{"beyond the extents", func(s *soa.Store) { s.Extent[2] = 0 }},
		{"beyond the extents", func(s *soa.Store) { s.Near[0] = 0 }},
		{"the root has the parent", func(s *soa.Store) { s.Nodes.Parents[0] = 0 }},
		{"the root begins with key", func(s *soa.Store) { s.Nodes.Keys[0][0] = 1 }},
		{"form a cycle", func(s *soa.Store) { n := leaf(s); s.Nodes.Hot[n].Child[1] = soa.RefFlags | soa.Ref(n) }},
		{"has 0 lanes", func(s *soa.Store) { s.Nodes.Used[leaf(s)] = 0 }},
		{"has 17 lanes", func(s *soa.Store) { s.Nodes.Used[leaf(s)] = soa.Fan + 1 }},
		{"node .* lane .* is free and not empty", func(s *soa.Store) { s.Nodes.Used[leaf(s)]-- }},
		{"node .*: lane .* begins with key", func(s *soa.Store) { n, l := inner(s); k := &s.Nodes.Keys[n]; k[l-1], k[l] = k[l], k[l-1] }},
		{"begins with key .* in a cell", func(s *soa.Store) { s.Nodes.Keys[leaf(s)][1] = 7 }},
		{"cell .* is below a cell", func(s *soa.Store) { n, _ := inner(s); s.Nodes.Cells[n] = soa.KeySpan{} }},
		{"is below no cell", func(s *soa.Store) { s.Nodes.Cells[leaf(s)] = soa.NoSpan }},
		{"refers to slot", func(s *soa.Store) { s.Nodes.Hot[leaf(s)].Child[1] |= soa.RefIndex }},
		{"refers to node", func(s *soa.Store) { n, l := inner(s); s.Nodes.Hot[n].Child[l] |= soa.RefIndex }},
		{"refers to node 0 of", func(s *soa.Store) { n, l := inner(s); s.Nodes.Hot[n].Child[l] &^= soa.RefIndex }},
		{"node .* has parent", func(s *soa.Store) { n, l := inner(s); s.Nodes.Parents[s.Nodes.Hot[n].Child[l].Index()]++ }},
		{"its lane with", func(s *soa.Store) { n, l := inner(s); s.Nodes.Keys[n][l]++ }},
		{"node .* has the box", func(s *soa.Store) { n, l := inner(s); s.Nodes.Hot[n].Bounds[soa.MaxX][l] -= 1 }},
		{"node .* has mask", func(s *soa.Store) { n, l := inner(s); s.Nodes.Hot[n].Mask[l] = 0 }},
		{"node .* has mask", func(s *soa.Store) { n, l := inner(s); s.Nodes.Hot[n].Child[l] &^= soa.RefMoving }},
		{"node .* of height", func(s *soa.Store) {
			n, l := inner(s)
			s.Nodes.Height[s.Nodes.Hot[n].Child[l].Index()] = s.Nodes.Height[n]
		}},
		{"node .* counts", func(s *soa.Store) { s.Nodes.Below[leaf(s)]++ }},
		{"node .* has slots", func(s *soa.Store) { s.Nodes.Slots[leaf(s)].First++ }},
		{"is referred to twice", func(s *soa.Store) { h := &s.Nodes.Hot[leaf(s)]; h.Child[1] = h.Child[0] }},
		{"slot .* has owner", func(s *soa.Store) { s.Packets.Parents[firstSlot(s)]++ }},
		{"cell .* has keys", func(s *soa.Store) { s.Nodes.Cells[leaf(s)].Low += 2 }},
		{"cell .* has keys", func(s *soa.Store) { s.Nodes.Cells[leaf(s)].High += 2 }},
		{"does not belong in", func(s *soa.Store) {
			p := &s.Packets
			slot, other := firstSlot(s), s.Nodes.Hot[0].Child[0]
			for !other.IsPacket() {
				other = s.Nodes.Hot[other.Index()].Child[0]
			}
			b := p.Box(other.Index(), 0)
			p.SetBox(slot, 0, &b)
		}},
		{"slot .* is in a lane with the box", func(s *soa.Store) { s.Nodes.Hot[leaf(s)].Bounds[soa.MinZ][1] += 5 }},
		{"slot .* is in a lane with mask", func(s *soa.Store) { s.Nodes.Hot[leaf(s)].Mask[1] = 0 }},
		{"slot .* is in a lane with mask", func(s *soa.Store) { s.Nodes.Hot[leaf(s)].Child[1] &^= soa.RefFlags }},
		{"nodes reached and", func(s *soa.Store) { s.Nodes.Forget() }},
		{"the last cell, node .*, ends at key", func(s *soa.Store) {
			n := uint32(0)
			for s.Nodes.Cells[n] == soa.NoSpan {
				n = s.Nodes.Hot[n].Child[s.Nodes.Used[n]-1].Index()
			}
			s.Nodes.Cells[n].High--
		}},
		{"and is not reached", func(s *soa.Store) { s.Pending = s.Pending[1:] }},
		{"is not in the tree and has owner", func(s *soa.Store) { s.Packets.Parents[freeSlot(s)] = 1 }},
		{"slot .* is in 2 places", func(s *soa.Store) { s.Nodes.Slots[leaf(s)] = s.Nodes.Slots[otherLeaf(s)] }},
		{"slot .* is in 0 places", func(s *soa.Store) { s.Nodes.Slots[leaf(s)] = soa.Span{} }},
	}
	var said []string
	used := usedTree(t)
	for i, d := range damage {
		tree := used.Clone()
		valid(t, tree)
		d.do(tree.View().Store())
		err := tree.ValidateAll()
		if err == nil {
			t.Errorf("damage %d, %q: not noticed", i, d.want)
			continue
		}
		said = append(said, strings.Split(err.Error(), "\n")...)
		if !regexp.MustCompile(strings.ReplaceAll(d.want, "%d", ".*")).MatchString(err.Error()) {
			t.Errorf("damage %d: no word of %q in %s", i, d.want, err)
		}
		if err := tree.Validate(); len(strings.Split(err.Error(), "\n")) > linear.MaxErrors {
			t.Errorf("damage %d: more than %d errors: %v", i, linear.MaxErrors, err)
		}
	}
	saidAll(t, said, "linear: ", faults(t, "internal/octree/validate.go"), 30)
}

// saidAll checks that each message, of at least that many, is among the reported ones.
func saidAll(t *testing.T, said []string, before string, patterns []string, least int) {
	t.Helper()
	if len(patterns) < least {
		t.Fatalf("%d messages found in the source", len(patterns))
	}
	for _, pattern := range patterns {
		re := regexp.MustCompile("^" + before + pattern + "$")
		if !slices.ContainsFunc(said, re.MatchString) {
			t.Errorf("no damage brings about %q", pattern)
		}
	}
}

// otherLeaf returns another leaf than leaf does.
func otherLeaf(s *soa.Store) uint32 {
	first := leaf(s)
	for i, h := range s.Nodes.Height {
		if h == 0 && s.Nodes.Used[i] > 0 && uint32(i) != first {
			return uint32(i)
		}
	}
	panic("one leaf")
}
