package lab

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
	deep "github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// The reference functions visit all objects of all instances in float64 and test each by the definition: its
// shape is the transformed box. Certain hits must be in the result, and every result must be a hit within a
// tolerance, which is a few times the tolerance in the contract of package query/scene. A box around the
// transformed box would be too coarse.

// sightTolerance is the tolerance relative to the largest coordinate.
const sightTolerance = 0x1p-18

// referenceQueries is the number of queries, spread over a list, that are compared with the reference.
const referenceQueries = 8

// sampled returns the indices of the queries to compare.
func sampled(n int) (list []int) {
	count := min(n, referenceQueries)
	for k := range count {
		list = append(list, k*n/count)
	}
	return list
}

// widest returns the largest absolute coordinate of the scene.
func (b *Instances) widest() (most float64) {
	all := b.View.Bounds()
	for a := range 3 {
		most = max(most, -float64(all.Min[a]), float64(all.Max[a]))
	}
	return most
}

// objects calls f for each object of each instance, with its index in the flat tree, the instance, and its
// box in the part.
func (b *Instances) objects(f func(image, instance int, box *soa.AABB)) {
	for i := range b.Where {
		part := b.Parts[b.Where[i].Part].View()
		for id := range uint32(part.Len()) {
			o, _ := part.Object(id)
			f(b.First[i]+int(id), i, &o.Box)
		}
	}
}

// compare compares a result of the scene with the verdict of judge on each object.
func compare[V query.Volume](b *Instances, volume V, judge func(s *solid) (surely, possibly bool)) error {
	found := make([]bool, len(b.Flat.Objects))
	if err := answer(b, volume, found); err != nil {
		return err
	}
	missing, extra := 0, 0
	b.objects(func(image, instance int, box *soa.AABB) {
		s := solidOf(&b.Where[instance].Rows, box)
		surely, possibly := judge(&s)
		if surely && !found[image] {
			missing++
		}
		if !possibly && found[image] {
			extra++
		}
	})
	if missing+extra > 0 {
		return fmt.Errorf("the scene and the reference differ: %d objects are missing, %d too many", missing, extra)
	}
	return nil
}

// CheckFrusta compares the results of frustum queries, given by their planes, with the reference.
func (b *Instances) CheckFrusta(planes [][6][4]float32, frusta []query.Frustum) error {
	wide := b.widest()
	for _, k := range sampled(len(frusta)) {
		var sides [6][4]float64
		for i := range sides {
			for j := range 4 {
				sides[i][j] = float64(planes[k][i][j])
			}
		}
		err := compare(b, frusta[k], func(s *solid) (surely, possibly bool) {
			surely = true
			for i := range sides {
				p := &sides[i]
				most, size := s.above(p)
				tolerance := (math.Abs(p[0])+math.Abs(p[1])+math.Abs(p[2]))*wide + math.Abs(p[3])
				if most < -size*slip-tolerance*sightTolerance {
					return false, false
				}
				surely = surely && most >= size*slip
			}
			return surely, true
		})
		if err != nil {
			return fmt.Errorf("frustum %d: %w", k, err)
		}
	}
	return nil
}

// CheckBoxes compares the results of box queries with the reference.
func (b *Instances) CheckBoxes(given []soa.AABB, boxes []query.Box) error {
	tolerance := b.widest() * sightTolerance
	for _, k := range sampled(len(boxes)) {
		box := solidOf(&[12]float64{0: 1, 5: 1, 10: 1}, &given[k])
		err := compare(b, boxes[k], func(s *solid) (surely, possibly bool) { return s.meets(&box, tolerance) })
		if err != nil {
			return fmt.Errorf("box %d: %w", k, err)
		}
	}
	return nil
}

// CheckRays compares the first hits of rays with the reference: not later than the first certain hit, and not
// earlier than the entry into the returned object.
func (b *Instances) CheckRays(given []scene.Ray, rays []query.Ray) error {
	inverses := make([][12]float64, len(b.Where))
	for i := range b.Where {
		inverses[i] = inverse(&b.Where[i].Rows)
	}
	for _, k := range sampled(len(rays)) {
		first := math.Inf(1)
		g := &given[k]
		for i := range b.Where {
			r := localRay(&inverses[i], g)
			part := b.Parts[b.Where[i].Part].View()
			for id := range uint32(part.Len()) {
				o, _ := part.Object(id)
				if from, to := r.through(&o.Box, 0); from+slip*(1+from) <= to-slip*(1+to) {
					first = min(first, from)
				}
			}
		}
		hit, ok := deep.First(rays[k], b.View, query.Filter{})
		dist := float64(hit.Dist)
		wide := first*0x1p-19 + slip
		if !ok {
			dist = math.Inf(1)
		}
		if first < math.Inf(1) && !(dist <= first+wide) {
			return fmt.Errorf("ray %d: the first hit is returned at %v, but is at %v", k, dist, first)
		}
		if !ok {
			continue
		}
		instance := int(hit.Path.At(0))
		part := b.Parts[b.Where[instance].Part]
		o, _ := part.View().Object(hit.ID)
		all := part.Bounds()
		extent := 0.0
		for a := range 3 {
			extent = max(extent, -float64(all.Min[a]), float64(all.Max[a]))
		}
		r := localRay(&inverses[instance], g)
		from, to := r.through(&o.Box, extent*sightTolerance)
		if !(from <= to) || dist < from-(1+from)*0x1p-20 {
			return fmt.Errorf("ray %d: object %d at %v is a hit at %v; its range is %v to %v", k, hit.ID, hit.Path, dist, from, to)
		}
	}
	return nil
}

// inverse returns the rows of the inverse of an affine map.
func inverse(rows *[12]float64) (inv [12]float64) {
	var m [3][3]float64
	t := [3]float64{rows[3], rows[7], rows[11]}
	for i := range 3 {
		m[i] = [3]float64(rows[4*i:])
	}
	bc := outer(&m[1], &m[2])
	det := inner(&m[0], &bc)
	for j := range 3 {
		column := outer(&m[(j+1)%3], &m[(j+2)%3])
		for i := range 3 {
			inv[4*i+j] = column[i] / det
		}
	}
	for i := range 3 {
		n := [3]float64(inv[4*i:])
		inv[4*i+3] = -inner(&n, &t)
	}
	return inv
}

// line is a ray in float64 that ends at time end.
type line struct {
	origin, dir [3]float64
	end         float64
}

func localRay(inv *[12]float64, r *scene.Ray) (l line) {
	l.end = float64(r.MaxT)
	for i := range 3 {
		l.origin[i] = inv[4*i+3]
		for j := range 3 {
			l.origin[i] += inv[4*i+j] * float64(r.Origin[j])
			l.dir[i] += inv[4*i+j] * float64(r.Dir[j])
		}
	}
	return l
}

// through returns the times at which the ray enters and leaves a box enlarged by grown on each side; from is
// above to if the ray misses.
func (l *line) through(b *soa.AABB, grown float64) (from, to float64) {
	from, to = 0, l.end
	for a := range 3 {
		lo, hi := float64(b.Min[a])-grown-l.origin[a], float64(b.Max[a])+grown-l.origin[a]
		if l.dir[a] == 0 {
			if lo > 0 || hi < 0 {
				return 1, 0
			}
			continue
		}
		in, out := lo/l.dir[a], hi/l.dir[a]
		from, to = max(from, min(in, out)), min(to, max(in, out))
	}
	return from, to
}
