package cull_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// visibleBox returns a box as seen through a lens: of any size, near or far, in the middle or at the border of
// the picture, flat, behind the eye, without end or no number.
func visibleBox(rng *rand.Rand, ref, x, y, depth [3]float64, parallel bool, width, height float64, wild bool) (c kernel.Columns) {
	// the point of the picture, and its depth
	var u, v float64
	switch rng.IntN(4) {
	case 0: // at a border, to the last half pixel
		u, v = []float64{0, width}[rng.IntN(2)]+rng.NormFloat64()/2, rng.Float64()*height
	case 1:
		u, v = rng.Float64()*width, []float64{0, height}[rng.IntN(2)]+rng.NormFloat64()/2
	default:
		u, v = (rng.Float64()*1.4-0.2)*width, (rng.Float64()*1.4-0.2)*height
	}
	t := math.Pow(10, -2+4*rng.Float64())
	switch rng.IntN(20) {
	case 0:
		t = -t
	case 1:
		t = 0
	}
	cx, cy, cw, ok := solve(x, y, depth)
	if !ok {
		return kernel.EmptyBox
	}
	size := math.Abs(t) * math.Pow(10, -4+4.5*rng.Float64())
	flat := rng.IntN(8)
	for a := range 3 {
		var at float64
		if parallel {
			at = ref[a] + u*cx[a] + v*cy[a] + t*cw[a]
		} else {
			at = ref[a] + t*(u*cx[a]+v*cy[a]+cw[a])
		}
		h := size * rng.Float64()
		if flat == a || flat == 3 {
			h = 0
		}
		c[2*a], c[2*a+1] = float32(at-h), float32(at+h)
	}
	if !wild {
		for i := range c {
			c[i] = min(max(c[i], -1e6), 1e6)
		}
		return c
	}
	switch rng.IntN(40) {
	case 0:
		c[2*rng.IntN(3)] = float32(math.Inf(-1))
	case 1:
		c[2*rng.IntN(3)+1] = float32(math.Inf(1))
	case 2:
		c[1+rng.IntN(5)] = float32(math.NaN())
	case 3:
		c[rng.IntN(6)] = math.MaxFloat32
	case 4:
		c[rng.IntN(6)] = -math.MaxFloat32
	case 5:
		for i := range c {
			c[i] = float32(math.Inf(2*(i&1) - 1))
		}
	}
	return c
}

// solve returns the columns of the inverse.
func solve(x, y, w [3]float64) (cx, cy, cw [3]float64, ok bool) {
	cross := func(a, b [3]float64) [3]float64 {
		return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	}
	cx, cy, cw = cross(y, w), cross(w, x), cross(x, y)
	det := x[0]*cx[0] + x[1]*cx[1] + x[2]*cx[2]
	for a := range 3 {
		cx[a], cy[a], cw[a] = cx[a]/det, cy[a]/det, cw[a]/det
	}
	return cx, cy, cw, det != 0
}

// visibleScene is the input of a kernel.
type visibleScene struct {
	lens    cull.Lens
	picture *depth.Picture // with guards
	nodes   []soa.Node
	packets []soa.Packet
	planes  []*cull.Planes
	wild    bool // some boxes are not finite, which planes are not made for: all entries are inside
}

// entry returns one of a list of so many.
func (s *visibleScene) entry(rng *rand.Rand, n int) uint32 {
	at := uint32(rng.IntN(n))
	if s.wild || rng.IntN(2) == 0 {
		at |= cull.InsideFlag
	}
	return at
}

func newVisibleScene(t testing.TB, rng *rand.Rand, at kernel.Place, size [2]int, n int) *visibleScene {
	s := new(visibleScene)
	parallel := rng.IntN(3) == 0
	s.wild = rng.IntN(3) == 0
	lens, ref, x, y, depth := randomLens(rng, parallel)
	if rng.IntN(2) == 0 { // so that the picture is all of the view
		scale := [2]float64{float64(size[0]) / 512, float64(size[1]) / 288}
		for a := range 3 {
			x[a] *= scale[0]
			y[a] *= scale[1]
		}
		lens = cull.MakeLens(ref, x, y, depth, parallel)
	}
	exact := rng.IntN(5) == 0
	if exact { // rectangles that end where pixels do
		lens = cull.MakeLens([3]float64{}, [3]float64{1, 0, 0}, [3]float64{0, 1, 0}, [3]float64{0, 0, 1}, false)
		lens.EX, lens.EY, lens.EW = 0, 0, 0
		parallel, s.wild = false, true
	}
	s.lens = lens
	s.picture = kernel.CopyPicture(t, at, kernel.RandomDepths(rng, size[0], size[1], parallel))
	kind := testkit.BoxKinds()[rng.IntN(len(testkit.BoxKinds()))]
	box := func() kernel.Columns {
		if exact {
			x, y := float32(rng.IntN(size[0]+5)-2), float32(rng.IntN(size[1]+5)-2)
			return kernel.Columns{x - float32(rng.IntN(20)), x, y - float32(rng.IntN(5)), y, 1, 1}
		}
		return visibleBox(rng, ref, x, y, depth, parallel, float64(size[0]), float64(size[1]), s.wild)
	}
	packets := make([]soa.Packet, n)
	for i := range packets {
		live := 1 + rng.IntN(soa.Lanes)
		for l := range soa.Lanes {
			c := kernel.EmptyBox
			if l < live {
				if c = box(); c[0] == float32(math.Inf(1)) {
					c[0] = 0
				}
			}
			kernel.SetPacketBox(&packets[i], l, c)
		}
	}
	s.packets = kernel.Put(t, at, packets)
	nodes := kernel.RandomNodes(rng, n, kind)
	for i := range nodes {
		for l := range soa.Fan {
			if nodes[i].Child[l] != 0 {
				kernel.SetNodeBox(&nodes[i], l, box())
			}
		}
	}
	s.nodes = kernel.Put(t, at, nodes)
	extent := [3]float32{1e6, 1e6, 1e6}
	open := cull.MakePlanes(&[6][4]float32{always, always, always, always, always, always}, extent, extent)
	one := prepared(randomFrustum(rng, kind), extent)
	raw := scaled(randomFrustum(rng, kind))
	two := cull.MakePlanes(&raw, [3]float32{10, 10, 10}, extent)
	s.planes = []*cull.Planes{&open, &one, &two}
	return s
}

