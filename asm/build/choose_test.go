package build_test

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// growthRef is the documented growth of a box as it lies in columns.
func growthRef(c kernel.Columns, box *soa.AABB) float32 {
	var d [3]float32
	for a := range 3 {
		if c[2*a] > box.Min[a] {
			d[a] = c[2*a] - box.Min[a]
		}
		if c[2*a+1] < box.Max[a] {
			d[a] += box.Max[a] - c[2*a+1]
		}
	}
	return (d[0] + d[1]) + d[2]
}

// lengthRef is the documented sum of lengths of a box as it lies in columns.
func lengthRef(c kernel.Columns) float32 {
	var d [3]float32
	for a := range 3 {
		d[a] = float32(math.Abs(float64(c[2*a+1] - c[2*a])))
	}
	return (d[0] + d[1]) + d[2]
}

// chooseChildRef returns the reference that a step follows.
func chooseChildRef(ref soa.Ref, nodes []soa.Node, box *soa.AABB) soa.Ref {
	if ref.IsPacket() {
		return ref
	}
	n := &nodes[ref.Index()]
	best := 0
	for l := range soa.Fan {
		a, b := growthRef(kernel.NodeBox(n, l), box), growthRef(kernel.NodeBox(n, best), box)
		if a < b || a == b && lengthRef(kernel.NodeBox(n, l)) < lengthRef(kernel.NodeBox(n, best)) {
			best = l
		}
	}
	return n.Child[best]
}

// checkChooseSubtree compares a step with the reference.
func checkChooseSubtree(t testing.TB, refs []soa.Ref, nodes []soa.Node, boxes []soa.AABB) {
	t.Helper()
	before := slices.Clone(refs)
	build.ChooseSubtree(refs, nodes, boxes)
	for i, ref := range before {
		if want := chooseChildRef(ref, nodes, &boxes[i]); refs[i] != want {
			t.Fatalf("reference %d of %d, %#x, box %v: goes on to %#x, want %#x", i, len(refs), ref, boxes[i], refs[i], want)
		}
	}
}

// tellApart gives each lane a distinct child; some are packets.
func tellApart(nodes []soa.Node) {
	for i := range nodes {
		for l := range soa.Fan {
			nodes[i].Child[l] = soa.Ref(i*soa.Fan+l)&soa.RefIndex | soa.Ref(l%8)<<29
		}
	}
}

func TestChooseSubtree(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		kernel.EachPlace(t, kernel.Sizes(build.ChoosePerCall), func(t *testing.T, at kernel.Place, n int) {
			for _, kind := range testkit.BoxKinds() {
				nodes := kernel.Put(t, at, kernel.RandomNodes(rng, 1+n/4, kind))
				tellApart(nodes)
				for i := range nodes { // ties
					for range rng.IntN(soa.Fan) {
						kernel.SetNodeBox(&nodes[i], rng.IntN(soa.Fan), kernel.NodeBox(&nodes[i], rng.IntN(soa.Fan)))
					}
				}
				boxes := kernel.Put(t, at, testkit.RandomBoxes(rng, n, kind))
				refs := kernel.Room[soa.Ref](t, at, n)
				for i := range refs {
					refs[i] = soa.Ref(rng.IntN(len(nodes))) | soa.Ref(rng.IntN(4))<<29
					if rng.IntN(5) == 0 {
						refs[i] |= soa.RefPacket | soa.Ref(rng.Uint32())
					}
				}
				checkChooseSubtree(t, refs, nodes, boxes)
			}
		})
	})
}

// leastGrowth is the lane of a step from a node of these boxes.
func leastGrowth(boxes [soa.Fan]kernel.Columns, box soa.AABB) int {
	nodes := make([]soa.Node, 1)
	for l, c := range boxes {
		kernel.SetNodeBox(&nodes[0], l, c)
		nodes[0].Child[l] = soa.PacketRef(uint32(l))
	}
	refs := []soa.Ref{0}
	build.ChooseSubtree(refs, nodes, []soa.AABB{box})
	return int(refs[0].Index())
}

