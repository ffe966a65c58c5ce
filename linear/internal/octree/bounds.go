package octree

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/soa"
)

// CheckSphere returns the error of a sphere that is invalid for an object with that box.
func CheckSphere(s [4]float32, box soa.AABB) error {
	r := float64(s[3])
	if !(r >= 0 && r <= math.MaxFloat32) {
		return BadRadius(s)
	}
	for a := range 3 {
		c, lo, hi := float64(s[a]), float64(box.Min[a]), float64(box.Max[a])
		slack := 0x1p-20 * (math.Abs(lo) + math.Abs(hi) + r)
		if !(c-r >= lo-slack && c+r <= hi+slack) { // a NaN fails
			return fmt.Errorf("sphere %v is not in the box %v to %v", s, box.Min, box.Max)
		}
	}
	return nil
}

// CheckInside returns the error of an oriented box that is invalid for an object with that box.
// With its centre in the box, every volume that contains the box intersects the oriented box.
func CheckInside(b *soa.OrientedBox, box soa.AABB) error {
	if err := b.Check(); err != nil {
		return err
	}
	for a := range 3 {
		c, lo, hi := float64(b.Center[a]), float64(box.Min[a]), float64(box.Max[a])
		r := math.Abs(float64(b.Axes[0][a])) + math.Abs(float64(b.Axes[1][a])) + math.Abs(float64(b.Axes[2][a]))
		slack := 0x1p-20 * (math.Abs(lo) + math.Abs(hi) + r)
		if !(c >= lo && c <= hi && c-r >= lo-slack && c+r <= hi+slack) {
			return fmt.Errorf("oriented box %v is not in the box %v to %v", *b, box.Min, box.Max)
		}
	}
	return nil
}

// BadRadius returns the error of a sphere with an invalid radius.
func BadRadius(s [4]float32) error {
	return fmt.Errorf("sphere %v has the radius %v, want one of 0 or more", s, s[3])
}

// BoundsOf returns the union of all boxes, the smallest one after a refit.
func BoundsOf(s *soa.Store) soa.AABB {
	box := soa.Empty()
	if len(s.Nodes.Hot) > 0 {
		box = NodeBox(&s.Nodes.Hot[0])
	}
	for _, slot := range s.Pending {
		b, n := &s.Packets.Bounds[slot], int(s.Packets.Counts[slot])
		for a := range 3 {
			least, most := box.Min[a], box.Max[a]
			for l := range n { // few boxes widen it: branches cost less than minima
				if x := b[2*a][l]; x < least {
					least = x
				}
				if x := b[2*a+1][l]; x > most {
					most = x
				}
			}
			box.Min[a], box.Max[a] = least, most
		}
	}
	return box
}

// RadiusOf returns an upper bound of the distance of all boxes from the origin.
func RadiusOf(s *soa.Store) float64 {
	square := 0.0
	if len(s.Nodes.Hot) > 0 {
		square = farthest(&s.Nodes.Hot[0].Bounds, int(s.Nodes.Used[0]))
	}
	for _, slot := range s.Pending {
		square = max(square, farthest(&s.Packets.Bounds[slot], int(s.Packets.Counts[slot])))
	}
	return Radius(square)
}

// Radius returns an upper bound of the square root of a rounded sum of three squares.
func Radius(square float64) float64 { return float64(math.Sqrt(square) * (1 + 0x1p-50)) }

// farthest returns the squared distance from the origin of the farthest corner of n boxes.
func farthest(b *soa.Packet, n int) (square float64) {
	for l := range n {
		sum := 0.0
		for a := range 3 {
			x := float64(max(-b[2*a][l], b[2*a+1][l], 0)) // 0 for an empty box
			sum += float64(x * x)
		}
		square = max(square, sum)
	}
	return square
}
