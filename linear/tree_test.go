package linear_test

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// edgeSizes are the sizes around the capacities of packets and nodes.
var edgeSizes = []int{0, 1, 7, 8, 9, 15, 16, 17, 127, 128, 129, 1000}

// Short names for common calls of tests.
var (
	newTree = trees.New
	insert  = trees.Insert
	rebuild = trees.Rebuild
	cube    = testkit.Cube
	must    = testkit.Must
)

// panics fails the test unless f, which what names, panics.
func panics(t testing.TB, what string, f func()) {
	t.Helper()
	if testkit.Panic(f) == nil {
		t.Errorf("%s did not panic", what)
	}
}

// check validates the tree and compares every object with its inserted value.
func check(t testing.TB, tree *linear.Tree, ids []uint32, objects []soa.Object) {
	t.Helper()
	must(t, tree.Validate())
	if tree.Len() != len(objects) || tree.View().Len() != len(objects) {
		t.Fatalf("Len %d, View.Len %d, want %d", tree.Len(), tree.View().Len(), len(objects))
	}
	for i, id := range ids {
		if o, ok := tree.Object(id); !ok || o != objects[i] {
			t.Fatalf("object %d is %+v, %v; want %+v", id, o, ok, objects[i])
		}
	}
}

func TestBuildEveryScene(t *testing.T) {
	sizes := append(testkit.Budget(t, []int{10_000}, []int{20_000, 100_000}), edgeSizes...)
	testkit.EachTier(t, func(t *testing.T) {
		for i, sc := range testkit.Scenes() {
			if !testkit.OfTier(t, i/3) { // each tier has all sizes
				continue
			}
			for _, n := range testkit.Turn(t, i, sizes) {
				t.Run(fmt.Sprintf("%s/n=%d", sc.Name, n), func(t *testing.T) {
					objects := sc.Make(n, testkit.Seed(t))
					tree := newTree(t, linear.Config{})
					ids := insert(t, tree, objects)
					for i, id := range ids {
						if id != uint32(i) {
							t.Fatalf("object %d of a new tree has ID %d", i, id)
						}
					}
					check(t, tree, ids, objects)
					for _, frozen := range []bool{true, false, true} {
						rebuild(t, tree, frozen)
						check(t, tree, ids, objects)
					}
				})
			}
		}
	})
}

// CellOf of a key returns the packets that hold the objects with this key.
func TestFind(t *testing.T) {
	for i, sc := range testkit.Scenes() {
		for _, n := range testkit.Turn(t, i, append([]int{5000}, edgeSizes...)) {
			for _, frozen := range []bool{false, true} {
				objects := sc.Make(n, 3)
				tree := newTree(t, linear.Config{})
				insert(t, tree, objects)
				rebuild(t, tree, frozen)
				v := tree.View()
				if n == 0 {
					if _, ok := v.CellOf(0); ok {
						t.Fatal("Find in an empty tree")
					}
					continue
				}
				for i, o := range objects {
					key := tree.Key(o.Box)
					slots, ok := v.CellOf(key)
					if !ok || !inRun(v, slots, uint32(i), uint64(key)) {
						t.Fatalf("%s n=%d frozen=%v: object %d with key %v is not at its home %d", sc.Name, n, frozen, i, key, slots)
					}
				}
				for _, key := range []morton.Key{0, morton.MaxKey} {
					if slots, ok := v.CellOf(key); !ok || int(slots.End) > v.Slots() || slots.First >= slots.End {
						t.Fatalf("Find(%v) = %d, %v", key, slots, ok)
					}
				}
			}
		}
	}
}

// inRun searches an object in the cell of its key, and before it in cells with the same key.
func inRun(v linear.View, slots soa.Span, id uint32, key uint64) bool {
	n := &v.Store().Nodes
	for {
		for slot := slots.First; slot < slots.End; slot++ {
			if slices.Contains(v.IDs(slot), id) {
				return true
			}
		}
		if slots.First == 0 {
			return false
		}
		slots = soa.Span{First: slots.First - 1, End: slots.First}
		for node := range n.Cells {
			if span := n.Slots[node]; n.Cells[node] != soa.NoSpan && span.First < slots.End && slots.End <= span.End && n.Cells[node].High < key {
				return false
			}
		}
	}
}

