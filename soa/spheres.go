package soa

import (
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
)

// SphereLanes are the bounding spheres of a packet in columns: x, y, z and radius. A negative
// radius means that the object has none.
type SphereLanes [4][Lanes]float32

var _ [0]struct{} = [unsafe.Sizeof(SphereLanes{}) - 256]struct{}{}

// noSpheres is the row of a packet without spheres.
var noSpheres = func() (s SphereLanes) {
	for l := range s[3] {
		s[3][l] = -1
	}
	return s
}()

// UseSpheres allocates the column of spheres, unless it is in use.
func (c *PacketColumns) UseSpheres() {
	if len(c.Spheres) == len(c.Counts) {
		return
	}
	c.Spheres = mem.Fresh(c.Spheres, len(c.Counts))
	for i := range c.Spheres {
		c.Spheres[i] = noSpheres
	}
}

// Sphere returns the bounding sphere x, y, z, radius of the object in a lane; ok is false if it has
// none.
func (c *PacketColumns) Sphere(slot uint32, lane int) (s [4]float32, ok bool) {
	if len(c.Spheres) == 0 {
		return s, false
	}
	b := &c.Spheres[slot]
	return [4]float32{b[0][lane], b[1][lane], b[2][lane], b[3][lane]}, b[3][lane] >= 0
}

// SetSphere writes the sphere of a lane. The column must be in use.
func (c *PacketColumns) SetSphere(slot uint32, lane int, s [4]float32) {
	for k, x := range s {
		c.Spheres[slot][k][lane] = x
	}
}

// DropSphere removes the sphere of a lane.
func (c *PacketColumns) DropSphere(slot uint32, lane int) {
	if len(c.Spheres) > 0 {
		c.SetSphere(slot, lane, [4]float32{3: -1})
	}
}
