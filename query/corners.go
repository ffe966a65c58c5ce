package query

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/query/internal/exact"
)

// Corners returns the eight corners of the frustum, computed in float64 from the planes of
// [Frustum.Planes]. The bits of the index i name the planes that corner i lies on:
//
//	bit 0    plane 0 or 1    left or right
//	bit 1    plane 2 or 3    bottom or top
//	bit 2    plane 4 or 5    near or far
//
//	    6-------7
//	    |\     /|       of a camera, which faces away from the reader: 0 to 3 are
//	    | 2---3 |       the corners of the near plane, 4 to 7 those of the far one
//	    | |   | |
//	    | 0---1 |
//	    |/     \|
//	    4-------5
//
// Corners may coincide, as do the four of a near plane through the eye.
//
// It is an error, which names the planes with their numbers, if the frustum is not bounded, as
// that of a camera without far plane, or if three planes of a corner have no common point. It is
// an error, too, if the planes bound a body with other corners than these, or none: a far plane
// before the near one, or planes in another order, with opposite planes not in pairs.
// Inconsistencies within the rounding of planes to float32 are no error. It takes some
// microseconds and does not allocate except for an error.
//
// The corners belong to the tested planes, with an error of some 2^-50 of their size, more
// where planes intersect at sharp angles. The tested planes are rounded to float32 and so differ
// from those of a camera by up to 2^-23 of the size of coordinates. Where that is as much as the
// distance from the eye to the near plane, which happens far from the origin, use an origin
// nearby.
func (f Frustum) Corners() (corners [8][3]float64, err error) {
	var p [6][4]float64
	for i := range p {
		for k, x := range f.q().Facets()[i] {
			p[i][k] = float64(x)
		}
		if p[i][0] == 0 && p[i][1] == 0 && p[i][2] == 0 {
			return corners, fmt.Errorf("query: the frustum is not bounded: plane %d is %v", i, f.q().Facets()[i])
		}
	}
	if err := endless(&p); err != nil {
		return corners, err
	}
	for i := range corners {
		j, k, l := i&1, 2+i>>1&1, 4+i>>2&1
		c, e, ok := exact.Intersect(&p[j], &p[k], &p[l])
		if !ok {
			return corners, fmt.Errorf("query: planes %d, %d and %d of the frustum have no common point: %v, %v, %v",
				j, k, l, f.q().Facets()[j], f.q().Facets()[k], f.q().Facets()[l])
		}
		for _, m := range [3]int{j ^ 1, k ^ 1, l ^ 1} {
			if h, slack := above(&p[m], &c, &e); h < -slack {
				return corners, fmt.Errorf("query: planes %d, %d and %d of the frustum intersect at %v, outside plane %d, %v",
					j, k, l, c, m, f.q().Facets()[m])
			}
		}
		corners[i] = c
	}
	// A bounded body is the hull of its corners. A further corner would lie on two opposite planes,
	// and on neither plane of another pair.
	for pair := range 3 {
		i, j := 2*pair, 2*pair+1
		for k := range p {
			if k/2 == pair {
				continue
			}
			third := 2 * (3 - pair - k/2)
			c, e, ok := exact.Intersect(&p[i], &p[j], &p[k])
			if !ok {
				continue
			}
			a, slackA := above(&p[third], &c, &e)
			b, slackB := above(&p[third+1], &c, &e)
			if h, slack := above(&p[k^1], &c, &e); h >= -slack && a > slackA && b > slackB {
				return corners, fmt.Errorf("query: planes %d, %d and %d of the frustum intersect at %v, which is not a corner of a frustum",
					i, j, k, c)
			}
		}
	}
	return corners, nil
}

// endless returns an error if there is a direction in which no plane bounds the body, whose
// corners are given. The edges of an open body are such directions.
func endless(p *[6][4]float64) error {
	for i := range p {
		for j := range i {
			d := exact.Cross([3]float64(p[i][:3]), [3]float64(p[j][:3]))
			if d == [3]float64{} {
				continue
			}
			var ends, back bool // whether a plane bounds the body along d, and against d
			for k := range p {
				n := [3]float64(p[k][:3])
				toward, slack := exact.Dot(n, d), 0.0
				for a := range 3 {
					slack += 0x1p-50 * math.Abs(n[a]*d[a])
				}
				ends, back = ends || toward < -slack, back || toward > slack
			}
			if !ends {
				return fmt.Errorf("query: the frustum is not bounded: no plane bounds it along %v", d)
			}
			if !back {
				return fmt.Errorf("query: the frustum is not bounded: no plane bounds it along %v", neg(d))
			}
		}
	}
	return nil
}

// above returns the distance of a point inside a plane, in lengths of its normal, and a bound of
// its error from the rounding of the plane to float32 and the errors e of the point.
func above(p *[4]float64, c, e *[3]float64) (h, slack float64) {
	h, slack = p[3], 0x1p-21*math.Abs(p[3])
	for a := range 3 {
		t := float64(p[a] * c[a])
		h += t
		slack += float64(0x1p-21*math.Abs(t)) + float64(math.Abs(p[a])*e[a])
	}
	return h, slack
}
