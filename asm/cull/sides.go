package cull

import (
	"math"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm/internal/lane"
	"github.com/zoctree/zoctree/soa"
)

// Sided is an object of a packet, and the sides of a box that contain its whole box.
type Sided struct {
	ID    uint32
	Sides uint32 // bits 2*a of the lower side on axis a, 2*a + 1 of the upper one; AllSides: the box contains it
}

// AllSides is the value of Sides of objects that are inside the box.
const AllSides = math.MaxUint32

// AppendSides appends the objects in lanes of a packet, ascending, with the sides of the box that contain them: an
// object is on the inner side of a lower side if its minimum is at least the minimum of the box. Touching is inside.
// It allocates only if out lacks room for 16 objects.
func (p *Box) AppendSides(out []Sided, packet *soa.Packet, ids *[soa.Lanes]uint32, lanes uint16) []Sided {
	out = slices.Grow(out, soa.Lanes)
	n := len(out)
	return out[:n+boxSides((*[soa.Lanes]Sided)(out[n:n+soa.Lanes]), packet, ids, uint32(lanes), p, 1)]
}

func boxSidesGo(out *[soa.Lanes]Sided, packet *soa.Packet, ids *[soa.Lanes]uint32, lanes uint32, p *Box) (n int) {
	for m := lanes & (1<<soa.Lanes - 1); m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
		sides := uint32(0)
		for a := 4; a >= 0; a -= 2 {
			sides = sides<<2 | lane.Bit(packet[a][l] >= p[a]) | lane.Bit(packet[a+1][l] <= p[a+1])<<1
		}
		if sides == 1<<6-1 {
			sides = AllSides
		}
		out[n&(soa.Lanes-1)] = Sided{ids[l], sides}
		n++
	}
	return n
}
