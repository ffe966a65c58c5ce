package collide

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Check returns an error if the filter is out of range: if Distance is negative, infinite or NaN. The error has
// the number.
func (f Filter) Check() error {
	if f.Distance >= 0 && f.Distance <= math.MaxFloat32 {
		return nil
	}
	return fmt.Errorf("collide: Filter.Distance %v is not a finite number of 0 or more", f.Distance)
}

// mustCheck panics if the filter is out of range.
func (f *Filter) mustCheck() {
	if err := f.Check(); err != nil {
		panic(err.Error())
	}
}

// setDistance sets the distance up to which the walk finds pairs.
func (w *search) setDistance(d float32) {
	if w.walk.Reach = d; d > 0 {
		w.limit = pair.MakeLimit(d)
	}
}

// keepNear keeps the hits whose boxes are within the distance. The kernel evaluates distances in float32, and lanes
// within its rounding errors of the limit are evaluated exactly.
func (w *search) keepNear() {
	p := &w.walk
	if !pair.Near(p, &w.limit, w.objects) {
		return
	}
	n := 0
	for _, h := range p.Hits {
		if h.Doubt != 0 {
			a := w.boxOfX(h.A)
			for m := h.Doubt; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m) & (soa.Lanes - 1)
				b := laneOf(&w.y.Packets.Bounds[h.B], l)
				if !exact.BoxesNear(&a, &b, p.Reach) {
					h.Mask &^= 1 << l
				}
			}
		}
		p.Hits[n] = h
		if h.Mask != 0 {
			n++
		}
	}
	p.Hits = p.Hits[:n]
}

// boxOfX returns the box of the object of X of a hit.
func (w *search) boxOfX(at soa.Location) [6]float32 {
	if w.objects {
		return laneOf((*soa.Packet)(&w.walk.X.Nodes[at.Slot()].Bounds), at.Lane())
	}
	return laneOf(&w.x.Packets.Bounds[at.Slot()], at.Lane())
}

// laneOf returns the box in a lane.
func laneOf(b *soa.Packet, l int) [6]float32 {
	l &= soa.Lanes - 1
	return [6]float32{b[0][l], b[1][l], b[2][l], b[3][l], b[4][l], b[5][l]}
}
