package testkit

import (
	"math"

	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/soa"
)

// BoxesWithin reports whether two closed boxes are at most a distance apart, in exact arithmetic: the definition of a
// join by distance. float64 decides where it is far from the limit.
func BoxesWithin(a, b *soa.AABB, distance float32) bool {
	if distance == 0 {
		return a.Overlaps(*b)
	}
	sum, limit := 0.0, float64(distance)*float64(distance)
	for k := range 3 {
		d := max(float64(b.Min[k])-float64(a.Max[k]), float64(a.Min[k])-float64(b.Max[k]), 0)
		sum += d * d
	}
	if sum < limit*(1-0x1p-40) || sum > limit*(1+0x1p-40) {
		return sum < limit
	}
	exact := new(rational.Rat)
	for k := range 3 {
		d := new(rational.Rat)
		for _, ends := range [2][2]float32{{b.Min[k], a.Max[k]}, {a.Min[k], b.Max[k]}} {
			x, y := new(rational.Rat).SetFloat64(float64(ends[0])), new(rational.Rat).SetFloat64(float64(ends[1]))
			if x.Sub(x, y); x.Cmp(d) > 0 {
				d = x
			}
		}
		exact.Add(exact, d.Mul(d, d))
	}
	r := new(rational.Rat).SetFloat64(float64(distance))
	return exact.Cmp(r.Mul(r, r)) <= 0
}

// SweepNear is [ReferencePairsNear] by sweep and prune.
func SweepNear[B Boxed](boxes []B, distance float32) (pairs []IndexPair) {
	return sweep(boxes, float64(distance)*(1+0x1p-40), func(a, b *soa.AABB) bool { return BoxesWithin(a, b, distance) })
}

// ReferencePairsNear returns the pairs of boxes that are at most a distance apart, A < B, ascending,
// with a double loop.
func ReferencePairsNear[B Boxed](boxes []B, distance float32) (pairs []IndexPair) {
	for i := range boxes {
		for j := i + 1; j < len(boxes); j++ {
			if BoxesWithin(boxOf(&boxes[i]), boxOf(&boxes[j]), distance) {
				pairs = append(pairs, IndexPair{i, j})
			}
		}
	}
	return pairs
}

// ReferencePairsNearBetween returns the pairs of a box of a and a box of b that are at most a distance apart,
// ascending.
func ReferencePairsNearBetween[B Boxed](a, b []B, distance float32) (pairs []IndexPair) {
	for i := range a {
		for j := range b {
			if BoxesWithin(boxOf(&a[i]), boxOf(&b[j]), distance) {
				pairs = append(pairs, IndexPair{i, j})
			}
		}
	}
	return pairs
}

// TouchingDistance returns the distance of two boxes rounded to float32, or a neighbour of it, for a
// number that picks.
func TouchingDistance(a, b *soa.AABB, pick int) float32 {
	sum := 0.0
	for k := range 3 {
		d := max(float64(b.Min[k])-float64(a.Max[k]), float64(a.Min[k])-float64(b.Max[k]), 0)
		sum += d * d
	}
	r := float32(min(math.Sqrt(sum), math.MaxFloat32))
	switch pick % 4 {
	case 0:
		r = math.Nextafter32(r, 0)
	case 1:
		r = min(math.Nextafter32(r, math.MaxFloat32), math.MaxFloat32)
	}
	return r
}
