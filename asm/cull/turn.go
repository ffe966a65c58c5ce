package cull

// Turned is the relation of the bounds of a part to a box query in its space: see [Convex.SetTurned].
type Turned int

// The relations.
const (
	TurnedUnknown Turned = iota // the caller has to compute it
	TurnedApart                 // the bounds are outside
	TurnedCuts                  // the planes are set
	TurnedHolds                 // the bounds are inside
)

// SetTurned sets c to the planes of a box query in the space of a part, under an affine map p -> M*p + t of the part:
// the sides of the box that cut the bounds of the part, and, if there are several, the sides of the box around its
// image that do. The planes are those of [Convex.SetMoved]. The arguments are the numbers of
//
//	map    rows of the inverse of M, a bound of its error, t, rows of M, bounds of the factors of lengths
//	box    Min, Max, Center, Half
//	part   Min, Max, Center, Half of the bounds of the part, and the largest magnitude of its coordinates on each axis
//	clear  sides of the box that are known to have the part inside: 2*a of the lower side on axis a, 2*a + 1 of the upper
//
// With i for an axis of the box, r for a row of M, and j for an axis of the part,
//
//	middle   r[0]*Center[0] + r[1]*Center[1] + r[2]*Center[2]                    of the part
//	reach    |r[0]|*Half[0] + |r[1]|*Half[1] + |r[2]|*Half[2]                    of the part
//	span     |r[0]|*most[0] + |r[1]|*most[1] + |r[2]|*most[2]
//	size     |side| + |t| + span + 2^-100*(1 + (|t0| + |t1| + |t2|) + 3*stretch*(most[0] + most[1] + most[2]))
//	d        t - Min of a lower side, Max - t of an upper one; the plane is r, or -r, and d + size*2^-49
//
// The part is outside a side if d + middle + reach + size*2^-47 < 0, inside if d + middle - reach - size*2^-47 >= 0,
// with -middle for an upper side. The image has the centre inverse*(Center - t), half edges by |inverse| and Half, and
// an error of 2^-50 of all terms and of the error of the inverse times the largest magnitude.
//
// The result is TurnedUnknown, and c undefined, if a plane has to be scaled, and on tiers without a kernel: package
// space of queries has the same in Go, with the same bits. It does not allocate.
func (c *Convex) SetTurned(numbers *[24]float64, box *[12]float64, part *[15]float64, clear uint32) Turned {
	return turnBox(c, numbers, box, part, clear, 1)
}

// MovingPlanes are planes nx, ny, nz, d with the inside nx*x + ny*y + nz*z + d >= 0 as columns, to be moved into parts.
type MovingPlanes struct {
	N                  int
	X, Y, Z, D, Square [MaxPlanes]float64 // Square is that of the length of the normal
}

// Set sets p to up to [MaxPlanes] planes.
func (p *MovingPlanes) Set(planes [][4]float64) {
	p.N = len(planes)
	for i := range planes {
		n := &planes[i]
		x, y, z := n[0], n[1], n[2]
		p.X[i], p.Y[i], p.Z[i], p.D[i] = x, y, z, n[3]
		p.Square[i] = float64(x*x) + float64(y*y) + float64(z*z)
	}
}

// SetPlanes is [Convex.SetTurned] of planes: it sets c to the images of those that cut the bounds of a part. A plane is
// decided by the ball around the image of the bounds, if that is not near it, else by the image of the plane:
//
//	n     nx, ny, nz times M, in order
//	size  |d| + |nx|*s0 + |ny|*s1 + |nz|*s2 + 2^-100*(1 + s0 + s1 + s2), where s are the magnitudes of the terms
//	      of an image of a point in the part
//	d     d + nx*t0 + ny*t1 + nz*t2; that of the image is larger by size*2^-49
//
// The part is outside if d + n*Center + |n|*Half + size*2^-47 < 0, inside if d + n*Center - |n|*Half - size*2^-47 >= 0.
func (c *Convex) SetPlanes(p *MovingPlanes, numbers *[24]float64, part *[15]float64) Turned {
	return cutPlanes(c, p, numbers, part, 1)
}