func TestCells(t *testing.T) {
	for _, sc := range testkit.Scenes() {
		for _, n := range append([]int{5000}, edgeSizes...) {
			tree := newTree(t, linear.Config{})
			insert(t, tree, sc.Make(n, 3))
			st := tree.Stats()
			v := tree.View()
			count, packets := 0, 0
			next := uint64(0)
			for c := range tree.Cells() {
				count += c.Count
				packets += c.Packets
				keys := v.Store().Nodes.Cells[c.Node]
				if !c.Prefix.Contains(morton.Key(keys.Low)) || !c.Prefix.Contains(morton.Key(keys.High)) {
					t.Fatalf("%s n=%d: cell %v does not hold keys %v to %v", sc.Name, n, c.Prefix, keys.Low, keys.High)
				}
				if keys.Low < next {
					t.Fatalf("%s n=%d: cells are not in the order of keys", sc.Name, n)
				}
				next = keys.High
				for slot := c.Slots.First; slot < c.Slots.End; slot++ {
					for l := range v.IDs(slot) {
						b := v.Box(slot, l)
						if !c.Tight.Contains(b) {
							t.Fatalf("%s n=%d: box %v outside the tight box %v", sc.Name, n, b, c.Tight)
						}
						ctr := b.Center()
						if p := (soa.AABB{Min: ctr, Max: ctr}); tree.World().Inside(ctr) && !c.Box.Contains(p) {
							t.Fatalf("%s n=%d: centre %v outside the cell %v", sc.Name, n, ctr, c.Box)
						}
					}
				}
			}
			if count != st.Objects || packets != st.Packets {
				t.Fatalf("%s n=%d: cells hold %d objects in %d packets; stats say %d, %d", sc.Name, n, count, packets, st.Objects, st.Packets)
			}
			count, packets, deepest := 0, 0, 0
			for p := range tree.Packets() {
				count += p.Count
				packets++
				deepest = max(deepest, p.Depth)
				for l := range v.IDs(p.Slot) {
					if b := v.Box(p.Slot, l); !p.Tight.Contains(b) || !p.Stay.Contains(b) {
						t.Fatalf("%s n=%d: box %v outside the tight box %v or the home box %v", sc.Name, n, b, p.Tight, p.Stay)
					}
				}
			}
			if count != st.Objects || packets != st.Packets || deepest != st.Depth {
				t.Fatalf("%s n=%d: %d objects in %d packets down to %d; stats say %d, %d, %d",
					sc.Name, n, count, packets, deepest, st.Objects, st.Packets, st.Depth)
			}
		}
	}
}

// snapshot copies the visible contents of a view.
func snapshot(s *soa.Store) any {
	p := &s.Packets
	return []any{
		append([]soa.Node(nil), s.Nodes.Hot...), append([]soa.Packet(nil), p.Bounds...),
		append([][soa.Lanes]uint32(nil), p.IDs...), append([][soa.Lanes]uint32(nil), p.Masks...),
		append([]uint16(nil), p.Moving...), append([]uint8(nil), p.Counts...), append([]soa.AABB(nil), p.PlacementBoxes...),
		s.Count, s.Extent,
	}
}

func TestProgress(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, testkit.SceneByName(t, "uniform").Make(100_000, 1))
	phase, share := linear.PhaseEncode, 0.0
	seen := map[string]bool{}
	err := tree.Rebuild(nil, linear.RebuildOptions{Progress: func(p linear.Phase, s float64) {
		if p < phase || p == phase && s < share || s < 0 || s > 1 {
			t.Errorf("progress went from %v %.2f to %v %.2f", phase, share, p, s)
		}
		phase, share = p, s
		seen[p.String()] = true
	}})
	must(t, err)
	if phase != linear.PhaseFill || share != 1 || len(seen) != 4 {
		t.Errorf("progress ended at %v %.2f after the phases %v", phase, share, seen)
	}
}

// The tree does not depend on the number of workers, nor on the tier.
func TestSameTreeEverywhere(t *testing.T) {
	for _, sc := range testkit.Scenes() {
		objects := sc.Make(testkit.Budget(t, 1_000, 30_000), 5)
		var want any
		for _, workers := range []int{1, 2, 3, 8} {
			testkit.EachTier(t, func(t *testing.T) {
				tree := newTree(t, linear.Config{Workers: workers})
				insert(t, tree, objects)
				rebuild(t, tree, true)
				got := snapshot(tree.View().Store())
				if want == nil {
					want = got
				} else if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %d workers built another tree", sc.Name, workers)
				}
			})
		}
	}
}

func TestRebuildAllocatesNothing(t *testing.T) {
	for _, frozen := range []bool{false, true} {
		tree := newTree(t, linear.Config{Workers: 1})
		insert(t, tree, testkit.SceneByName(t, "city").Make(50_000, 1))
		for range 2 { // two stores take turns
			rebuild(t, tree, frozen)
		}
		ctx := context.Background()
		testkit.Allocs(t, 10, func() {
			if err := tree.Rebuild(ctx, linear.RebuildOptions{Frozen: frozen}); err != nil {
				t.Error(err)
			}
		})
	}
}

