package build_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

type record = [8]float32

// object is the content of a lane.
type object struct {
	box      kernel.Columns
	id, mask uint32
	moving   bool
}

// The words of a record that are not numbers are written as bits: a float
// register may change them.
func makeRecord(b soa.AABB, mask uint32, flag [4]byte) (r record) {
	copy(r[:], b.Min[:])
	copy(r[3:], b.Max[:])
	*(*uint32)(unsafe.Pointer(&r[6])) = mask
	*(*[4]byte)(unsafe.Pointer(&r[7])) = flag
	return r
}

// randomRecords returns n records whose flag words have bits in all bytes.
func randomRecords(rng *rand.Rand, n int, kind testkit.BoxKind) []record {
	records := make([]record, n)
	for i, b := range testkit.RandomBoxes(rng, n, kind) {
		flag := [4]byte{0, byte(rng.Uint32()), byte(rng.Uint32()), byte(rng.Uint32())}
		if rng.IntN(2) == 0 {
			flag[0] = 1 << rng.IntN(8)
		}
		records[i] = makeRecord(b, rng.Uint32(), flag)
	}
	return records
}

func recordObject(records []record, index uint32) object {
	r := &records[index]
	return object{
		box:    kernel.Columns{r[0], r[3], r[1], r[4], r[2], r[5]},
		id:     index,
		mask:   *(*uint32)(unsafe.Pointer(&r[6])),
		moving: *(*uint8)(unsafe.Pointer(&r[7])) == 0,
	}
}

// packetSource is packets, with a location of one of their lanes for each index of an item.
type packetSource struct {
	soa.PacketColumns
	Locations []soa.Location
}

// filled is packets and the nodes that refer to them.
type filled struct {
	soa.PacketColumns
	Nodes []soa.Node
}

func (c *filled) fillRecords(first int, starts []uint32, items []uint64, records []record) {
	build.FillRecords(&c.PacketColumns, c.Nodes, first, starts, items, records)
}

func (c *filled) fillPackets(first int, starts []uint32, items []uint64, from *packetSource) {
	build.FillPackets(&c.PacketColumns, c.Nodes, first, starts, items, &from.PacketColumns, from.Locations)
}

func (c *filled) reduce(slots []uint32) { build.ReducePackets(&c.PacketColumns, c.Nodes, slots) }

// randomSource returns n packets that are full in every column, and a location of one of their lanes for each of so
// many indices.
func randomSource(t testing.TB, rng *rand.Rand, at kernel.Place, n, indices int, kind testkit.BoxKind) *packetSource {
	s := &packetSource{Locations: kernel.Room[soa.Location](t, at, indices)}
	s.Bounds, s.IDs, s.Masks = kernel.Room[soa.Packet](t, at, n), kernel.Room[kernel.IDRow](t, at, n), kernel.Room[kernel.IDRow](t, at, n)
	s.Moving = kernel.Room[uint16](t, at, n+1)[:n]
	for i := range s.Bounds {
		for l, b := range testkit.RandomBoxes(rng, soa.Lanes, kind) {
			kernel.SetPacketBox(&s.Bounds[i], l, kernel.ColumnsOf(b))
			s.IDs[i][l], s.Masks[i][l] = rng.Uint32(), rng.Uint32()
		}
		s.Moving[i] = uint16(rng.Uint32())
	}
	for i := range s.Locations {
		s.Locations[i] = soa.Location(rng.Uint32N(uint32(n * soa.Lanes)))
	}
	return s
}

func sourceObject(s *packetSource, index uint32) object {
	slot, lane := s.Locations[index]/soa.Lanes, s.Locations[index]%soa.Lanes
	return object{
		box:    kernel.PacketBox(&s.Bounds[slot], int(lane)),
		id:     s.IDs[slot][lane],
		mask:   s.Masks[slot][lane],
		moving: s.Moving[slot]>>lane&1 != 0,
	}
}

