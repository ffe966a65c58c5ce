package linear_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
//	free      nodes and first slots of blocks, the next one to be given out first
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
	return d.text.String()
}

type dumper struct {
	s    *soa.Store
	text strings.Builder
}

func (d *dumper) line(format string, args ...any) { fmt.Fprintf(&d.text, format+"\n", args...) }

func (d *dumper) free() {
	var nodes, blocks []uint32
	d.s.Nodes.EachFree(func(n uint32) bool { nodes = append(nodes, n); return true })
	d.s.Packets.EachFree(func(first uint32) bool { blocks = append(blocks, first); return true })
	d.line("free nodes %v of %d, blocks %v of %d slots", nodes, len(d.s.Nodes.Hot), blocks, len(d.s.Packets.Counts))
}

// place writes index<<bits | lane as index/lane.
func way(up soa.Up) string {
	if up == soa.NoParent {
		return "-"
	}
	return fmt.Sprintf("%d/%d", up.Node(), up.Lane())
}

func bounds(b soa.AABB) string {
	if b == soa.Empty() {
		return "empty"
	}
	return fmt.Sprintf("x %v %v  y %v %v  z %v %v", b.Min[0], b.Max[0], b.Min[1], b.Max[1], b.Min[2], b.Max[2])
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
		child := "node"
		if ref&soa.RefPacket != 0 {
			child = "packet"
		}
		child += fmt.Sprint(" ", ref.Index(), " ")
		if ref&soa.RefMoving != 0 {
			child += "m"
		}
		if ref&soa.RefStatic != 0 {
			child += "s"
		}
		if key != soa.NoKey {
			child += fmt.Sprintf("  key %#x", key)
		}
		d.line("  lane %d  %s  mask %#x  %s", l, child, mask, bounds(box))
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
		d.line("  lane %d  id %d  %s  mask %#x  %s", l, id, motion, o.Mask, bounds(o.Box))
	}
}

func (d *dumper) ids(ids *soa.IDs) {
	for first := 0; first < ids.Cap(); first += 8 {
		line := fmt.Sprintf("ids %d ", first)
		for id := first; id < min(first+8, ids.Cap()); id++ {
			at := "next -"
			switch where := ids.Where[id]; {
			case ids.Alive(uint32(id)):
				at = fmt.Sprintf("%d/%d", where.Slot(), where.Lane())
			case where != soa.NoLocation:
				at = fmt.Sprint("next ", uint32(where))
			}
			line += fmt.Sprintf(" %s g%d,", at, ids.Gen[id])
		}
		d.line("%s", strings.TrimSuffix(line, ","))
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