// growing returns the lane that grows by x towards the box of zeros, on the side of a
// column.
func growing(x float32, column int) (c kernel.Columns) {
	c[column] = x
	if column&1 != 0 {
		c[column] = -x
	}
	return c
}

// The step finds the lane of least growth in each lane and on each side, and the first of two.
func TestLeastGrowths(t *testing.T) {
	inf := float32(math.Inf(1))
	testkit.EachTier(t, func(t *testing.T) {
		for _, x := range [][2]float32{
			{0, 1}, {0, math.SmallestNonzeroFloat32}, {math.SmallestNonzeroFloat32, 0x1p-148}, {1, math.Nextafter32(1, 2)},
			{1, inf}, {math.MaxFloat32, inf},
		} {
			for column := range len(kernel.Columns{}) {
				for i := range soa.Fan {
					for j := i; j < soa.Fan; j++ {
						var boxes [soa.Fan]kernel.Columns
						for l := range boxes {
							boxes[l] = growing(x[1], column)
						}
						boxes[i], boxes[j] = growing(x[0], column), growing(x[0], column)
						if got := leastGrowth(boxes, soa.AABB{}); got != i {
							t.Fatalf("column %d: lanes %d and %d grow by %g, the others by %g: lane %d", column, i, j, x[0], x[1], got)
						}
					}
				}
			}
		}
	})
}

// No growth is no growth, with either sign of the zero.
func TestLeastGrowthZeros(t *testing.T) {
	negative := float32(math.Copysign(0, -1))
	zeros := kernel.Columns{negative, 0, negative, 0, negative, 0} // less the box: -0 each
	box := soa.AABB{Max: [3]float32{negative, negative, negative}}
	testkit.EachTier(t, func(t *testing.T) {
		for i := range soa.Fan {
			for j := i + 1; j < soa.Fan; j++ {
				var boxes [soa.Fan]kernel.Columns
				for l := range boxes {
					boxes[l] = growing(1, 0)
				}
				boxes[i], boxes[j] = zeros, kernel.Columns{}
				if got := leastGrowth(boxes, box); got != i {
					t.Fatalf("lane %d grows by -0, %d by 0: lane %d", i, j, got)
				}
				boxes[i], boxes[j] = kernel.Columns{}, zeros
				if got := leastGrowth(boxes, box); got != i {
					t.Fatalf("lane %d grows by 0, %d by -0: lane %d", i, j, got)
				}
			}
		}
	})
}

// reaching returns the lane that holds the box of zeros and is x long on an axis.
func reaching(x float32, axis int) (c kernel.Columns) {
	c[2*axis+1] = x
	if math.IsInf(float64(x), 1) { // its ends are finite
		c[2*axis], c[2*axis+1] = -math.MaxFloat32, math.MaxFloat32
	}
	return c
}

// Of lanes that grow least the step takes the shortest, and the first of two; a lane that grows more is not taken,
// however short.
func TestLeastGrowthLengths(t *testing.T) {
	inf := float32(math.Inf(1))
	testkit.EachTier(t, func(t *testing.T) {
		for _, x := range [][2]float32{
			{0, 1}, {0, math.SmallestNonzeroFloat32}, {1, math.Nextafter32(1, 2)}, {1, inf}, {math.MaxFloat32, inf}, {inf, inf},
		} {
			for axis := range 3 {
				for i := range soa.Fan {
					for j := i; j < soa.Fan; j++ {
						var boxes [soa.Fan]kernel.Columns
						for l := range boxes {
							boxes[l] = reaching(x[1], axis)
							if l < i && (l+j)%2 == 0 || x[0] == x[1] {
								boxes[l] = growing(math.SmallestNonzeroFloat32, l%len(kernel.Columns{}))
							}
						}
						boxes[i], boxes[j] = reaching(x[0], axis), reaching(x[0], axis)
						if got := leastGrowth(boxes, soa.AABB{}); got != i {
							t.Fatalf("axis %d: lanes %d and %d are %g long, the others %g or grow: lane %d", axis, i, j, x[0], x[1], got)
						}
					}
				}
			}
		}
	})
}

