package scene

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// city returns boxes on a plane of side 12 * sqrt(n). 80 % of the objects are in n/500 Gaussian
// clusters whose populations fall as 1/rank and whose areas grow with the population; 20 % are
// scattered. Boxes have edges of 0.3 to 4 units, half of them on the ground and half on one of ten
// floors above it. 1 % are scattered on the ground and mostly low, with edges of 20 to 200 units.
func city(n int, seed uint64) []soa.Object {
	r := newRandom(seed, 9)
	objects := make([]soa.Object, 0, n)
	side := 12 * math.Sqrt(float64(n))

	for range n / 100 {
		edges := [3]float64{r.between(20, 200), r.between(20, 200), r.power(20, 200)}
		objects = append(objects, standing(r.between(0, side), r.between(0, side), 0, edges))
	}
	for len(objects) < n/5 {
		objects = append(objects, r.building(r.between(0, side), r.between(0, side)))
	}

	inClusters, total := float64(n-len(objects)), 0.0
	clusters := max(1, n/500)
	for rank := 1; rank <= clusters; rank++ {
		total += 1 / float64(rank)
	}
	first, share := len(objects), 0.0
	for rank := 1; rank <= clusters; rank++ {
		share += 1 / float64(rank) / total
		end := first + int(math.Round(float64(inClusters*share)))
		if rank == clusters {
			end = n
		}
		x, y := r.between(0, side), r.between(0, side)
		sigma := 2 * math.Sqrt(float64(end-len(objects)))
		for len(objects) < end {
			objects = append(objects, r.building(x+float64(r.normal()*sigma), y+float64(r.normal()*sigma)))
		}
	}
	r.shuffle(objects)
	return label(objects, allButEverySeventh)
}

// building returns a small box on the ground or on a floor above (x, y).
func (r random) building(x, y float64) soa.Object {
	const floor = 4
	z := 0.0
	if r.IntN(2) == 0 {
		z = floor * float64(1+r.IntN(10))
	}
	return standing(x, y, z, [3]float64{r.between(0.3, 4), r.between(0.3, 4), r.between(0.3, 4)})
}

// standing returns a box with the centre of its base at (x, y, z).
func standing(x, y, z float64, edges [3]float64) soa.Object {
	return soa.Object{Box: soa.AABB{
		Min: [3]float32{float32(x - edges[0]/2), float32(y - edges[1]/2), float32(z)},
		Max: [3]float32{float32(x + edges[0]/2), float32(y + edges[1]/2), float32(z + edges[2])},
	}}
}
