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

// Box returns the smallest box of float32 that holds the ball. Where the ball
// leaves the range of float32, so does the box.
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

// in reports whether the box holds the ball.
func (b *Ball) in(box *soa.AABB) bool {
	r := float64(b.Radius)
	for a := range 3 {
		c := float64(b.Center[a])
		if !(float64(box.Min[a]) <= c-r && c+r <= float64(box.Max[a])) { // also for a NaN
			return false
		}
	}
	return r >= 0
}

// Round is an index whose objects may have a bounding sphere beside their box.
// Then a volume asks the sphere: the object is part of the answer if its sphere
// meets the volume, or its box is held. The box stays what rays and pairs go by.
type Round interface {
	// SetBall gives a stored object a bounding sphere, which must lie in its
	// box, until the object is moved or removed.
	SetBall(id uint32, b Ball)
}

// Balls are the bounding spheres of the objects that have one, by ID. The zero
// value has none.
type Balls struct {
	byID []Ball // of a negative radius: none
	n    int
}

// Set stores the sphere of an object. It panics unless the box holds it.
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

// Drop makes an object a box again. The last one to go frees the table.
func (s *Balls) Drop(id uint32) {
	if int(id) >= len(s.byID) || s.byID[id].Radius < 0 {
		return
	}
	s.byID[id].Radius = -1
	if s.n--; s.n == 0 {
		s.Reset()
	}
}

// Reset drops all.
func (s *Balls) Reset() { s.byID, s.n = nil, 0 }

// Bytes returns the memory of the table.
func (s *Balls) Bytes() int { return cap(s.byID) * int(unsafe.Sizeof(Ball{})) }

// Meets reports whether an object is part of the answer to a volume. The test is
// as monotone as that of boxes: who does not meet the volume has a box that does
// not, or is asked about, and who lies in a box that is held is part of it.
func (s *Balls) Meets(v *Volume, it *Item) bool {
	if !v.Meets(&it.Box) {
		return false
	}
	if int(it.ID) >= len(s.byID) || s.byID[it.ID].Radius < 0 {
		return true
	}
	return v.MeetsBall(&s.byID[it.ID]) || v.Holds(&it.Box)
}

// ballMargin is above the roundings to float64 in the tests of balls, relative
// to the terms of the sum.
const ballMargin = 0x1p-49

// MeetsBall reports whether the ball shares a point with the box or the ball
// that the volume is, or reaches the inside of each plane of the frustum. It
// leaves no such ball out, and lets in only those that are nearer than the
// roundings to float64.
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
