package linear_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

var update = flag.Bool("update", false, "write testdata anew")

// dump writes what is stored of a tree, row by row, with every digit:
//
//	world     exponent of the cell side, and the number of the lowest cell on each axis
//	objects   how many; whether all nodes know their number; bounds of |coordinate|
//	free      nodes, the next one to be given out first
//	loose     slots of pending objects, in their order
//	node      number, parent/lane, height, slots below, objects below, and if the node
//	          is empty its lifespan in ticks and the tick at which it dies
//	  lane    number, child with flags (m: something moves, s: something is static),
//	          type masks, first key, tight bounds
//	slot      number, node/lane that refers to it, interval of keys, objects
//	  lane    number, ID, moving or static, type mask, box
//	ids       eight a line: slot/lane and generation, of a free ID the next free one
//
// The world and the IDs are those in the tree, unless it is nil. Rows in their initial state, such as free
// nodes and slots, are left out, and so are lanes beyond the last used lane.
func dump(tree *linear.Tree, s *soa.Store) string {
	d := &dumper{s: s}
	if tree != nil {
		d.line("world 2^%d from %v", tree.World().Exp(), tree.World().Origin())
	}
	d.line("objects %d, counted %v, near %v, extent %v", s.Count, s.Counted, s.Near, s.Extent)
	d.free()
	d.line("loose %v", s.Pending)
	for n := range uint32(len(s.Nodes.Hot)) {
		d.node(n)
	}
	for slot := range uint32(len(s.Packets.Counts)) {
		d.packet(slot)
	}
	if tree != nil {
		d.ids(linear.PlacesOf(tree))
	}
	return string(d.text)
}

type dumper struct {
	s    *soa.Store
	text []byte
}

func (d *dumper) line(format string, args ...any) {
	d.text = append(fmt.Appendf(d.text, format, args...), '\n')
}

// lane writes a line of a lane, which has a box.
func (d *dumper) lane(l int, text string, mask uint32, box soa.AABB) {
	d.text = append(strconv.AppendInt(append(d.text, "  lane "...), int64(l), 10), "  "...)
	d.text = strconv.AppendUint(append(append(d.text, text...), "  mask 0x"...), uint64(mask), 16)
	d.text = append(appendBounds(append(d.text, "  "...), box), '\n')
}

func (d *dumper) free() {
	var nodes []uint32
	d.s.Nodes.EachFree(func(n uint32) bool { nodes = append(nodes, n); return true })
	d.line("free nodes %v of %d, %d slots", nodes, len(d.s.Nodes.Hot), len(d.s.Packets.Counts))
}

// place writes index<<bits | lane as index/lane.
func way(up soa.Up) string {
	if up == soa.NoParent {
		return "-"
	}
	return fmt.Sprintf("%d/%d", up.Node(), up.Lane())
}

func bounds(b soa.AABB) string { return string(appendBounds(nil, b)) }

func appendBounds(text []byte, b soa.AABB) []byte {
	if b == soa.Empty() {
		return append(text, "empty"...)
	}
	for a, axis := range [...]string{"x ", "  y ", "  z "} {
		text = strconv.AppendFloat(append(text, axis...), float64(b.Min[a]), 'g', -1, 32)
		text = strconv.AppendFloat(append(text, ' '), float64(b.Max[a]), 'g', -1, 32)
	}
	return text
}

func (d *dumper) node(n uint32) {
	c := &d.s.Nodes
	hot, lanes := &c.Hot[n], int(c.Used[n])
	if lanes > 0 || c.Slots[n] != (soa.Span{}) || c.FreeAtTick[n] != 0 {
		slots := fmt.Sprintf("%d-%d", c.Slots[n].First, c.Slots[n].End)
		if c.Slots[n].End == 0 {
			slots = "apart"
		}
		cell := "no cell"
		if keys := c.Cells[n]; keys != soa.NoSpan {
			cell = fmt.Sprintf("cell %#x-%#x", keys.Low, keys.High)
		}
		d.line("node %d  up %s  height %d  %s  slots %s  below %d  life %d  dies %d",
			n, way(c.Parents[n]), c.Height[n], cell, slots, c.Below[n], c.MinTicks[n], c.FreeAtTick[n])
	}
	for l := range soa.Fan {
		var box soa.AABB
		for a := range 3 {
			box.Min[a], box.Max[a] = hot.Bounds[2*a][l], hot.Bounds[2*a+1][l]
		}
		ref, mask, key := hot.Child[l], hot.Mask[l], c.Keys[n][l]
		if l >= lanes && ref == 0 && mask == 0 && key == soa.NoKey && box == soa.Empty() {
			continue
		}
		child := "node "
		if ref&soa.RefPacket != 0 {
			child = "packet "
		}
		child += strconv.Itoa(int(ref.Index())) + " "
		if ref&soa.RefMoving != 0 {
			child += "m"
		}
		if ref&soa.RefStatic != 0 {
			child += "s"
		}
		if key != soa.NoKey {
			child += fmt.Sprintf("  key %#x", key)
		}
		d.lane(l, child, mask, box)
	}
}

