package kernel

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/guard"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// Sizes are the lengths at which a kernel changes its path: around registers and packets, and around the bound of one
// call.
func Sizes(perCall int) []int {
	s := []int{
		0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129,
		perCall - 1, perCall, perCall + 1, 2*perCall + 17,
	}
	few := testkit.Again(false, true) && cpu.Active == cpu.Go // the same Go code has run at all lengths before
	if few || testkit.RaceEnabled {                           // the detector sees nothing of a kernel
		s = []int{0, 1, 16, 17, 129, perCall + 1, 2*perCall + 17}
	}
	slices.Sort(s)
	return slices.Compact(s)
}

// Place is the kind of memory that a test uses.
type Place int

const (
	Heap Place = iota
	Tail       // ends at a page without access
	Head       // starts after one
)

func (p Place) String() string { return [...]string{"heap", "tail", "head"}[p] }

// Room returns n zero elements in that kind of memory.
func Room[T any](t testing.TB, at Place, n int) []T {
	switch at {
	case Tail:
		return guard.Tail[T](t, n)
	case Head:
		return guard.Head[T](t, n)
	}
	return make([]T, n)
}

// Put returns a copy of the elements in that kind of memory.
func Put[T any](t testing.TB, at Place, from []T) []T {
	to := Room[T](t, at, len(from))
	copy(to, from)
	return to
}

// EachPlace runs body as a subtest for each size and each guarded kind of memory, so that the guarded memory is
// checked and freed after each.
func EachPlace(t *testing.T, sizes []int, body func(t *testing.T, at Place, n int)) {
	for i, n := range sizes {
		for _, at := range []Place{Tail, Head} {
			if at == Head && !testkit.Long(t) && cpu.Active == cpu.Go {
				continue // Go checks its bounds at both ends
			}
			if at == Head && i%testkit.Again(1, 3) != 0 {
				continue
			}
			t.Run(fmt.Sprintf("n=%d/%s", n, at), func(t *testing.T) { body(t, at, n) })
		}
	}
}

// OnTiers runs body on every tier without subtests, for fuzz targets.
func OnTiers(t testing.TB, body func()) {
	for _, tier := range cpu.Available() {
		former, err := cpu.Force(tier)
		if err != nil {
			t.Fatal(err)
		}
		body()
		cpu.Force(former)
		if t.Failed() {
			t.Fatalf("on tier %s", tier)
		}
	}
}

// Columns is a box as it lies in a packet or a node: minx maxx miny maxy …
type Columns [6]float32

// EmptyBox is the box of a free lane.
var EmptyBox = func() (c Columns) {
	for i := range c {
		c[i] = float32(math.Inf(1 - 2*(i&1)))
	}
	return c
}()

// ColumnsOf returns a box as it lies in a packet.
func ColumnsOf(b soa.AABB) (c Columns) {
	for a := range 3 {
		c[2*a], c[2*a+1] = b.Min[a], b.Max[a]
	}
	return c
}

// PacketBox returns the box in a lane of a packet.
func PacketBox(p *soa.Packet, lane int) (c Columns) {
	for i := range c {
		c[i] = p[i][lane]
	}
	return c
}

// SetPacketBox sets the box in a lane of a packet.
func SetPacketBox(p *soa.Packet, lane int, c Columns) {
	for i := range c {
		p[i][lane] = c[i]
	}
}

// NodeBox returns the box in a lane of a node.
func NodeBox(n *soa.Node, lane int) (c Columns) {
	for i := range c {
		c[i] = n.Bounds[i][lane]
	}
	return c
}

// SetNodeBox sets the box in a lane of a node.
func SetNodeBox(n *soa.Node, lane int, c Columns) {
	for i := range c {
		n.Bounds[i][lane] = c[i]
	}
}

// RandomPackets returns n packets of 0 to 16 live lanes.
func RandomPackets(rng *rand.Rand, n int, kind testkit.BoxKind) (packets []soa.Packet, counts []uint8) {
	packets, counts = make([]soa.Packet, n), make([]uint8, n)
	for i := range packets {
		counts[i] = uint8(rng.IntN(soa.Lanes + 1))
		boxes := testkit.RandomBoxes(rng, int(counts[i]), kind)
		for l := range soa.Lanes {
			c := EmptyBox
			if l < len(boxes) {
				c = ColumnsOf(boxes[l])
			}
			SetPacketBox(&packets[i], l, c)
		}
	}
	return packets, counts
}

// RandomNodes returns n nodes whose children are packets and, where one is
// left, nodes of a higher index, each the child of one node only.
func RandomNodes(rng *rand.Rand, n int, kind testkit.BoxKind) []soa.Node {
	flags := [...]soa.Ref{soa.RefMoving, soa.RefStatic, soa.RefFlags}
	nodes := make([]soa.Node, n)
	next := 1
	for i := range nodes {
		live := rng.IntN(soa.Fan + 1)
		boxes := testkit.RandomBoxes(rng, live, kind)
		next = max(next, i+1)
		for l := range soa.Fan {
			if l >= live {
				SetNodeBox(&nodes[i], l, EmptyBox)
				continue
			}
			SetNodeBox(&nodes[i], l, ColumnsOf(boxes[l]))
			nodes[i].Mask[l] = rng.Uint32N(16)
			nodes[i].Child[l] = flags[rng.IntN(len(flags))]
			if next < n && rng.IntN(3) == 0 {
				nodes[i].Child[l] |= soa.Ref(next)
				next++
			} else {
				nodes[i].Child[l] |= soa.RefPacket | soa.Ref(rng.Uint32N(uint32(soa.RefIndex)))
			}
		}
	}
	return nodes
}

// UpTo returns the numbers below n.
func UpTo(n int) (list []uint32) {
	for i := range n {
		list = append(list, uint32(i))
	}
	return list
}

// Shuffled returns the numbers below n in random order.
func Shuffled(rng *rand.Rand, n int) []uint32 {
	list := UpTo(n)
	rng.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// IDRow is the IDs of a packet.
type IDRow = [soa.Lanes]uint32

// RandomIDs returns n slots with 0 to 16 live lanes and an ID in every lane.
func RandomIDs(rng *rand.Rand, n int) (ids []IDRow, counts []uint8) {
	ids, counts = make([]IDRow, n), make([]uint8, n)
	for i := range ids {
		for l := range ids[i] {
			ids[i][l] = rng.Uint32()
		}
		counts[i] = uint8(rng.IntN(soa.Lanes + 1))
	}
	return ids, counts
}

// UnionRef returns the box around two boxes.
func UnionRef(a, b Columns) Columns {
	for i := 0; i < len(a); i += 2 {
		a[i], a[i+1] = min(a[i], b[i]), max(a[i+1], b[i+1])
	}
	return a
}

// OnGo runs body on the tier of the references.
func OnGo(t testing.TB, body func()) {
	t.Helper()
	former, err := cpu.Force(cpu.Go)
	if err != nil {
		t.Fatal(err)
	}
	defer cpu.Force(former)
	body()
}

// SameBits compares rows bit by bit, and returns the index of the first that differs.
func SameBits[T any](a, b []T) (i int, same bool) {
	for i := range a {
		size := int(unsafe.Sizeof(a[i]))
		if !bytes.Equal(unsafe.Slice((*byte)(unsafe.Pointer(&a[i])), size), unsafe.Slice((*byte)(unsafe.Pointer(&b[i])), size)) {
			return i, false
		}
	}
	return 0, true
}
