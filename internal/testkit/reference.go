package testkit

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// Boxed is the constraint of types with a box, for the references.
type Boxed interface {
	soa.Object | soa.AABB
}

func boxOf[B Boxed](b *B) *soa.AABB {
	switch b := any(b).(type) {
	case *soa.Object:
		return &b.Box
	case *soa.AABB:
		return b
	}
	panic("unreachable")
}

// ReferenceFrustum is the reference for frustum queries. It returns the indices, ascending, of the boxes
// that a tree of exactly these boxes must return for six inward planes (nx, ny, nz, d). The tree is
// assumed to bound rounding errors by its extent alone. ReferenceFrustum evaluates the documented
// float32 formula in a double loop, written from the contract, and shares no code with the library.
func ReferenceFrustum[B Boxed](boxes []B, planes [6][4]float32) []int {
	extent := Extent(boxes)
	return ReferenceFrustumBounds(boxes, planes, extent, extent)
}

// ReferenceFrustumBounds is [ReferenceFrustum] for a tree with the given bounds of its near boxes and of all.
func ReferenceFrustumBounds[B Boxed](boxes []B, planes [6][4]float32, near, extent [3]float32) []int {
	return ReferencePrepared(boxes, PreparePlanes(planes, near, extent))
}

// ReferencePrepared is the test of [ReferenceFrustum] with planes from [PreparePlanes]. A box is hit if for
// all six planes the corner furthest along the normal, the p-vertex, has (nx*px + ny*py) + nz*pz +
// d >= 0, each product and each sum rounded to float32. The d depends on the class of the box, near
// or far.
func ReferencePrepared[B Boxed](boxes []B, prepared *Prepared) (hits []int) {
next:
	for i := range boxes {
		b := boxOf(&boxes[i])
		planes := &prepared.Far
		if prepared.near(b) {
			planes = &prepared.Near
		}
		for p := range planes {
			n := &planes[p]
			x, y, z := pVertex(n, b)
			xy := float32(n[0]*x) + float32(n[1]*y)
			xyz := xy + float32(n[2]*z)
			if !(xyz+n[3] >= 0) {
				continue next
			}
		}
		hits = append(hits, i)
	}
	return hits
}

// pVertex returns the corner of b furthest along the normal.
func pVertex(n *[4]float32, b *soa.AABB) (x, y, z float32) {
	x, y, z = b.Max[0], b.Max[1], b.Max[2]
	if n[0] < 0 {
		x = b.Min[0]
	}
	if n[1] < 0 {
		y = b.Min[1]
	}
	if n[2] < 0 {
		z = b.Min[2]
	}
	return x, y, z
}

// Extent returns the largest absolute coordinate on each axis; 0 for no boxes.
func Extent[B Boxed](boxes []B) (extent [3]float32) {
	for i := range boxes {
		b := boxOf(&boxes[i])
		for a := range 3 {
			extent[a] = max(extent[a], abs(b.Min[a]), abs(b.Max[a]))
		}
	}
	return extent
}

// Prepared holds the planes of the float32 test. They are scaled so that the largest component of
// the normal is in [1/8, 1/4), or in [2^61, 2^62) if no coordinate reaches 2^-64. d is raised by
// more than the rounding errors of scaling and of the test, so that there are no false negatives.
type Prepared struct {
	Near  [6][4]float32 // for boxes with coordinates of magnitude at most Bound
	Far   [6][4]float32 // for all other boxes
	Bound [3]float32

	tiny [6]float64 // factor of the absolute error
}

// PreparePlanes returns the planes for a tree with the given bounds of its near boxes and of all.
func PreparePlanes(planes [6][4]float32, near, extent [3]float32) *Prepared {
	p := &Prepared{Bound: near}
	exp := -2
	if max(extent[0], extent[1], extent[2]) < 1.0/(1<<32)/(1<<32) {
		exp = 62 // so that products are not denormal
	}
	for i := range planes {
		plane, scale := normalized(planes[i], exp)
		p.tiny[i] = max(tiny, tiny/2*scale)
		p.Near[i] = raised(plane, near, p.tiny[i])
		p.Far[i] = raised(plane, extent, p.tiny[i])
	}
	return p
}

// Again returns the planes with d raised once more by the same bounds.
func (p *Prepared) Again(near, extent [3]float32) *Prepared {
	q := *p
	for i := range p.Near {
		q.Near[i], q.Far[i] = raised(p.Near[i], near, tiny), raised(p.Far[i], extent, tiny)
	}
	return &q
}

// near reports whether no coordinate of b exceeds the bound.
func (p *Prepared) near(b *soa.AABB) bool {
	for a, most := range p.Bound {
		if !(abs(b.Min[a]) <= most && abs(b.Max[a]) <= most) {
			return false
		}
	}
	return true
}

// normalized returns the plane scaled by the power of two that brings the largest component of the
// normal into [1/8, 1/4). It then scales by another one, which it also returns, into [2^(exp-1),
// 2^exp). A plane without a normal is unchanged.
func normalized(plane [4]float32, exp int) ([4]float32, float64) {
	plane = scaledTo(plane, -2)
	if exp == -2 || max(abs(plane[0]), abs(plane[1]), abs(plane[2])) == 0 {
		return plane, 1
	}
	before := float64(max(abs(plane[0]), abs(plane[1]), abs(plane[2])))
	plane = scaledTo(plane, exp)
	return plane, float64(max(abs(plane[0]), abs(plane[1]), abs(plane[2]))) / before
}

func scaledTo(plane [4]float32, to int) [4]float32 {
	m := max(abs(plane[0]), abs(plane[1]), abs(plane[2]))
	if m == 0 {
		return plane
	}
	_, exp := math.Frexp(float64(m)) // m = f * 2^exp, f in [1/2, 1)
	factor := math.Ldexp(1, to-exp)
	for i := range 3 {
		plane[i] = float32(float64(plane[i]) * factor)
	}
	d := float64(plane[3]) * factor
	plane[3] = float32(min(max(d, -math.MaxFloat32), math.MaxFloat32))
	return plane
}

// tiny is 2^-148.
const tiny = 1.0 / (1 << 74) / (1 << 74)

// raised returns the plane with d raised by the bound of the rounding errors
// and rounded up to float32.
func raised(plane [4]float32, extent [3]float32, absolute float64) [4]float32 {
	const relative = 6.0 / (1 << 24) // 6 * 2^-24
	x, y, z := float64(extent[0]), float64(extent[1]), float64(extent[2])
	d := float64(plane[3])
	size := float64(float64(abs(plane[0]))*x) + float64(float64(abs(plane[1]))*y) +
		float64(float64(abs(plane[2]))*z) + math.Abs(d)
	e := float64(relative*size) + float64(absolute*(x+y+z+1))
	sum := d + e
	up := float32(sum)
	if float64(up) < sum {
		up = math.Nextafter32(up, float32(math.Inf(1)))
	}
	plane[3] = min(up, math.MaxFloat32)
	return plane
}

func abs(f float32) float32 {
	return math.Float32frombits(math.Float32bits(f) &^ (1 << 31))
}
