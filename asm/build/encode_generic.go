package build

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// lastCell is the number of the last of 2^21 cells.
const lastCell = 1<<21 - 1

// Centre returns the midpoint of lo and hi as every tier evaluates it: two products, rounded
// separately, and their sum. It cannot overflow.
func Centre(lo, hi float32) float32 { return float32(lo*0.5) + float32(hi*0.5) }

// Cell returns the cell of coordinate c on one axis: floor(c/side) - origin, clamped to 0 and 2^21
// - 1. For a NaN it returns 0.
func (g *Grid) Cell(c float32, axis int) uint32 {
	switch f := g.Offset(c, axis); {
	case !(f > 0):
		return 0
	case f >= lastCell:
		return lastCell
	default:
		return uint32(int32(f))
	}
}

// Offset returns floor(c/side) - origin without the clamp. The coordinate is inside the cube if the
// offset is at least 0 and less than 2^21.
func (g *Grid) Offset(c float32, axis int) float32 {
	t := c * g.Inv
	f := float32(math.Floor(float64(t)))
	if t == 0 && c < 0 {
		f = -1 // the product underflowed
	}
	return f - g.Origin[axis]
}

// Key returns the Morton key of the cell of a point.
func (g *Grid) Key(x, y, z float32) uint64 {
	return spread21(g.Cell(x, 0)) | spread21(g.Cell(y, 1))<<1 | spread21(g.Cell(z, 2))<<2
}

// spread21 moves bit i of a 21-bit number to bit 3i, a byte at a time.
func spread21(v uint32) uint64 {
	return uint64(spreadByte[v&255]) | uint64(spreadByte[v>>8&255])<<24 | uint64(spreadByte[v>>16&31])<<48
}

// spreadByte[b] has bit i of b at bit 3i.
var spreadByte = func() (t [256]uint32) {
	for b := range t {
		for i := range 8 {
			t[b] |= uint32(b) >> i & 1 << (3 * i)
		}
	}
	return t
}()

func encodeBoxesGo(keys []uint64, g *Grid, boxes []float32, stride int) {
	for i := range keys {
		b := boxes[i*stride:][:6]
		keys[i] = g.Key(Centre(b[0], b[3]), Centre(b[1], b[4]), Centre(b[2], b[5]))
	}
}

func encodePacketsGo(keys []uint64, src []soa.Location, g *Grid, packets []soa.Packet, counts []uint8, first int) {
	j := 0
	for i := range packets {
		p := &packets[i]
		for lane := range counts[i] & (2*soa.Lanes - 1) {
			keys[j] = g.Key(
				Centre(p[soa.MinX][lane], p[soa.MaxX][lane]),
				Centre(p[soa.MinY][lane], p[soa.MaxY][lane]),
				Centre(p[soa.MinZ][lane], p[soa.MaxZ][lane]))
			src[j] = soa.MakeLocation(uint32(first+i), int(lane))
			j++
		}
	}
}

// extremes is minx miny minz maxx maxy maxz of boxes, then of their centres.
type extremes [12]float32

func (e *extremes) clear() {
	inf := float32(math.Inf(1))
	for i := 0; i < len(e); i += 6 {
		e[i], e[i+1], e[i+2] = inf, inf, inf
		e[i+3], e[i+4], e[i+5] = -inf, -inf, -inf
	}
}

// bounds returns the six extremes from e[at] on as a minimum and a maximum per axis. Zeros become
// +0, because the tiers differ in the order of equal zeros.
func (e *extremes) bounds(at int) (b [6]float32) {
	for a := range 3 {
		b[2*a], b[2*a+1] = e[at+a]+0, e[at+a+3]+0
	}
	return b
}

// surveyGo adds n boxes to e, up to the first bad box, and returns its index, or -1.
func surveyGo(e *extremes, boxes []float32, stride, n int) (bad int) {
	for i := range n {
		b := boxes[i*stride:][:6]
		for a := range 3 {
			lo, hi := b[a], b[a+3]
			if !(lo >= -math.MaxFloat32 && lo <= hi && hi <= math.MaxFloat32) {
				return i
			}
			c := Centre(lo, hi)
			if lo < e[a] { // the built-in functions take longer, to order NaNs
				e[a] = lo
			}
			if hi > e[a+3] {
				e[a+3] = hi
			}
			if c < e[a+6] {
				e[a+6] = c
			}
			if c > e[a+9] {
				e[a+9] = c
			}
		}
	}
	return -1
}
