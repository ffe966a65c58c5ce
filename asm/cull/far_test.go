package cull_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

func frustumKernels(p *cull.Planes) *kernels {
	return &kernels{
		name:   fmt.Sprintf("frustum %x, wide %x, near %x", p.Coef, p.Wide, p.Near),
		Volume: &cull.Volume{Shape: cull.ShapeFrustum, Planes: *p},
		ref:    func(box *kernel.Columns) (hit, inside bool) { return frustumRef(*box, p) },
	}
}

// randomOneFrustum has one bound, or planes as they are.
func randomOneFrustum(t testing.TB, at kernel.Place, rng *rand.Rand, kind testkit.BoxKind) *kernels {
	raw := randomFrustum(rng, kind)
	p := bare(raw)
	if rng.IntN(2) == 0 {
		p = prepared(raw, testkit.Extent(testkit.RandomBoxes(rng, 1, kind)))
	}
	return frustumKernels(&p).at(t, at)
}

// randomBounds are two bounds such that some boxes of that kind are near, others far, and some on the border exactly.
// The wide bound may have any size.
func randomBounds(rng *rand.Rand, kind testkit.BoxKind) (near, extent [3]float32) {
	for a := range near {
		box := testkit.RandomBoxes(rng, 1, kind)[0]
		near[a] = min(max(box.Max[a], -box.Min[a]), math.MaxFloat32/4)
		extent[a] = near[a] * [...]float32{1, 1.0001, 2}[rng.IntN(3)]
		if rng.IntN(3) == 0 {
			extent[a] = [...]float32{1e9, 1e30, math.MaxFloat32}[rng.IntN(3)]
		}
		extent[a] = max(extent[a], near[a])
	}
	if near == extent {
		extent[0] = math.MaxFloat32
	}
	return near, extent
}

// shrunk is a bound of at most extent, sometimes extent itself.
func shrunk(rng *rand.Rand, extent [3]float32) [3]float32 {
	for a := range extent {
		if rng.IntN(2) == 0 {
			extent[a] *= rng.Float32()
		}
	}
	return extent
}

func randomFarConvex(t testing.TB, at kernel.Place, rng *rand.Rand, kind testkit.BoxKind) *kernels {
	near, extent := randomBounds(rng, kind)
	return convexKernels(randomConvexOf(rng, kind, near, extent)).at(t, at)
}

func randomFarFrustum(t testing.TB, at kernel.Place, rng *rand.Rand, kind testkit.BoxKind) *kernels {
	near, extent := randomBounds(rng, kind)
	six := scaled(randomFrustum(rng, kind))
	p := cull.MakePlanes(&six, near, extent)
	return frustumKernels(&p).at(t, at)
}

// hostileNear is the near bound of hostileBoxes.
var hostileNear = [3]float32{104, 104, 104}

// hostileBoxes are small boxes among difficult ones: far away, huge, holding everything, beyond the near bound on one
// axis only, on it, or of zeros and denormals.
func hostileBoxes(rng *rand.Rand, n int) []soa.AABB {
	const most, denormal = math.MaxFloat32, math.SmallestNonzeroFloat32
	minus0 := float32(math.Copysign(0, -1))
	border := hostileNear[0]
	beyond := math.Nextafter32(border, most)
	boxes := testkit.RandomBoxes(rng, n, testkit.BoxesSmall)
	for i := range boxes {
		b, a := &boxes[i], rng.IntN(3)
		switch rng.IntN(24) {
		case 0: // far away
			b.Min[a], b.Max[a] = 1e9, 1e9+64
		case 1: // holds everything
			*b = soa.AABB{Min: [3]float32{-1e9, -1e9, -1e9}, Max: [3]float32{1e9, 1e9, 1e9}}
		case 2: // holds every representable point
			*b = soa.AABB{Min: [3]float32{-most, -most, -most}, Max: [3]float32{most, most, most}}
		case 3:
			b.Min[a], b.Max[a] = -1e30, -1e29
		case 4: // on the border, where it is near
			b.Max[a] = border
		case 5:
			b.Min[a] = -border
		case 6: // just beyond
			b.Max[a] = beyond
		case 7:
			b.Min[a] = -beyond
		case 8:
			*b = soa.AABB{Min: [3]float32{minus0, minus0, minus0}}
		case 9:
			*b = soa.AABB{Min: [3]float32{-denormal, 0, minus0}, Max: [3]float32{denormal, denormal, 0}}
		}
	}
	return boxes
}

