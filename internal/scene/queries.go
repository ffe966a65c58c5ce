package scene

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/zoctree/zoctree/internal/nth"
	"github.com/zoctree/zoctree/soa"
)

// Sphere is a closed ball.
type Sphere struct {
	Center [3]float32
	Radius float32
}

// Ray is the points Origin + t*Dir for t in [0, MaxT]; Dir is a unit vector up
// to rounding.
type Ray struct {
	Origin, Dir [3]float32
	MaxT        float32
}

// BoxQueries returns cubes of one size centred on points of random objects. The size is such that
// they overlap about results objects on average.
func BoxQueries(objects []soa.Object, results, count int, seed uint64) []soa.AABB {
	s := newSurvey(objects, seed)
	half := s.reach(results, seed, cubeDistance, func(d float64) float64 { return d })
	r := newRandom(seed, 90)
	boxes := make([]soa.AABB, count)
	for i := range boxes {
		p, _ := s.onObject(r)
		boxes[i] = around(p, [3]float64{half, half, half})
	}
	return boxes
}

// SphereQueries returns spheres of one size centred on points of random objects. The size is such
// that they overlap about results boxes on average.
func SphereQueries(objects []soa.Object, results, count int, seed uint64) []Sphere {
	s := newSurvey(objects, seed)
	radius := s.reach(results, seed, squaredDistance, math.Sqrt)
	r := newRandom(seed, 91)
	spheres := make([]Sphere, count)
	for i := range spheres {
		p, _ := s.onObject(r)
		spheres[i] = Sphere{float32s(p), float32(math.Sqrt(radius))}
	}
	return spheres
}

// RayQueries returns rays of random direction. Rays of even index start near a random object, the
// others anywhere in the bounds grown by a tenth. All are long enough to leave the scene.
func RayQueries(objects []soa.Object, count int, seed uint64) []Ray {
	s := newSurvey(objects, seed)
	r := newRandom(seed, 92)
	rays := make([]Ray, count)
	for i := range rays {
		origin := s.somewhere(r, i, 0.1)
		rays[i] = Ray{float32s(origin), float32s(r.direction()), float32(4 * s.radius)}
	}
	return rays
}

// PointQueries returns points. Points of even index are near a random object, the others anywhere
// in the bounds.
func PointQueries(objects []soa.Object, count int, seed uint64) [][3]float32 {
	s := newSurvey(objects, seed)
	r := newRandom(seed, 93)
	points := make([][3]float32, count)
	for i := range points {
		points[i] = float32s(s.somewhere(r, i, 0))
	}
	return points
}

func (s *survey) somewhere(r random, i int, grown float64) [3]float64 {
	if i%2 == 0 {
		return s.nearObject(r)
	}
	return s.anywhere(r, grown)
}

// onObject returns a point uniform in the box of a random object and the index of the object in the
// sample, -1 for an empty sample.
func (s *survey) onObject(r random) (p [3]float64, index int) {
	if len(s.sample) == 0 {
		return p, -1
	}
	index = r.IntN(len(s.sample))
	b := &s.sample[index]
	for a := range 3 {
		p[a] = r.between(float64(b.Min[a]), float64(b.Max[a]))
	}
	return p, index
}

// reach returns the distance from points on objects within which there are results objects on
// average: the object itself, and others as estimated from the sample with a few hundred such
// points. A box at a distance d has a distance of at most length(d) along each axis.
func (s *survey) reach(results int, seed uint64, distance func(b *soa.AABB, p *[3]float64) float64, length func(d float64) float64) float64 {
	const pilots = 256
	if len(s.sample) < 2 || results < 2 {
		return 0
	}
	others := float64(pilots*(results-1)) * (float64(len(s.sample)) / float64(s.objects))
	k := min(max(1, int(math.Round(others))), pilots*(len(s.sample)-1))

	// The boxes by their minimum x. A box is at least as far from a point as its interval of x.
	order := make([]int32, len(s.sample))
	widest := 0.0
	for i, b := range s.sample {
		order[i] = int32(i)
		widest = max(widest, float64(b.Max[0])-float64(b.Min[0]))
	}
	slices.SortFunc(order, func(i, j int32) int { return cmp.Compare(s.sample[i].Min[0], s.sample[j].Min[0]) })
	points, selves := make([][3]float64, pilots), make([]int32, pilots)
	r := newRandom(seed, 94)
	for i := range points {
		p, self := s.onObject(r)
		points[i], selves[i] = p, int32(self)
	}
	collect := func(order []int32, k int, limit float64) []float64 {
		return s.nearest(points, selves, order, widest, k, limit, distance, length)
	}

	// A part of the sample gives a limit, which saves most distances. If it is too small, there are fewer than k.
	const part = 16
	limit := math.Inf(1)
	if some := k / part; some >= 16 {
		var every []int32
		for i := 0; i < len(order); i += part {
			every = append(every, order[i])
		}
		if d := collect(every, some, limit); len(d) >= some {
			limit = 1.5 * nth.Element(d, some-1)
		}
	}
	d := collect(order, k, limit)
	if len(d) < k {
		d = collect(order, k, math.Inf(1))
	}
	return nth.Element(d, k-1)
}

// nearest returns the k smallest distances below limit of points from objects of the sample, and up to k more, or all
// of them if they are fewer. The objects are ordered by their minimum x and are at most widest wide. Object selves[i]
// has no distance from points[i].
func (s *survey) nearest(points [][3]float64, selves, order []int32, widest float64, k int, limit float64, distance func(b *soa.AABB, p *[3]float64) float64, length func(d float64) float64) []float64 {
	left := func(i int) float64 { return float64(s.sample[order[i]].Min[0]) }
	smallest := make([]float64, 0, 2*k)
	for n, p := range points {
		// The slack is more than the rounding of the root, and of the difference.
		side := length(limit) * (1 + 1e-9)
		first := sort.Search(len(order), func(i int) bool {
			gap := p[0] - left(i)
			return gap-widest-math.Abs(gap)*1e-9 < side
		})
		last := first + sort.Search(len(order)-first, func(i int) bool { return left(first+i)-p[0] >= side })
		for _, i := range order[first:last] {
			b := &s.sample[i]
			if float64(b.Min[1])-p[1] >= side || p[1]-float64(b.Max[1]) >= side || float64(b.Min[2])-p[2] >= side || p[2]-float64(b.Max[2]) >= side {
				continue
			}
			d := distance(b, &p)
			if d >= limit || i == selves[n] {
				continue
			}
			if smallest = append(smallest, d); len(smallest) == 2*k {
				limit = nth.Element(smallest, k-1)
				smallest = smallest[:k]
				side = length(limit) * (1 + 1e-9)
			}
		}
	}
	return smallest
}

// cubeDistance returns half the edge of the smallest cube about p that touches b.
func cubeDistance(b *soa.AABB, p *[3]float64) (d float64) {
	for a := range 3 {
		d = max(d, float64(b.Min[a])-p[a], p[a]-float64(b.Max[a]))
	}
	return d
}

// squaredDistance returns the squared distance of p from b.
func squaredDistance(b *soa.AABB, p *[3]float64) (d float64) {
	for a := range 3 {
		e := max(0, float64(b.Min[a])-p[a], p[a]-float64(b.Max[a]))
		d += float64(e * e)
	}
	return d
}
