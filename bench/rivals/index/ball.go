package index

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// Ball is the bounding sphere of an object: a closed ball.
type Ball struct {
	Center [3]float32
	Radius float32
}

// Box returns the smallest float32 box that contains the ball. It extends to infinity where the ball exceeds
// float32.
func (b Ball) Box() (box soa.AABB) {
	r := float64(b.Radius)
	for a := range 3 {
		lo, hi := float64(b.Center[a])-r, float64(b.Center[a])+r
		box.Min[a], box.Max[a] = float32(lo), float32(hi)
		if float64(box.Min[a]) > lo {
			box.Min[a] = math.Nextafter32(box.Min[a], float32(math.Inf(-1)))
		}
		if float64(box.Max[a]) < hi {
			box.Max[a] = math.Nextafter32(box.Max[a], float32(math.Inf(1)))
		}
	}
	return box
}

// in reports whether the box contains the ball.
func (b *Ball) in(box *soa.AABB) bool {
	r := float64(b.Radius)
	for a := range 3 {
		c := float64(b.Center[a])
		if !(float64(box.Min[a]) <= c-r && c+r <= float64(box.Max[a])) { // also for NaN
			return false
		}
	}
	return r >= 0
}

// Round is an index whose objects may have a bounding sphere in addition to their box. Volume queries then
// test the sphere: the result contains an object if its sphere overlaps the volume, or if the volume contains
// its box. Rays and pairs use the box.
type Round interface {
	// SetBall sets the bounding sphere of a stored object until the object is moved or removed. The sphere must
	// lie in the object's box.
	SetBall(id uint32, b Ball)
}

// Balls is a table of bounding spheres by ID. The zero value is empty.
type Balls struct {
	byID []Ball // negative radius: none
	n    int
}

// Set stores the sphere of an object. It panics unless the box contains the sphere.
func (s *Balls) Set(id uint32, b Ball, box *soa.AABB) {
	if !b.in(box) {
		panic(fmt.Sprintf("index: the sphere %v of object %d is not in its box %v", b, id, *box))
	}
	for int(id) >= len(s.byID) {
		s.byID = append(s.byID, Ball{Radius: -1})
	}
	if s.byID[id].Radius < 0 {
		s.n++
	}
	s.byID[id] = b
}

// Drop removes the sphere of an object. Removing the last sphere frees the table.
func (s *Balls) Drop(id uint32) {
	if int(id) >= len(s.byID) || s.byID[id].Radius < 0 {
		return
	}
	s.byID[id].Radius = -1
	if s.n--; s.n == 0 {
		s.Reset()
	}
}

// Reset removes all spheres.
func (s *Balls) Reset() { s.byID, s.n = nil, 0 }

// Bytes returns the memory of the table.
func (s *Balls) Bytes() int { return cap(s.byID) * int(unsafe.Sizeof(Ball{})) }

// Meets reports whether an object is a result of a volume query. The test is as monotone as the test of
// boxes: an object outside the volume has a box that is outside or undecided, and an object in a contained
// box is a result.
func (s *Balls) Meets(v *Volume, it *Item) bool {
	if !v.Meets(&it.Box) {
		return false
	}
	if int(it.ID) >= len(s.byID) || s.byID[it.ID].Radius < 0 {
		return true
	}
	return v.MeetsBall(&s.byID[it.ID]) || v.Holds(&it.Box)
}

// ballMargin is an upper bound of the float64 rounding errors in the tests of balls, relative to the
// summands.
const ballMargin = 0x1p-49

// MeetsBall reports whether the ball overlaps the box or the ball of the volume, or reaches the inside of
// each plane of the frustum. The test is conservative: it has no false negatives, and false positives only
// within the float64 rounding errors.
func (v *Volume) MeetsBall(b *Ball) bool {
	switch v.shape {
	case shapeFrustum:
		return v.ballMeetsPlanes(b)
	case shapeBox:
		sum := 0.0
		for a := range 3 {
			c := float64(b.Center[a])
			d := max(float64(v.box.Min[a])-c, c-float64(v.box.Max[a]), 0)
			sum += float64(d * d)
		}
		r := float64(b.Radius)
		return sum <= float64(r*r)*(1+ballMargin)
	}
	sum := 0.0
	for a := range 3 {
		d := float64(b.Center[a]) - float64(v.sphere.Center[a])
		sum += float64(d * d)
	}
	r := float64(b.Radius) + float64(v.radius)
	return sum <= float64(r*r)*(1+ballMargin)
}

func (v *Volume) ballMeetsPlanes(b *Ball) bool {
	for i := range v.given {
		n := &v.given[i]
		// A product of two float32 is exact in float64.
		x, y, z := float64(n[0])*float64(b.Center[0]), float64(n[1])*float64(b.Center[1]), float64(n[2])*float64(b.Center[2])
		d, reach := float64(n[3]), float64(v.lengths[i]*float64(b.Radius))
		size := math.Abs(x) + math.Abs(y) + math.Abs(z) + math.Abs(d) + reach
		if x+y+z+d+reach < -ballMargin*size {
			return false
		}
	}
	return true
}