// The memory of a frozen tree of a million objects, from its own slices.
func TestFrozenMemory(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("builds a million objects")
	}
	for _, name := range testkit.Budget(t, nil, []string{"uniform", "city", "surface"}) {
		const n = 1_000_000
		tree := newTree(t, linear.Config{})
		insert(t, tree, testkit.SceneByName(t, name).Make(n, 1))
		rebuild(t, tree, true)
		st := tree.Stats()
		t.Logf("%s: %v", name, st)
		if hot := float64(st.Hot()) / n; hot > 34 {
			t.Errorf("%s: bounds, IDs and hot nodes take %.2f bytes an object, want at most 34", name, hot)
		}
		if live := float64(st.LiveBytes()) / n; live > 50 {
			t.Errorf("%s: everything live takes %.2f bytes an object, want at most 50", name, live)
		}
	}
}

func TestStats(t *testing.T) {
	tree := newTree(t, linear.Config{})
	if st := tree.Stats(); st.Objects != 0 || st.LiveBytes() != 0 || st.Depth != 0 {
		t.Errorf("an empty tree has %+v", st)
	}
	insert(t, tree, testkit.SceneByName(t, "city").Make(10_000, 1))
	st := tree.Stats()
	if st.Objects != 10_000 || st.Fill < 0.5 || st.Fill > 1 || st.NodeFill < 0.3 || st.NodeFill > 1 || st.Depth < 2 {
		t.Errorf("odd statistics: %+v", st)
	}
	if s := st.String(); !strings.Contains(s, "10000 objects") {
		t.Errorf("String: %s", s)
	}
	if v := st.LogValue(); v.Kind() != slog.KindGroup || len(v.Group()) == 0 {
		t.Errorf("LogValue: %v", v)
	}
	if st.Scratch == 0 {
		t.Error("a build left no scratch")
	}
	tree.Trim()
	if s := tree.Stats().Scratch; s > 16<<10 { // the tables of an unused sorter
		t.Errorf("%d bytes of scratch after Trim", s)
	}
	rebuild(t, tree, true)
	if err := tree.Validate(); err != nil {
		t.Error(err)
	}
}

// A view becomes stale with the next change.
func TestStaleView(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(100, 1)
	panics(t, "the zero View", func() { linear.View{}.Len() })
	tree := newTree(t, linear.Config{})
	insert(t, tree, objects[:50])
	v := tree.View()
	insert(t, tree, objects[50:])
	if text := said(func() { v.Len() }); !strings.Contains(text, "call View after each change, or keep a version of a Publisher") {
		t.Errorf("a view from before an insertion says %q", text)
	}
	v = tree.View()
	rebuild(t, tree, false)
	panics(t, "a view from before a rebuild", func() { v.Len() })
	v = tree.View()
	rebuild(t, tree, false)
	rebuild(t, tree, false)
	panics(t, "a view from two rebuilds ago", func() { v.Len() })

	// No view becomes valid again: versions of both stores increase.
	r := testkit.Rand(testkit.Seed(t))
	var old []linear.View
	for range 60 {
		for i, v := range old {
			panics(t, fmt.Sprintf("view %d of %d", i, len(old)), func() { v.Len() })
		}
		old = append(old, tree.View())
		switch r.IntN(3) {
		case 0:
			rebuild(t, tree, false)
		case 1:
			for id := range 1 + r.Uint32N(5) {
				must(t, tree.SetMask(id, id))
				old = append(old, tree.View())
			}
			must(t, tree.SetMask(9, 1))
		case 2:
			must(t, tree.Flush())
			must(t, tree.SetMask(3, 1))
		}
	}
}

// The compiler keeps values of up to four fields in registers. A fifth field costs each small query 10 ns.
func TestViewInRegisters(t *testing.T) {
	if n := reflect.TypeFor[linear.View]().NumField(); n > 4 {
		t.Errorf("a view has %d fields", n)
	}
}

// A small tree takes little memory, including buffers: many programs have thousands of them. The memory of a
// tree with spare room depends on the number of slots of its nodes; with those of two full nodes it takes at most
// the memory of a frozen tree.
func TestSmallTreeMemory(t *testing.T) {
	const n, most = 200, 20_000
	for _, scene := range []string{"uniform", "city", "surface", "points", "identical"} {
		objects := sceneOf(t, scene, n)
		for _, frozen := range []bool{false, true} {
			tree := newTree(t, linear.Config{Frozen: frozen})
			insert(t, tree, objects)
			s := tree.Stats()
			total := s.LiveBytes() + s.Slack + s.Scratch
			t.Logf("%s, frozen %v: %d bytes live, %d slack, %d scratch, %d in all", scene, frozen, s.LiveBytes(), s.Slack, s.Scratch, total)
			if s.Scratch > most/2 {
				t.Errorf("%s, frozen %v: %d bytes of buffers", scene, frozen, s.Scratch)
			}
			if (frozen || s.Slots <= 2*soa.Fan) && total > most {
				t.Errorf("%s, frozen %v: %d bytes in %d slots", scene, frozen, total, s.Slots)
			}
		}
	}
}