// Where all lanes are empty, or grow beyond all numbers, it is the first.
func TestLeastGrowthInfinite(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		var boxes [soa.Fan]kernel.Columns
		for l := range boxes {
			boxes[l] = kernel.EmptyBox
		}
		if got := leastGrowth(boxes, soa.AABB{}); got != 0 {
			t.Errorf("empty lanes: lane %d", got)
		}
		for l := range boxes {
			boxes[l] = kernel.ColumnsOf(testkit.Cube(math.MaxFloat32, math.MaxFloat32, math.MaxFloat32, 0))
		}
		if got := leastGrowth(boxes, testkit.Cube(-math.MaxFloat32, 0, 0, 0)); got != 0 {
			t.Errorf("growths that overflow: lane %d", got)
		}
	})
}

// The sums are (x + y) + z, which round: in the opposite order lane 5 would be the
// least.
func TestLeastGrowthRounds(t *testing.T) {
	var growths, lengths [soa.Fan]kernel.Columns
	for l := range soa.Fan {
		growths[l] = kernel.Columns{1 << 24, 1 << 24, 1, 1, 1, 1}
		lengths[l] = kernel.Columns{0, 1 << 24, 0, 1, 0, 1}
	}
	growths[5] = kernel.Columns{1, 1, 1, 1, 1 << 24, 1 << 24}
	lengths[5] = kernel.Columns{0, 1, 0, 1, 0, 1 << 24}
	testkit.EachTier(t, func(t *testing.T) {
		if got := leastGrowth(growths, soa.AABB{}); got != 0 {
			t.Errorf("growths: lane %d", got)
		}
		if got := leastGrowth(lengths, soa.AABB{}); got != 0 {
			t.Errorf("lengths: lane %d", got)
		}
	})
}

// Too few boxes are misuse.
func TestChooseSubtreePanics(t *testing.T) {
	if testkit.Panic(func() { build.ChooseSubtree(make([]soa.Ref, 2), make([]soa.Node, 1), make([]soa.AABB, 1)) }) == nil {
		t.Error("no panic")
	}
}

// FuzzChooseSubtree reads boxes that are finite, each with the number of its node, and then
// nodes.
func FuzzChooseSubtree(f *testing.F) {
	f.Add([]byte("a box that lies beside sixteen others, in a node or two"), uint8(3), uint8(2))
	f.Add([]byte{0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 128, 63}, uint8(70), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, n, many uint8) {
		in := kernel.Reader(data)
		boxes, refs := make([]soa.AABB, n), make([]soa.Ref, n)
		for i := range boxes {
			x := in.Numbers(6)
			boxes[i] = soa.AABB{Min: [3]float32(x), Max: [3]float32(x[3:])}
			refs[i] = soa.Ref(int(in.Byte()) % (int(many) + 1))
		}
		nodes := make([]soa.Node, int(many)+1)
		tellApart(nodes)
		for i := range nodes {
			for l := range soa.Fan {
				c := kernel.EmptyBox
				if in.Byte() != 0 {
					c = kernel.Columns(in.Numbers(6))
				}
				kernel.SetNodeBox(&nodes[i], l, c)
			}
		}
		kernel.OnTiers(t, func() { checkChooseSubtree(t, slices.Clone(refs), nodes, boxes) })
	})
}

// Boxes that lie in the nodes in random order, as boxes inserted into a cell do.
func BenchmarkChooseSubtree(b *testing.B) {
	micro.Each(b, 512+24+4, func(_ *testing.B, n int) micro.Kernel {
		nodes := kernel.FullNodes(n * soa.Fan)
		boxes := testkit.RandomBoxes(testkit.Rand(2), n, testkit.BoxesSmall)
		from, refs := make([]soa.Ref, n), make([]soa.Ref, n)
		for i, node := range kernel.Shuffled(testkit.Rand(1), n) {
			from[i] = soa.Ref(node)
		}
		return micro.Kernel{Items: n, Item: "box", Bytes: (384 + 64 + 24 + 4) * n, Run: func() {
			copy(refs, from)
			build.ChooseSubtree(refs, nodes, boxes)
			kernel.Sink += uint64(refs[0])
		}}
	})
}