func (d *dumper) packet(slot uint32) {
	p := &d.s.Packets
	n := int(p.Counts[slot])
	if n > 0 || p.Parents[slot] != soa.NoParent {
		d.line("slot %d  owner %s  home %s  objects %d", slot, way(p.Parents[slot]), bounds(p.PlacementBoxes[slot]), n)
	}
	for l := range soa.Lanes {
		o, id := p.Object(slot, l), p.IDs[slot][l]
		if l >= n && id == 0 && o.Mask == 0 && o.Static && o.Box == soa.Empty() {
			continue
		}
		motion := "moving"
		if o.Static {
			motion = "static"
		}
		d.lane(l, "id "+strconv.Itoa(int(id))+"  "+motion, o.Mask, o.Box)
	}
}

func (d *dumper) ids(ids *soa.IDs) {
	for first := 0; first < ids.Cap(); first += 8 {
		d.text = append(strconv.AppendInt(append(d.text, "ids "...), int64(first), 10), ' ')
		for id := first; id < min(first+8, ids.Cap()); id++ {
			if id > first {
				d.text = append(d.text, ',')
			}
			switch where := ids.Where[id]; {
			case ids.Alive(uint32(id)):
				d.text = strconv.AppendUint(append(d.text, ' '), uint64(where.Slot()), 10)
				d.text = strconv.AppendInt(append(d.text, '/'), int64(where.Lane()), 10)
			case where != soa.NoLocation:
				d.text = strconv.AppendUint(append(d.text, " next "...), uint64(where), 10)
			default:
				d.text = append(d.text, " next -"...)
			}
			d.text = strconv.AppendUint(append(d.text, " g"...), uint64(ids.Generation(uint32(id))), 10)
		}
		d.text = append(d.text, '\n')
	}
}

// The layout of a tree after each step equals the files of testdata/layout, byte for byte, on every tier and
// with any number of workers. To change it on purpose, run the test with -update and read the differences.
func TestLayout(t *testing.T) {
	const folder = "testdata/layout"
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)
	written := map[string]bool{}
	testkit.EachTier(t, func(t *testing.T) {
		for _, workers := range []int{1, 3} {
			runtime.GOMAXPROCS(workers)
			layoutStories(t, func(step string, tree *linear.Tree, s *soa.Store) {
				got := dump(tree, s)
				if tree != nil {
					got += fmt.Sprintf("digest %016x\n", tree.LayoutDigest()) // the same in any byte order
				}
				file := filepath.Join(folder, step+".txt")
				if *update && !written[file] {
					must(t, os.WriteFile(file, []byte(got), 0o644))
				}
				written[file] = true
				want, err := os.ReadFile(file)
				must(t, err)
				if diff := firstLines(got, string(want)); diff != "" {
					t.Errorf("GOMAXPROCS %d: %s is different (now, want):\n%s", workers, file, diff)
				}
			})
		}
	})
	files, err := filepath.Glob(folder + "/*")
	must(t, err)
	for _, file := range files {
		if !written[file] {
			t.Errorf("no step has the layout %s", file)
		}
	}
}

// firstLines returns the first lines in which two texts differ.
func firstLines(got, want string) (diff string) {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	shown := 0
	for i := range max(len(g), len(w)) {
		a, b := "(end)", "(end)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			diff += fmt.Sprintf("%d: %s\n%d: %s\n", i+1, a, i+1, b)
			if shown++; shown == 4 {
				return diff
			}
		}
	}
	return diff
}

// layoutObjects returns boxes of side 1 and 2 on whole numbers, so that the dumps
// are easy to read. Object 0 has a coordinate that is -0: a packet keeps it, the
// bounds above do not.
func layoutObjects(first, n int) (objects []soa.Object) {
	for i := first; i < first+n; i++ {
		at := [3]float32{float32(i * 7 % 40), float32(i * 11 % 24), float32(i * 5 % 8)}
		side := float32(1 + i%2)
		objects = append(objects, soa.Object{
			Box:    soa.AABB{Min: at, Max: [3]float32{at[0] + side, at[1] + side, at[2] + side}},
			Mask:   1 << (i % 3),
			Static: i%4 == 0,
		})
	}
	if first == 0 {
		objects[0].Box.Min[1] = float32(math.Copysign(0, -1))
	}
	return objects
}

