package scene

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// sampleSize is the number of objects that represent a larger scene: a share of 1 % measured on it
// has an error of 4 % (one standard deviation).
const sampleSize = 65536

// survey holds the statistics of a scene for cameras and queries.
type survey struct {
	sample   []soa.AABB // all boxes, or a random sample of many
	objects  int
	min, max [3]float64 // of the sample
	middle   [3]float64
	radius   float64 // half the diagonal
	flat     bool    // the deviation of centres in z is at most a quarter of the deviation in x and y
	spacing  float64 // mean distance of neighbours, in the plane if flat
}

func newSurvey(objects []soa.Object, seed uint64) survey {
	s := survey{sample: sampleOf(objects, seed), objects: len(objects)}
	if len(objects) == 0 {
		return s
	}
	bounds := soa.Empty()
	var mean, deviation [3]float64
	for i := range s.sample {
		bounds = bounds.Union(s.sample[i])
		mean = along(mean, centre(&s.sample[i]), 1/float64(len(s.sample)))
	}
	for i := range s.sample {
		c := centre(&s.sample[i])
		for a := range 3 {
			deviation[a] += math.Abs(c[a] - mean[a])
		}
	}
	s.flat = deviation[2] < min(deviation[0], deviation[1])/4

	var edges [3]float64
	for a := range 3 {
		s.min[a], s.max[a] = float64(bounds.Min[a]), float64(bounds.Max[a])
		edges[a] = s.max[a] - s.min[a]
	}
	s.middle = centre(&bounds)
	s.radius = math.Sqrt(dot(edges, edges)) / 2
	if s.flat {
		s.spacing = math.Sqrt(edges[0] * edges[1] / float64(len(objects)))
	} else {
		s.spacing = cbrt(edges[0] * edges[1] * edges[2] / float64(len(objects)))
	}
	return s
}

func sampleOf(objects []soa.Object, seed uint64) []soa.AABB {
	sample := make([]soa.AABB, min(len(objects), sampleSize))
	r := newRandom(seed, 98)
	for i := range sample {
		k := i
		if len(objects) > sampleSize {
			k = r.IntN(len(objects))
		}
		sample[i] = objects[k].Box
	}
	return sample
}

func centre(b *soa.AABB) (c [3]float64) {
	for a := range 3 {
		c[a] = float64(b.Min[a])/2 + float64(b.Max[a])/2
	}
	return c
}

// nearObject returns a point at a Gaussian distance of about the spacing from a random object.
func (s *survey) nearObject(r random) [3]float64 {
	if len(s.sample) == 0 {
		return [3]float64{}
	}
	c := centre(&s.sample[r.IntN(len(s.sample))])
	return along(c, [3]float64{r.normal(), r.normal(), r.normal()}, s.spacing)
}

// anywhere returns a point uniform in the bounds of the scene, grown by the given fraction of their
// edges on each side.
func (s *survey) anywhere(r random, grown float64) (p [3]float64) {
	for a := range 3 {
		margin := float64((s.max[a] - s.min[a]) * grown)
		p[a] = r.between(s.min[a]-margin, s.max[a]+margin)
	}
	return p
}