// makeColumns returns columns of n slots full of rubbish. Owners are taken from
// the end: one in eight slots has none.
func makeColumns(t testing.TB, at kernel.Place, n int) *filled {
	c := &filled{Nodes: kernel.Room[soa.Node](t, at, (n+soa.Fan-1)/soa.Fan)}
	c.Bounds, c.IDs, c.Masks = kernel.Room[soa.Packet](t, at, n), kernel.Room[kernel.IDRow](t, at, n), kernel.Room[kernel.IDRow](t, at, n)
	c.Moving, c.Counts, c.Parents = kernel.Room[uint16](t, at, n), kernel.Room[uint8](t, at, n), kernel.Room[soa.Up](t, at, n)
	for i := range n {
		for l := range soa.Lanes {
			kernel.SetPacketBox(&c.Bounds[i], l, kernel.Columns{7, 7, 7, 7, 7, 7})
			c.IDs[i][l], c.Masks[i][l] = 7, 7
		}
		c.Moving[i], c.Counts[i] = 0x5555, 77
		c.Parents[i] = soa.Up(n - 1 - i)
		if i%8 == 5 {
			c.Parents[i] = soa.NoParent
		}
	}
	for i := range c.Nodes {
		for l := range soa.Fan {
			kernel.SetNodeBox(&c.Nodes[i], l, kernel.Columns{9, 9, 9, 9, 9, 9})
			c.Nodes[i].Child[l], c.Nodes[i].Mask[l] = 9, 9
		}
	}
	return c
}

func cloneColumns(c *filled) *filled {
	d := &filled{Nodes: slices.Clone(c.Nodes)}
	d.Bounds, d.IDs, d.Masks = slices.Clone(c.Bounds), slices.Clone(c.IDs), slices.Clone(c.Masks)
	d.Moving, d.Counts, d.Parents = slices.Clone(c.Moving), slices.Clone(c.Counts), slices.Clone(c.Parents)
	return d
}

// randomItems cuts items into n runs of 0 to 16, or all of that many lanes, and
// leaves some items before and after them. Bits 31 to 63 of an item are rubbish.
func randomItems(rng *rand.Rand, n, lanes, indices int) (starts []uint32, items []uint64) {
	at := rng.IntN(3)
	starts = []uint32{uint32(at)}
	for range n {
		k := lanes
		if lanes < 0 {
			k = rng.IntN(soa.Lanes + 1)
			if rng.IntN(2) == 0 {
				k = soa.Lanes
			}
		}
		at += k
		starts = append(starts, uint32(at))
	}
	items = make([]uint64, at+rng.IntN(3))
	for i := range items {
		items[i] = rng.Uint64()&^(1<<31-1) | rng.Uint64N(uint64(indices))
	}
	return starts, items
}

// fillRef writes one slot after the other.
func fillRef(c *filled, first int, starts []uint32, items []uint64, load func(index uint32) object) {
	for i, start := range starts[:len(starts)-1] {
		slot := first + i
		c.IDs[slot], c.Masks[slot], c.Moving[slot] = kernel.IDRow{}, kernel.IDRow{}, 0
		for l := range soa.Lanes {
			kernel.SetPacketBox(&c.Bounds[slot], l, kernel.EmptyBox)
		}
		union, or, flags := kernel.EmptyBox, uint32(0), soa.Ref(0)
		for l, item := range items[start:starts[i+1]] {
			o := load(uint32(item & (1<<31 - 1)))
			kernel.SetPacketBox(&c.Bounds[slot], l, o.box)
			c.IDs[slot][l], c.Masks[slot][l] = o.id, o.mask
			union = kernel.UnionRef(union, o.box)
			or |= o.mask
			if o.moving {
				c.Moving[slot] |= 1 << l
				flags |= soa.RefMoving
			} else {
				flags |= soa.RefStatic
			}
		}
		c.Counts[slot] = uint8(starts[i+1] - start)
		if owner := c.Parents[slot]; owner != soa.NoParent {
			node, lane := &c.Nodes[owner.Node()], owner.Lane()
			kernel.SetNodeBox(node, lane, union)
			node.Mask[lane] = or
			node.Child[lane] = soa.PacketRef(uint32(slot)) | flags
		}
	}
}

func samePackets(t testing.TB, got, want []soa.Packet) {
	t.Helper()
	for i := range want {
		for c := range want[i] {
			for l, x := range want[i][c] {
				if math.Float32bits(got[i][c][l]) != math.Float32bits(x) {
					t.Fatalf("slot %d, column %d, lane %d: %v, want %v", i, c, l, got[i][c][l], x)
				}
			}
		}
	}
}

// sameNodes compares nodes; a zero of a tight box may have either sign.
func sameNodes(t testing.TB, got, want []soa.Node) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("node %d: %x, want %x", i, got[i], want[i])
		}
	}
}

func sameColumn[T comparable](t testing.TB, name string, got, want []T) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s of slot %d: %v, want %v", name, i, got[i], want[i])
		}
	}
}

func sameColumns(t testing.TB, got, want *filled) {
	t.Helper()
	samePackets(t, got.Bounds, want.Bounds)
	sameColumn(t, "IDs", got.IDs, want.IDs)
	sameColumn(t, "Masks", got.Masks, want.Masks)
	sameColumn(t, "Moving", got.Moving, want.Moving)
	sameColumn(t, "Counts", got.Counts, want.Counts)
	sameColumn(t, "PacketParents", got.Parents, want.Parents)
	sameNodes(t, got.Nodes, want.Nodes)
}

