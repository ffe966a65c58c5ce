package scene

import (
	"cmp"
	"math"
	"slices"
	"sort"

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
	half := s.reach(results, seed, cubeDistance)
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
	radius := s.reach(results, seed, squaredDistance)
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
// points.
func (s *survey) reach(results int, seed uint64, distance func(b *soa.AABB, p *[3]float64) float64) float64 {
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
	left := func(i int) float64 { return float64(s.sample[order[i]].Min[0]) }
	var origin soa.AABB
	var at [3]float64
	apart := func(x float64) float64 { // the distance of a gap along x
		at[0] = x
		return distance(&origin, &at)
	}

	// The k smallest distances so far, and up to k more recent ones.
	smallest := make([]float64, 0, 2*k)
	limit := math.Inf(1)
	r := newRandom(seed, 94)
	for range pilots {
		p, self := s.onObject(r)
		// The slack is more than the rounding of the difference.
		first := sort.Search(len(order), func(i int) bool {
			gap := p[0] - left(i)
			return apart(max(0, gap-widest-math.Abs(gap)*1e-9)) < limit
		})
		last := first + sort.Search(len(order)-first, func(i int) bool { return apart(max(0, left(first+i)-p[0])) >= limit })
		for _, i := range order[first:last] {
			d := distance(&s.sample[i], &p)
			if d >= limit || int(i) == self {
				continue
			}
			if smallest = append(smallest, d); len(smallest) == 2*k {
				limit = kth(smallest, k-1)
				smallest = smallest[:k]
			}
		}
	}
	return kth(smallest, k-1)
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