// hostilePackets returns full packets of such boxes, except for some free lanes.
func hostilePackets(rng *rand.Rand, n int) []soa.Packet {
	packets := make([]soa.Packet, n)
	for i := range packets {
		live := soa.Lanes - rng.IntN(4)
		boxes := hostileBoxes(rng, soa.Lanes)
		for l := range soa.Lanes {
			c := kernel.EmptyBox
			if l < live {
				c = kernel.ColumnsOf(boxes[l])
			}
			kernel.SetPacketBox(&packets[i], l, c)
		}
	}
	return packets
}

// hostileNodes returns nodes of such children.
func hostileNodes(rng *rand.Rand, n int) []soa.Node {
	nodes := kernel.RandomNodes(rng, n, testkit.BoxesSmall)
	for i := range nodes {
		for l, box := range hostileBoxes(rng, soa.Fan) {
			if nodes[i].Child[l] != 0 {
				kernel.SetNodeBox(&nodes[i], l, kernel.ColumnsOf(box))
			}
		}
	}
	return nodes
}

// hostileVolumes are a frustum and a convex volume of the same planes for such boxes.
func hostileVolumes(t testing.TB, at kernel.Place, rng *rand.Rand) []*kernels {
	const most = math.MaxFloat32
	extent := [3]float32{most, most, most}
	six := scaled(randomFrustum(rng, testkit.BoxesSmall))
	p, c := cull.MakePlanes(&six, hostileNear, extent), new(cull.Convex)
	c.Set(six[:], hostileNear, extent)
	return []*kernels{frustumKernels(&p).at(t, at), convexKernels(c).at(t, at)}
}

// Difficult boxes, in guarded memory.
func TestFarHostile(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, []int{1, 3, 4, 5, 65, 131}, func(t *testing.T, at kernel.Place, n int) {
			packets := kernel.Put(t, at, hostilePackets(rng, n))
			nodes := kernel.Put(t, at, hostileNodes(rng, n))
			for _, k := range hostileVolumes(t, at, rng) {
				k.check(t, at, packets, kernel.Put(t, at, kernel.Shuffled(rng, n)))
				k.checkWalk(t, at, nodes, kernel.Shuffled(rng, n), &asm.AllNodes)
			}
		})
	})
}

// farHits returns the boxes that a frustum and the convex volume of its planes
// find, which must be the same.
func farHits(t testing.TB, boxes []soa.AABB, raw [6][4]float32, near, extent [3]float32) []int {
	t.Helper()
	six := scaled(raw)
	p := cull.MakePlanes(&six, near, extent)
	var c cull.Convex
	c.Set(six[:], near, extent)
	got := frustumKernels(&p).hits(boxes)
	if !testkit.SameIDs(t, convexKernels(&c).hits(boxes), got) {
		t.Fatalf("planes %x: the convex volume differs", raw)
	}
	return got
}