func checkRecords(t testing.TB, at kernel.Place, first int, starts []uint32, items []uint64, records []record) {
	t.Helper()
	got := makeColumns(t, at, first+len(starts)-1)
	want := cloneColumns(got)
	got.fillRecords(first, starts, items, records)
	fillRef(want, first, starts, items, func(index uint32) object { return recordObject(records, index) })
	sameColumns(t, got, want)
}

func checkFillPackets(t testing.TB, at kernel.Place, first int, starts []uint32, items []uint64, from *packetSource) {
	t.Helper()
	got := makeColumns(t, at, first+len(starts)-1)
	want := cloneColumns(got)
	got.fillPackets(first, starts, items, from)
	fillRef(want, first, starts, items, func(index uint32) object { return sourceObject(from, index) })
	sameColumns(t, got, want)
}

func TestFillRecordsGuard(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, kernel.Sizes(build.FillPerCall), func(t *testing.T, at kernel.Place, n int) {
			for _, lanes := range []int{-1, 16, 1} {
				starts, items := randomItems(rng, n, lanes, 50)
				records := kernel.Put(t, at, randomRecords(rng, 50, testkit.BoxesSmall))
				checkRecords(t, at, n%3, kernel.Put(t, at, starts), kernel.Put(t, at, items), records)
			}
		})
	})
}

func TestFillPacketsGuard(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, kernel.Sizes(build.FillPerCall), func(t *testing.T, at kernel.Place, n int) {
			for _, lanes := range []int{-1, 16, 1} {
				starts, items := randomItems(rng, n, lanes, 50)
				from := randomSource(t, rng, at, 1+n%4, 50, testkit.BoxesSmall)
				checkFillPackets(t, at, n%3, kernel.Put(t, at, starts), kernel.Put(t, at, items), from)
			}
		})
	})
}

// A fill prefetches so large a source: packets of items ahead, up to the last one.
func TestFillPacketsAhead(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, []int{1, 2, 3, 4, 9}, func(t *testing.T, at kernel.Place, n int) {
			starts, items := randomItems(rng, n, soa.Lanes, 50)
			from := randomSource(t, rng, at, build.CachedSlots+1, 50, testkit.BoxesSmall)
			checkFillPackets(t, at, 0, kernel.Put(t, at, starts), kernel.Put(t, at, items), from)
		})
	})
}

// Boxes of every kind and packets of every number of lanes.
func TestFillLanes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		for _, kind := range testkit.BoxKinds() {
			for lanes := range soa.Lanes + 1 {
				starts, items := randomItems(rng, 20, lanes, 300)
				checkRecords(t, kernel.Heap, 2, starts, items, randomRecords(rng, 300, kind))
				checkFillPackets(t, kernel.Heap, 2, starts, items, randomSource(t, rng, kernel.Heap, 20, 300, kind))
			}
		}
	})
}

// All lanes moving, all static, and none live: the flags of the reference.
func TestFillFlags(t *testing.T) {
	box := soa.AABB{Min: [3]float32{-1, -2, -3}, Max: [3]float32{1, 2, 3}}
	testkit.EachTier(t, func(t *testing.T) {
		for lanes := range soa.Lanes + 1 {
			for odd := range lanes + 1 { // the lane that differs, or none
				for _, flag := range []byte{0, 1} {
					records := make([]record, max(lanes, 1))
					items := make([]uint64, lanes)
					for i := range items {
						f := flag
						if i == odd {
							f = 1 - flag
						}
						records[i], items[i] = makeRecord(box, 1<<i, [4]byte{f}), uint64(i)
					}
					checkRecords(t, kernel.Heap, 0, []uint32{0, uint32(lanes)}, items, records)
				}
			}
		}
	})
	for _, c := range []struct {
		moving uint16
		n      int
		want   soa.Ref
	}{
		{0, 0, 0}, {0xffff, 0, 0}, {0, 3, soa.RefStatic}, {7, 3, soa.RefMoving}, {5, 3, soa.RefFlags},
		{8, 3, soa.RefStatic}, {0xffff, 16, soa.RefMoving}, {0x7fff, 16, soa.RefFlags}, {0, 16, soa.RefStatic},
	} {
		if got := build.RefFlags(c.moving, c.n); got != c.want {
			t.Errorf("RefFlags(%#x, %d) = %#x, want %#x", c.moving, c.n, got, c.want)
		}
	}
}

