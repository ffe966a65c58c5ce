package octree

import (
	"math"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Coder encodes boxes as keys: Morton codes of their centres.
type Coder struct {
	grid    build.Grid
	Drop    uint64     // low key bits below the smallest cells, cleared in near keys
	world   soa.AABB   // the smallest and the largest point inside the world
	reach   soa.AABB   // the world and its side around it; boxes not inside are far
	mid     [3]float32 // the centre of the world cube
	Outlier bool       // there may be far boxes; otherwise they are not tested
}

// NewCoder returns the coder of a world, with far unset. Its keys do not split cells whose side is
// at most smallest, or less than twice that. A world that grows or shrinks keeps these cells.
func NewCoder(w morton.World, smallest float32) (c Coder) {
	c.grid = w.Grid()
	level := 0
	for level < morton.Levels && math.Ldexp(1, w.Exp()+level) < float64(smallest) {
		level++
	}
	c.Drop = 1<<(3*level) - 1
	lo, hi := w.Bounds()
	for a, o := range w.Origin() {
		c.world.Min[a], c.world.Max[a] = lo[a], math.Nextafter32(hi[a], lo[a])
		at := func(sides float64) float32 {
			x := math.Ldexp(float64(o)+sides*(1<<morton.Levels), w.Exp())
			return float32(max(-math.MaxFloat32, min(x, math.MaxFloat32)))
		}
		c.reach.Min[a], c.mid[a], c.reach.Max[a] = at(-1), at(0.5), at(2)
	}
	return c
}

// Near reports whether a box is not far.
func (c *Coder) Near(b *soa.AABB) bool { return holds(&c.reach, b) }

// Key returns the key of a box.
func (c *Coder) Key(b *soa.AABB) uint64 {
	if c.Outlier && !c.Near(b) {
		return c.outlierKey(b)
	}
	return c.grid.Key(build.Centre(b.Min[0], b.Max[0]), build.Centre(b.Min[1], b.Max[1]), build.Centre(b.Min[2], b.Max[2])) &^ c.Drop
}

// coarsen clears the bits below the smallest cells in the keys of near boxes.
func (c *Coder) coarsen(keys []uint64) {
	if c.Drop != 0 {
		for i := range keys {
			keys[i] &^= c.Drop
		}
	}
}

// outlierKey returns the key of a far box. Its coordinates are the top bits of the float32 offset from
// the middle of the world to the centre, mapped to ascending integers. Far cells grow with the
// distance, by less than 1 % of it at any distance.
func (c *Coder) outlierKey(b *soa.AABB) uint64 {
	var x [3]uint32
	for a := range 3 {
		bits := math.Float32bits(build.Centre(b.Min[a], b.Max[a]) - c.mid[a])
		if bits>>31 != 0 {
			bits = ^bits
		} else {
			bits |= 1 << 31
		}
		x[a] = bits >> (32 - outlierBits)
	}
	return outlierLow | uint64(morton.Encode(x[0], x[1], x[2]))
}

// boxes writes the keys of boxes in the layout of [build.EncodeBoxes].
func (c *Coder) boxes(keys []uint64, words []float32, stride int) {
	build.EncodeBoxes(keys, &c.grid, words, stride)
	c.coarsen(keys)
	if !c.Outlier {
		return
	}
	for i := range keys {
		w := (*[6]float32)(words[i*stride:])
		if b := (soa.AABB{Min: [3]float32(w[:3]), Max: [3]float32(w[3:])}); !c.Near(&b) {
			keys[i] = c.outlierKey(&b)
		}
	}
}

// packets writes the keys of the objects in n slots from first, and their locations relative to
// slot base, as [build.EncodePackets] does. It returns the number of objects.
func (c *Coder) packets(keys []uint64, locations []soa.Location, p *soa.PacketColumns, first, n, base int) int {
	k := build.EncodePackets(keys, locations, &c.grid, p.Bounds[first:first+n], p.Counts[first:first+n], base)
	c.coarsen(keys[:k])
	if !c.Outlier {
		return k
	}
	for j, w := range locations[:k] {
		slot, lane := w.Slot()+uint32(first-base), w.Lane()
		if b := p.Box(slot, lane); !c.Near(&b) {
			keys[j] = c.outlierKey(&b)
		}
	}
	return k
}
