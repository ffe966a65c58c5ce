package space

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// Inside finds the boxes in packets that are surely inside a volume.
type Inside struct {
	form   *walk.Volume
	store  *soa.Store // of the boxes
	way    insideWay
	box    cull.Box // of a box query, rounded inward
	planes [cull.MaxPlanes][4]float32
	volume cull.Volume // of the test of planes
	tested []asm.Range // packets of a range that have boxes inside planes, with their lanes
	found  []asm.Range // of these, the packets that List has not passed
	bounds Extent
}

// insideWay is a kind of test.
type insideWay uint8

const (
	insideNone   insideWay = iota // no box is known to be inside
	insideAll                     // every box is inside
	insideBox                     // by the sides of a box
	insideBall                    // by Classify
	insidePlanes                  // by the kernels
)

// Set prepares the test for a volume and the boxes in a store. No box is inside an oriented box,
// because its planes are not its whole boundary, nor a volume with a tester, which is called for the part instead,
// nor one with a minimum size.
func (f *Inside) Set(v *walk.Volume, s *soa.Store) {
	f.form, f.store, f.way = v, s, insidePlanes
	switch {
	case v.Kind == walk.KindBox:
		f.way = insideBox
		for a := range 3 {
			f.box[2*a], f.box[2*a+1] = narrowAbove(v.Min[a]), -narrowAbove(-v.Max[a])
		}
		return
	case v.Kind == walk.KindBall:
		f.way = insideBall
		return
	case v.Kind == walk.KindOriented || v.Kind == walk.KindFunc || v.Kind == walk.KindFrustum && v.Least > 0:
		f.way = insideNone
		return
	}
	switch n, ok := v.Bounding(&f.planes); {
	case !ok:
		f.way = insideNone
	case n == 0:
		f.way = insideAll
	default:
		f.volume.Shape = cull.ShapeConvex
		f.volume.Convex.SetWithin(f.planes[:n], f.store.Near, f.store.Extent)
	}
}

// narrowAbove returns the smallest float32 that is at least x, which most often is one.
func narrowAbove(x float64) float32 {
	if f := float32(x); float64(f) == x {
		return f
	}
	return soa.Above(x, 0)
}

// Store returns the store of the boxes.
func (f *Inside) Store() *soa.Store { return f.store }

// inBall returns 1 if the box in a lane is inside the ball, else 0.
func (f *Inside) inBall(b *soa.Packet, lane int) uint32 {
	f.bounds.Set(&soa.AABB{
		Min: [3]float32{b[0][lane], b[2][lane], b[4][lane]},
		Max: [3]float32{b[1][lane], b[3][lane], b[5][lane]},
	})
	if Classify(f.form, &f.bounds) == exact.Inside {
		return 1
	}
	return 0
}

// Scan tests the boxes in a range of packets against planes.
func (f *Inside) Scan(first, n uint32) {
	if f.way == insidePlanes {
		f.tested = f.volume.Scan(f.tested[:0], f.store.Packets.Bounds, int(first), int(n))
		f.found = f.tested
	}
}

// List appends the IDs in lanes of a packet that the volume intersects, after Scan, with cull.AllSides if the box is
// surely inside.
func (f *Inside) List(hits []cull.Sided, slot uint32, m uint16) []cull.Sided {
	ids, b := &f.store.Packets.IDs[slot], &f.store.Packets.Bounds[slot]
	inside := uint32(0)
	switch f.way {
	case insideBox:
		return f.box.AppendSides(hits, b, ids, m)
	case insideAll:
		inside = uint32(m)
	case insideBall:
		for rest := m; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros16(rest) & (soa.Lanes - 1)
			inside |= f.inBall(b, lane) << lane
		}
	case insidePlanes:
		if len(f.found) > 0 && f.found[0].First == slot {
			inside, f.found = f.found[0].N, f.found[1:]
		}
	}
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros16(m) & (soa.Lanes - 1)
		hits = append(hits, cull.Sided{ID: ids[lane], Sides: -(inside >> lane & 1)}) // AllSides, or 0
	}
	return hits
}