// Every misuse that the wrappers can detect is a panic, before anything is written.
func TestFillPanics(t *testing.T) {
	columns := func(n int) *filled { return makeColumns(t, kernel.Heap, n) }
	short := columns(2)
	short.Counts = short.Counts[:1]
	rng := testkit.Rand(1)
	source := func() *packetSource { return randomSource(t, rng, kernel.Heap, 2, 4, testkit.BoxesSmall) }
	few, tight := source(), source()
	few.IDs = few.IDs[:1]
	tight.Moving = slices.Clip(tight.Moving)
	records, items := randomRecords(rng, 4, testkit.BoxesSmall), make([]uint64, 4)
	for name, f := range map[string]func(){
		"no starts":      func() { columns(2).fillRecords(0, nil, items, records) },
		"negative first": func() { columns(2).fillRecords(-1, []uint32{0, 1}, items, records) },
		"too far":        func() { columns(2).fillRecords(2, []uint32{0, 1}, items, records) },
		"overflow":       func() { columns(2).fillRecords(math.MaxInt, []uint32{0, 1}, items, records) },
		"short column":   func() { short.fillRecords(0, []uint32{0, 1, 2}, items, records) },
		"few items":      func() { columns(2).fillRecords(0, []uint32{0, 5}, items, records) },
		"source column":  func() { columns(2).fillPackets(0, []uint32{0, 1}, items, few) },
		"source slack":   func() { columns(2).fillPackets(0, []uint32{0, 1}, items, tight) },
	} {
		if testkit.Panic(f) == nil {
			t.Errorf("%s: no panic", name)
		}
	}
}

// reduceRef is the documented union, lane by lane.
func reduceRef(nodes []soa.Node, up []soa.Up, list []uint32) {
	for _, i := range list {
		parent, lane := &nodes[up[i].Node()], up[i].Lane()
		union, or, flags := kernel.EmptyBox, uint32(0), soa.Ref(0)
		for l := range soa.Fan {
			union = kernel.UnionRef(union, kernel.NodeBox(&nodes[i], l))
			or |= nodes[i].Mask[l]
			flags |= nodes[i].Child[l].Flags()
		}
		kernel.SetNodeBox(parent, lane, union)
		parent.Mask[lane] = or
		parent.Child[lane] = soa.Ref(i) | flags
	}
}

// checkReduce compares ReduceNodes, and single calls of its kernel, with the
// reference.
func checkReduce(t testing.TB, at kernel.Place, nodes []soa.Node, up []soa.Up, list []uint32) {
	t.Helper()
	want := slices.Clone(nodes)
	reduceRef(want, up, list)
	got := kernel.Put(t, at, nodes)
	build.ReduceNodes(got, up, list)
	sameNodes(t, got, want)
	got = kernel.Put(t, at, nodes)
	for list := range slices.Chunk(list, build.ReducePerCall) {
		build.ReduceNodesCall(got, up, kernel.Put(t, at, list))
	}
	sameNodes(t, got, want)
}

// A full tree, a chain in which each node depends on the previous one, and a star in which all write to the root.
func TestReduceGuard(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	parents := []func(i int) int{
		func(i int) int { return (i - 1) / soa.Fan },
		func(i int) int { return i - 1 },
		func(int) int { return 0 },
	}
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, kernel.Sizes(build.ReducePerCall), func(t *testing.T, at kernel.Place, n int) {
			for _, kind := range testkit.AgainOne(rng, testkit.BoxKinds()) {
				for _, parent := range parents {
					nodes := kernel.RandomNodes(rng, n+1, kind)
					up, list := kernel.Room[soa.Up](t, at, n+1), kernel.Room[uint32](t, at, n)
					up[0] = soa.NoParent
					for i := 1; i <= n; i++ {
						up[i] = soa.MakeUp(uint32(parent(i)), i%soa.Fan)
						list[n-i] = uint32(i)
					}
					checkReduce(t, at, nodes, up, list)
				}
			}
		})
	})
}

func TestFillAllocations(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	starts, items := randomItems(rng, 300, -1, 50)
	records, from := randomRecords(rng, 50, testkit.BoxesSmall), randomSource(t, rng, kernel.Heap, 9, 50, testkit.BoxesSmall)
	out := makeColumns(t, kernel.Heap, 300)
	nodes, up, list := kernel.RandomNodes(rng, 9, testkit.BoxesSmall), make([]soa.Up, 9), []uint32{8, 7, 6, 5, 4, 3, 2, 1}
	testkit.EachTier(t, func(t *testing.T) {
		testkit.Allocs(t, 10, func() {
			out.fillRecords(0, starts, items, records)
			out.fillPackets(0, starts, items, from)
			build.ReduceNodes(nodes, up, list)
		})
	})
}
