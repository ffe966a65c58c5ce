package occlude

import (
	"math"

	"github.com/zoctree/zoctree/internal/xform"
)

// A mesh is culled by parts of partSize consecutive triangles, before a corner is projected. A culled part
// has no triangle near the image: all corners are before the near plane, or all others are outside the image
// on the same side. So culling does not change the depth buffer. Corners are projected by blocks: those in
// which kept parts have corners.
//
// Triangles in a cache-friendly order, as files usually have it, make small parts. Any order is correct.
const (
	partBits  = 6
	partSize  = 1 << partBits
	blockBits = 4
	blockSize = 1 << blockBits
)

// meshPart is partSize consecutive triangles of a mesh; the last part may have fewer.
type meshPart struct {
	middle, half [3]float64 // its box
	blocks       int32      // end of its blocks in Mesh.blocks
}

// part makes the parts.
func (m *Mesh) part() {
	latest := make([]int32, len(m.points)>>blockBits+1) // number of the last part with a block, plus 1
	for first := 0; first < len(m.triangles); first += partSize {
		lo, hi := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
		for _, t := range m.triangles[first:min(first+partSize, len(m.triangles))] {
			for _, k := range t {
				for a, x := range m.points[k] {
					lo[a], hi[a] = min(lo[a], x), max(hi[a], x)
				}
				if at := &latest[k>>blockBits]; *at != int32(len(m.parts)+1) {
					*at = int32(len(m.parts) + 1)
					m.blocks = append(m.blocks, k>>blockBits)
				}
			}
		}
		p := meshPart{blocks: int32(len(m.blocks))}
		for a := range 3 {
			p.middle[a], p.half[a] = (lo[a]+hi[a])/2, (hi[a]-lo[a])/2
		}
		m.parts = append(m.parts, p)
	}
}

// outside is a function of points of a mesh, n·p + d. A point is outside the image if its value is below
// -err.
type outside struct {
	n   [3]float64
	d   float64
	err float64
}

// besideBy is the distance in pixels by which a corner must be outside the image: many times offSteps, and
// the rounding of a corner to the grid.
const besideBy = 1. / 16

// outsides returns the functions of the four sides of the image, and of the near plane, if there is one.
//
// # Error bound
//
// A corner has c = row·(transform(p) - ref) for the rows x, y and w, in float64, and projects to c[x]/c[w]. With w
// above 0, it is left of 0 - besideBy if c[x] + besideBy*c[w] is below 0, and so on. Corners with w not above
// 0 are away. The rounding error of c, and of its function, is less than 2^-45 of the sum of the absolute
// terms for any point of the mesh; err is 2^-40 of that sum.
func (p *projector) outsides(f *frame, m *Mesh, rows *[12]float64, before float64) (list [5]outside, n int) {
	terms := 0.0 // bound of a coordinate of any corner, relative to the reference point
	for i := range 3 {
		terms += float64(m.size*(math.Abs(rows[4*i])+math.Abs(rows[4*i+1])+math.Abs(rows[4*i+2]))) + math.Abs(rows[4*i+3]) + math.Abs(f.ref[i])
	}
	add := func(x *[3]float64, s, w, d float64) {
		o := &list[n]
		n++
		var u [3]float64
		o.d = d
		size := math.Abs(d)
		for i := range 3 {
			u[i] = float64(s*x[i]) + float64(w*p.rows[2][i])
			size += float64(terms * (math.Abs(s*x[i]) + math.Abs(w*p.rows[2][i])))
			o.d += float64(u[i] * (rows[4*i+3] - f.ref[i]))
		}
		for a := range 3 {
			for i := range 3 {
				o.n[a] += float64(u[i] * rows[4*i+a])
			}
		}
		o.err = float64(0x1p-40 * size)
	}
	for k, length := range [2]int{f.width, f.height} {
		if last := float64(length) + besideBy; f.parallel {
			add(&p.rows[k], 1, 0, besideBy)
			add(&p.rows[k], -1, 0, last)
		} else {
			add(&p.rows[k], 1, besideBy, 0)
			add(&p.rows[k], -1, last, 0)
		}
	}
	if before > 0 {
		add(&p.rows[2], 0, 1, -before)
	}
	return list, n
}

// keep selects the parts to keep and the blocks of these parts. For a closed mesh it selects all blocks,
// because drawing a closed mesh depends on whether any corner is away.
func (d *meshDraw) keep(p *projector, f *frame, m *Mesh, transform *xform.Transform, before float64) {
	if cap(d.kept) < len(m.parts) {
		d.kept = make([]bool, len(m.parts))
	}
	d.kept = d.kept[:len(m.parts)]
	blocks := (len(m.points) + blockSize - 1) >> blockBits
	if cap(d.blocks) < blocks {
		d.blocks = make([]bool, blocks)
	}
	d.blocks = d.blocks[:blocks]
	closed := m.counts.BoundaryEdges+m.counts.NonManifoldEdges == 0
	for i := range d.blocks {
		d.blocks[i] = closed
	}
	rows := [12]float64{0: 1, 5: 1, 10: 1}
	if !transform.AtMost(xform.Identity) {
		transform.ReadRows(&rows)
	}
	list, n := p.outsides(f, m, &rows, before)
	first := int32(0)
	for i := range m.parts {
		part := &m.parts[i]
		keep := true
		for k := 0; k < n && keep; k++ {
			o := &list[k]
			most := o.d
			for a := range 3 {
				most += float64(o.n[a]*part.middle[a]) + float64(math.Abs(o.n[a])*part.half[a])
			}
			keep = !(most < -o.err)
		}
		if d.kept[i] = keep; keep {
			for _, b := range m.blocks[first:part.blocks] {
				d.blocks[b] = true
			}
		}
		first = part.blocks
	}
}