// layoutConfig splits packets and nodes early, so that few objects make several levels.
var layoutConfig = linear.Config{Policy: linear.PolicyIncremental, SplitAbove: 4, MergeBelow: 3, Lifespan: 2}

// layoutStories take small trees through all changes of their layout, and call show after each step. Each story
// checks that its subject has happened.
func layoutStories(t *testing.T, show func(step string, tree *linear.Tree, s *soa.Store)) {
	see := func(step string, tree *linear.Tree) {
		t.Helper()
		valid(t, tree)
		show(step, tree, tree.View().Store())
	}
	some := func(what string, n int) {
		t.Helper()
		if n == 0 {
			t.Fatalf("no %s", what)
		}
	}
	start := func(see func(step string, tree *linear.Tree)) *linear.Tree {
		tree := newTree(t, layoutConfig)
		insert(t, tree, layoutObjects(0, 40))
		see("01-build", tree)
		insert(t, tree, layoutObjects(40, 3))
		see("02-pending", tree)
		insert(t, tree, layoutObjects(43, 60))
		tick(t, tree)
		some("insertion", tree.Work().Placed)
		see("03-insertion", tree)
		return tree
	}
	again := func(string, *linear.Tree) {}

	// Insertions and removals.
	tree := start(see)
	denseScene := layoutObjects(103, 30) // more than a node of packets holds
	for i := range denseScene {
		denseScene[i].Box = cube(3+float32(i%6)/8, 5+float32(i/6)/8, 2, 0.0625)
	}
	insert(t, tree, denseScene)
	tick(t, tree)
	some("split", tree.Work().Splits)
	some("new node", tree.Work().Allocated)
	see("04-split", tree)
	for id := uint32(103); id < 133; id++ {
		must(t, tree.Remove(id))
	}
	see("05-removal", tree)
	tick(t, tree)
	some("merge", tree.Work().Merges)
	see("06-merge", tree)
	p := &tree.View().Store().Packets
	for id := range uint32(103) {
		if slot := linear.PlacesOf(tree).Where[id] >> 4; p.Parents[slot].Node() == 2 {
			must(t, tree.Remove(id))
		}
	}
	tick(t, tree)
	some("empty node", tree.Work().Emptied)
	see("07-emptied", tree)
	freed := 0
	for range layoutConfig.Lifespan + 1 {
		tick(t, tree)
		freed += tree.Work().Freed
	}
	some("node given back", freed)
	see("08-freed", tree)
	insert(t, tree, denseScene[:9])
	see("09-reuse", tree) // of the IDs and the block that were freed last

	// Moves: within packets, out of them, and out of the world.
	tree = start(again)
	for id := uint32(0); id < 40; id += 9 {
		o, _ := tree.Object(id)
		up := o.Box
		up.Max[2] += 10
		must(t, tree.Move(id, up))
		must(t, tree.Move(id, o.Box))
		must(t, tree.SetMask(id, 1<<4))
	}
	see("10-moved", tree) // bounds have grown
	tick(t, tree)
	some("refit", tree.Work().RefitNodes)
	see("11-refit", tree)
	for id := uint32(0); id < 40; id += 4 {
		must(t, tree.Move(id, cube(100+float32(id), 20, 4, 1)))
	}
	tick(t, tree)
	some("growth of the world", tree.Work().Grown)
	see("12-world", tree)
	insert(t, tree, []soa.Object{giant(8, 8, 8, 1<<20)})
	tick(t, tree)
	if s := tree.View().Store(); s.Near == s.Extent {
		t.Fatalf("no object is far: near %v, extent %v", s.Near, s.Extent)
	}
	see("13-far", tree)
	rebuild(t, tree, true)
	see("14-frozen", tree)

	// Publications: of three versions, the last uses the memory of the first, and only the changes of the
	// second have been copied there.
	tree = start(again)
	s := linear.NewPublisher(tree)
	all := tree.Stats().Patched
	for id := range uint32(2) {
		must(t, tree.Move(id, cube(20, 12, 4, 1)))
		tick(t, tree)
		s.Publish()
		if patched := tree.Stats().Patched; patched == 0 || patched >= all {
			t.Fatalf("%d of %d nodes and packets patched", patched, all)
		}
	}
	h := s.Acquire()
	defer h.Release()
	valid(t, tree)
	show("15-published", nil, h.View().Store())
}