func sameVisible(t testing.TB, got, want *cull.VisibleWalk) {
	t.Helper()
	if !slices.Equal(got.Queue, want.Queue) || !slices.Equal(got.Packets, want.Packets) || got.Head != want.Head ||
		got.HiddenNodes != want.HiddenNodes || got.HiddenPackets != want.HiddenPackets || got.HiddenLanes != want.HiddenLanes {
		t.Fatalf("got  %x\nwant %x", *got, *want)
	}
}

// All visibility kernels agree with their references, on boxes of all kinds.
func TestVisibleKernels(t *testing.T) {
	rounds := testkit.Budget(t, testkit.Again(4, 1), 48)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		hiddenNodes, hiddenPackets, hiddenLanes, kept := 0, 0, 0, 0
		for range rounds {
			for _, size := range kernel.PictureSizes {
				at := []kernel.Place{kernel.Heap, kernel.Tail, kernel.Head}[rng.IntN(3)]
				s := newVisibleScene(t, rng, at, size, 1+rng.IntN(140))
				for _, planes := range s.planes {
					picture := s.picture
					if rng.IntN(8) == 0 {
						picture = nil
					}
					filter := asm.AllNodes
					if rng.IntN(2) == 0 {
						filter = asm.NodeFilter{Mask: rng.Uint32N(16), Flags: []soa.Ref{soa.RefMoving, soa.RefStatic, soa.RefFlags}[rng.IntN(3)]}
					}
					// nodes
					want, got := new(cull.VisibleWalk), new(cull.VisibleWalk)
					for range 1 + rng.IntN(100) {
						want.Queue = append(want.Queue, s.entry(rng, len(s.nodes)))
					}
					calls := len(want.Queue)
					got.Queue = kernel.Put(t, at, want.Queue)
					kernel.OnGo(t, func() {
						for want.Head < calls {
							want.Nodes(s.nodes, planes, &filter, &s.lens, picture)
						}
					})
					for !got.Done() && got.Head < want.Head {
						got.Nodes(s.nodes, planes, &filter, &s.lens, picture)
					}
					sameVisible(t, got, want)

					// packets
					slots := make([]uint32, rng.IntN(300))
					for i := range slots {
						slots[i] = s.entry(rng, len(s.packets))
					}
					slots = kernel.Put(t, at, slots)
					var ranges []asm.Range
					kernel.OnGo(t, func() { ranges = want.AppendHits(nil, s.packets, slots, planes, &s.lens, picture) })
					if out := got.AppendHits(kernel.Room[asm.Range](t, at, len(slots))[:0], s.packets, slots, planes, &s.lens, picture); !slices.Equal(out, ranges) {
						t.Fatalf("hits %x, want %x", out, ranges)
					}
					sameVisible(t, got, want)
					hiddenNodes += got.HiddenNodes
					hiddenPackets += got.HiddenPackets
					hiddenLanes += got.HiddenLanes
					kept += len(ranges)

					// ranges
					for i := range ranges {
						ranges[i].N = asm.RangeHit | 1 + rng.Uint32N(0xffff)
					}
					again := kernel.Put(t, at, ranges)
					var hidden int
					kernel.OnGo(t, func() { ranges, hidden = cull.VisibleRanges(ranges, s.packets, &s.lens, s.picture) })
					if left, n := cull.VisibleRanges(again, s.packets, &s.lens, s.picture); n != hidden || !slices.Equal(left, ranges) {
						t.Fatalf("%d hidden of ranges, want %d: %x, want %x", n, hidden, left, ranges)
					}
				}
				// areas
				for i := range s.packets {
					areas, want := kernel.Room[[soa.Lanes]float32](t, kernel.Heap, 1), [soa.Lanes]float32{}
					m := rng.Uint32N(1 << 16)
					kernel.OnGo(t, func() { cull.VisibleAreas(&want, &s.packets[i], m, &s.lens, s.picture) })
					cull.VisibleAreas(&areas[0], &s.packets[i], m, &s.lens, s.picture)
					for l := range soa.Lanes {
						if m>>l&1 != 0 && areas[0][l] != want[l] {
							t.Fatalf("lane %d of %v: an area of %v, want %v", l, kernel.PacketBox(&s.packets[i], l), areas[0][l], want[l])
						}
					}
				}
			}
		}
		if hiddenNodes < 100 || hiddenPackets < 100 || hiddenLanes < 1000 || kept < 1000 {
			t.Errorf("hidden: %d nodes, %d packets, %d lanes; %d packets are left", hiddenNodes, hiddenPackets, hiddenLanes, kept)
		}
	})
}
