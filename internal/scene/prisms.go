package scene

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// Prism is an upright prism on a convex polygon: a house.
type Prism struct {
	Base   [][2]float32 // counterclockwise
	Z0, Z1 float32
}

const (
	lotSide  = 15.0 // side of the lot of a house
	blockLot = 5    // lots on a side of a block
	alley    = 9.0  // distance between blocks
)

// PrismTown returns a town of houses, and small boxes scattered over all of it, including the
// inside of houses. The blocks have 5 by 5 lots, and all houses of a block have nearly the same
// orientation. They have 4 to 6 corners, and heights of 5 to 17.
func PrismTown(houses, small int, seed uint64) (prisms []Prism, objects []soa.Object) {
	r := newRandom(seed, 22)
	side := int(math.Ceil(math.Sqrt(float64(houses))))
	at := func(i int) float64 {
		return float64((float64(i)+0.5)*lotSide) + float64(float64(i/blockLot)*alley)
	}
	turns := map[[2]int][3]float64{}
	for i := range houses {
		x, y := i%side, i/side
		block := [2]int{x / blockLot, y / blockLot}
		h, ok := turns[block]
		if !ok {
			h = r.heading()
			turns[block] = h
		}
		h = unit(along(h, r.heading(), 0.05))
		prisms = append(prisms, r.house(at(x), at(y), h))
	}
	extent := at(side-1) + lotSide/2
	for range small {
		edges := [3]float64{r.between(0.2, 1.5), r.between(0.2, 1.5), r.between(0.2, 2)}
		o := standing(r.between(0, extent), r.between(0, extent), 0, edges)
		if r.IntN(4) == 0 { // hanging or flying
			up := float32(r.between(0, 12))
			o.Box.Min[2] += up
			o.Box.Max[2] += up
		}
		objects = append(objects, o)
	}
	return prisms, label(objects, everyThird)
}

// house returns a house whose longer side has the direction of h.
func (r random) house(x, y float64, h [3]float64) Prism {
	w, d := r.between(5, 8), r.between(4, 6.5)
	corners := [][2]float64{{-w, -d}, {w, -d}, {w, d}, {-w, d}}
	for range r.IntN(3) { // cut a corner off
		k := r.IntN(len(corners))
		c, before, after := corners[k], corners[(k+len(corners)-1)%len(corners)], corners[(k+1)%len(corners)]
		cut := func(to [2]float64) [2]float64 {
			f := r.between(0.1, 0.4)
			return [2]float64{c[0] + float64(f*(to[0]-c[0])), c[1] + float64(f*(to[1]-c[1]))}
		}
		two := [][2]float64{cut(before), cut(after)}
		corners = append(append(append([][2]float64{}, corners[:k]...), two...), corners[k+1:]...)
	}
	p := Prism{Z1: float32(r.between(5, 17))}
	for _, c := range corners {
		p.Base = append(p.Base, [2]float32{
			float32(x + float64(c[0]*h[0]) - float64(c[1]*h[1])),
			float32(y + float64(c[0]*h[1]) + float64(c[1]*h[0])),
		})
	}
	return p
}