// No box that intersects the planes in exact arithmetic is lost. The results are those of the reference, and far boxes
// do not change which near boxes are found.
func TestFarLosesNothing(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	rounds := 2000
	if !testkit.Long(t) {
		rounds = 200
	}
	testkit.EachTier(t, func(t *testing.T) {
		held, missed := 0, 0
		for i := range rounds {
			kind := testkit.BoxKinds()[rng.IntN(4)]
			boxes := testkit.RandomBoxes(rng, 33, kind)
			near, _ := randomBounds(rng, kind)
			if i%2 == 0 {
				kind, boxes, near = testkit.BoxesSmall, hostileBoxes(rng, 33), hostileNear
			}
			raw := randomFrustum(rng, kind)
			touch(rng, &raw[0], &boxes[0])
			extent := testkit.Extent(boxes)
			for a := range extent {
				extent[a] = max(extent[a], near[a])
			}
			got, want := farHits(t, boxes, raw, near, extent), testkit.DefinitionFrustum(boxes, raw)
			if !testkit.NothingLost(t, got, want) || !testkit.SameIDs(t, got, testkit.ReferenceFrustumBounds(boxes, raw, near, extent)) {
				t.Fatalf("planes %x, boxes %x, near %x", raw, boxes, near)
			}
			held, missed = held+len(want), missed+len(boxes)-len(got)

			var some []soa.AABB
			var others []int
			found := map[int]bool{}
			for _, i := range got {
				found[i] = true
			}
			for i, b := range boxes {
				if e := testkit.Extent([]soa.AABB{b}); e[0] <= near[0] && e[1] <= near[1] && e[2] <= near[2] {
					if found[i] {
						others = append(others, len(some))
					}
					some = append(some, b)
				}
			}
			if !testkit.SameIDs(t, farHits(t, some, raw, near, near), others) {
				t.Fatalf("planes %x, boxes %x, near %x: near boxes are found otherwise alone", raw, boxes, near)
			}
		}
		if held == 0 || missed == 0 {
			t.Errorf("%d boxes held, %d missed: nothing tested", held, missed)
		}
	})
}

// FuzzFar reads a near and a wide bound, six planes, then boxes and references;
// all numbers are finite, boxes may be inverted.
func FuzzFar(f *testing.F) {
	f.Add(frustumSeed([6][4]float32{{1, 0, 0, 0}, always, always, always, always, always}, 40), float32(2), float32(9), uint32(0), uint32(soa.RefStatic|soa.RefMoving))
	f.Add(frustumSeed([6][4]float32{{0.2, -0.1, 0, 0.1}, {-0.2, 0, 0.1, 0.1}, {3: -1}, always, {}, {}}, 33), float32(0), float32(1e30), uint32(3), uint32(soa.RefStatic))
	f.Add([]byte("short"), float32(1), float32(math.MaxFloat32), uint32(0), uint32(0))
	f.Fuzz(func(t *testing.T, data []byte, bound, wide float32, mask, flags uint32) {
		if !(bound >= 0 && bound < wide && wide <= math.MaxFloat32) {
			t.Skip("no two bounds")
		}
		in := kernel.Reader(data)
		var raw [6][4]float32
		for i := range raw {
			raw[i] = [4]float32(in.Numbers(4))
		}
		six := scaled(raw)
		near, extent := [3]float32{bound, wide, bound}, [3]float32{wide, wide, bound}
		p := cull.MakePlanes(&six, near, extent)
		var c cull.Convex
		c.Set(six[:], near, extent)
		packets := make([]soa.Packet, 1+min(len(in)/(24*soa.Lanes), 100))
		nodes := make([]soa.Node, 1+min(len(in)/(32*soa.Fan), 100))
		for i := range packets {
			for l := range soa.Lanes {
				kernel.SetPacketBox(&packets[i], l, kernel.Columns(in.Numbers(6)))
			}
		}
		in = kernel.Reader(data)
		for i := range nodes {
			for l := range soa.Fan {
				kernel.SetNodeBox(&nodes[i], l, kernel.Columns(in.Numbers(6)))
				nodes[i].Child[l], nodes[i].Mask[l] = soa.Ref(in.Uint32())|soa.RefPacket, in.Uint32()
			}
		}
		filter := asm.NodeFilter{Mask: mask, Flags: soa.Ref(flags) & soa.RefFlags}
		kernel.OnTiers(t, func() {
			for _, k := range []*kernels{frustumKernels(&p), convexKernels(&c)} {
				k.check(t, kernel.Heap, packets, kernel.UpTo(len(packets)))
				k.checkWalk(t, kernel.Heap, nodes, kernel.UpTo(len(nodes)), &filter)
			}
		})
	})
}