// A rebuild leaves room for later objects, also in the memory of an earlier rebuild: the first inserted objects
// do not copy the tree.
func TestRebuildLeavesRoom(t *testing.T) {
	objects := sceneOf(t, "uniform", 20_000)
	tree := newTree(t, linear.Config{Policy: linear.PolicyIncremental})
	insert(t, tree, objects[:10_000])
	for at := 10_000; at < len(objects); at += 100 {
		rebuild(t, tree, false)
		before := unsafe.SliceData(tree.View().Store().Packets.Bounds)
		insert(t, tree, objects[at:at+100])
		must(t, tree.Flush())
		if after := unsafe.SliceData(tree.View().Store().Packets.Bounds); after != before {
			t.Fatalf("100 objects that came to %d copied the tree", at)
		}
	}
	valid(t, tree)
}

// A tree that is built frozen equals the result of a frozen rebuild, and accepts changes.
func TestFrozenAtOnce(t *testing.T) {
	for _, sc := range testkit.Scenes() {
		objects := sc.Make(5000, 1)
		tree := newTree(t, linear.Config{Frozen: true})
		ids := insert(t, tree, objects)
		check(t, tree, ids, objects)
		if st := tree.Stats(); !st.Frozen || st.Slots > 8+5000/13 {
			t.Errorf("%s: frozen %v, %d slots", sc.Name, st.Frozen, st.Slots)
		}
		for i := range 200 {
			if _, err := tree.Insert(objects[i]); err != nil {
				t.Fatal(err)
			}
			must(t, tree.Move(ids[i], objects[i+1].Box))
			objects[i].Box = objects[i+1].Box
			if i%20 == 0 {
				tick(t, tree)
				valid(t, tree)
			}
		}
		tick(t, tree)
		for i, id := range ids {
			if o, ok := tree.Object(id); !ok || o != objects[i] {
				t.Fatalf("%s: object %d is %v, %v", sc.Name, id, o, ok)
			}
		}
		valid(t, tree)
	}
}

// If many objects have one key, a frozen tree has full packets, and one for the remainder.
func TestEqualKeysFillPackets(t *testing.T) {
	sizes := testkit.Budget(t, []int{1, 17, 258, 4098, 5000}, edgeSizes)
	r := testkit.Rand(testkit.Seed(t))
	for range testkit.Budget(t, 4, 64) {
		sizes = append(sizes, 1+r.IntN(20_000))
	}
	for _, n := range append(sizes, 258, 4098, 8226, 16_418) {
		objects := make([]soa.Object, n)
		for i := range objects {
			objects[i].Box = cube(1, 2, 3, 1)
		}
		tree := newTree(t, linear.Config{Frozen: true, Cut: linear.CutCurve})
		insert(t, tree, objects)
		valid(t, tree)
		if got, want := tree.Stats().Packets, (n+soa.Lanes-1)/soa.Lanes; got != want {
			t.Errorf("%d equal objects are in %d packets, want %d", n, got, want)
		}
	}
}

// A frozen tree that is split in space has cells of up to 4,096 objects, one cell if they fit; along the
// curve, and in a tree with room, a cell is a node of packets.
func TestFrozenCells(t *testing.T) {
	const most = 1 << 12
	objects := sceneOf(t, "uniform", most+1)
	for _, n := range []int{most, most + 1} {
		for _, x := range []struct {
			opt   linear.RebuildOptions
			large bool
		}{
			{linear.RebuildOptions{Frozen: true, Cut: linear.CutSpace}, true},
			{linear.RebuildOptions{Frozen: true, Cut: linear.CutCurve}, false},
			{linear.RebuildOptions{Cut: linear.CutSpace}, false},
		} {
			tree := newTree(t, linear.Config{})
			insert(t, tree, objects[:n])
			must(t, tree.Rebuild(nil, x.opt))
			cells, largest := 0, 0
			for c := range tree.Cells() {
				cells++
				largest = max(largest, c.Count)
			}
			if x.large && (largest > most || cells > 16 || (n == most) != (cells == 1)) || !x.large && largest > soa.Fan*soa.Lanes {
				t.Errorf("%d objects, %+v: %d cells, the largest of %d", n, x.opt, cells, largest)
			}
		}
	}
}
