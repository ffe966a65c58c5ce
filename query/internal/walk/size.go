package walk

import (
	"math"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/query/internal/exact"
)

// size is the depth function of a frustum, and its minimum size.
type size struct {
	depth [4]float32 // nx, ny, nz, d, with a normal of length 1; 0, 0, 0, 1 of a parallel projection; all zero if there are no depths
	near  [4]float32 // near plane; in a part of a scene not raised, as planes are there
	scale [3]float32 // lengths of the axes: 1, except in a part of a scene
	least float32    // minimum size; 0: none
}

// SetMinSize sets the minimum size. Unless it is 0, the frustum must have depths.
func (f *Frustum) SetMinSize(least float32) {
	f.size = size{depth: f.size.depth}
	if least > 0 {
		f.size.least, f.size.near, f.size.scale = least, f.planes[4], [3]float32{1, 1, 1}
	}
}

// MinSize returns the minimum size, 0 if there is none.
func (f *Frustum) MinSize() float32 { return f.size.least }

// HasDepth reports whether the frustum has depths.
func (f *Frustum) HasDepth() bool { return f.HasSizes() && !f.isParallel() }

// HasSizes reports whether objects have sizes in the image of the frustum. In a parallel projection, without depths,
// these are the lengths of their edges.
func (f *Frustum) HasSizes() bool { return f.size.depth != [4]float32{} }

func (f *Frustum) isParallel() bool { return f.size.depth == [4]float32{3: 1} }

// PrepareSize prepares culling by size in the image (level of detail); without a minimum size it is off.
func (f *Frustum) PrepareSize(to *cull.Size) {
	if to.Least = 0; f.size.least > 0 {
		to.Set(&f.size.depth, &f.size.near, &f.size.scale, f.size.least)
	}
}

// SetDepth sets the depth of the frustum, about an origin, from a row of numbers that is 0 at the
// eye and grows along the direction of view. A row beyond float32 gives no depth, and a row without direction that of a
// parallel projection.
func (f *Frustum) SetDepth(row *[4]float64, origin *[3]float64) {
	f.size = size{}
	p := *row
	if p[0] == 0 && p[1] == 0 && p[2] == 0 {
		f.size.depth[3] = 1
		return
	}
	ScaleNormal(&p)
	n := [3]float64(p[:3])
	length := math.Sqrt(exact.Dot(n, n))
	d := (p[3] + exact.Dot(n, *origin)) / length
	if !(math.Abs(d) <= math.MaxFloat32) { // NaN without direction
		return
	}
	f.size.depth = [4]float32{float32(n[0] / length), float32(n[1] / length), float32(n[2] / length), float32(d)}
}

// open writes the minimum size, if there is one, in float64.
func (z *size) open(to *Volume) {
	if to.Least = z.least; z.least == 0 {
		return
	}
	for i, x := range z.depth {
		to.Depth[i], to.Front[i] = float64(x), float64(z.near[i])
	}
	to.Axes = [3][3]float64{}
	for i, x := range z.scale {
		to.Axes[i][i] = float64(x)
	}
}

// close sets the minimum size from a form.
func (z *size) close(from *Volume) {
	*z = size{}
	if from.Least == 0 {
		return
	}
	if depth, near, scale, ok := from.Sized(); ok {
		*z = size{depth, near, scale, from.Least}
	}
}

// onlyLarge removes the lanes of small boxes from the ranges.
func (w *Walk) onlyLarge() {
	w.kept = w.size.AppendRanges(w.kept[:0], w.ranges, &w.store.Packets)
	w.ranges, w.kept = w.kept, w.ranges
}
