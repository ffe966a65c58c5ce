package picture

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// The town of pictures.
const (
	townName = "town"
	maxTown  = 100_000

	lotSide  = 10.0 // side of a house with its garden
	blockLot = 4    // lots on a side of a block
	street   = 7.0  // width of the streets between blocks
)

// lot is a possible position of a house.
type lot struct {
	x, y float64
	rank float64 // the lowest ranks are built on first
}

// town returns n houses of 3 to 9 units on the lots of square blocks, with streets in between and a river
// across. Lots near the middle are built on first, and some stay empty, so that the density decreases
// outwards.
func town(n int, seed uint64) []soa.Object {
	r := rand.New(rand.NewPCG(seed, 20))
	side := int(math.Ceil(math.Sqrt(float64(n) * 2.6)))
	position := func(i int) float64 { return float64(float64(i)*lotSide) + float64(float64(i/blockLot)*street) }
	half := position(side) / 2
	var lots []lot
	for i := range side {
		for j := range side {
			l := lot{x: position(i) - half, y: position(j) - half}
			u, v := l.x/half, l.y/half
			l.rank = float64(u*u) + float64(v*v) + float64(1.1*r.Float64())
			if bed := v - 0.28 + float64(0.5*u) + float64(float64(0.35*u)*u); math.Abs(bed) > 0.09 {
				lots = append(lots, l)
			}
		}
	}
	slices.SortStableFunc(lots, func(a, b lot) int {
		switch {
		case a.rank < b.rank:
			return -1
		case a.rank > b.rank:
			return 1
		}
		return 0
	})
	houses := make([]soa.Object, min(n, len(lots)))
	for i := range houses {
		var b soa.AABB
		for axis, low := range [2]float64{lots[i].x, lots[i].y} {
			edge := 3 + float64(6*r.Float64())
			low += float64((lotSide - edge) * r.Float64())
			b.Min[axis], b.Max[axis] = float32(low), float32(low+edge)
		}
		b.Max[2] = float32(4 + float64(16*r.Float64()))
		houses[i] = soa.Object{Box: b, Mask: 1, Static: true}
	}
	return houses
}
