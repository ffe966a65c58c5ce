package lab

import (
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	deep "github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// NearestTask finds the k objects of the scene nearest to points; its unit is a point.
func (b *Instances) NearestTask(points [][3]float32, k int) measure.Task {
	var near []deep.Neighbor
	return measure.Task{Units: len(points), Do: func() (found uint64) {
		for i := range points {
			near, _ = b.nearest(near, points[i], k)
			found += uint64(len(near))
		}
		return found
	}}
}

// nearest writes the k objects nearest to a point over dst.
func (b *Instances) nearest(dst []deep.Neighbor, point [3]float32, k int) ([]deep.Neighbor, error) {
	return deep.AppendNearest(dst[:0], b.View, point, k, AnyDistance, query.Filter{})
}

// PairsTask finds all pairs of the scene. Pairs inside a part are returned once, or with whole paths for each
// instance, as a flat tree returns them.
func (b *Instances) PairsTask(instances bool) measure.Task {
	var pairs []deep.Pair
	return measure.Task{Units: 1, Do: func() uint64 {
		pairs = deep.AppendPairs(pairs[:0], b.View, pairFilter(instances))
		return uint64(len(pairs))
	}}
}

// AllPairs returns the pairs of all instanced objects, by their paths.
func (b *Instances) AllPairs() []deep.Pair {
	return deep.AppendPairs(nil, b.View, pairFilter(true))
}

func pairFilter(instances bool) deep.PairFilter {
	return deep.PairFilter{Filter: collide.Filter{StaticPairs: true}, Instances: instances}
}

// CheckNearest compares the k nearest objects with the reference: the smallest distances of all objects, and
// the distances of the returned objects.
func (b *Instances) CheckNearest(points [][3]float32, k int) error {
	inverses := make([][12]float64, len(b.Where))
	for i := range b.Where {
		inverses[i] = inverse(&b.Where[i].Rows)
	}
	wide := b.widest()
	for _, i := range sampled(len(points)) {
		point := points[i]
		dist := make([]float64, len(b.Flat.Objects))
		b.objects(func(image, instance int, box *soa.AABB) {
			dist[image] = b.distance(&inverses[instance], &point, instance, image, box)
		})
		near, err := b.nearest(nil, point, k)
		if err != nil {
			return err
		}
		if want := min(k, len(dist)); len(near) != want {
			return fmt.Errorf("point %d has %d neighbours, want %d", i, len(near), want)
		}
		least := slices.Clone(dist)
		slices.Sort(least)
		seen := make(map[int]bool)
		for rank, n := range near {
			image := b.First[n.Path.At(0)] + int(n.ID)
			tolerance := float64(n.Dist)*0x1p-14 + wide*0x1p-20
			if seen[image] || math.Abs(dist[image]-float64(n.Dist)) > tolerance {
				return fmt.Errorf("point %d: object %d at %v has the distance %v in the result, or is in it twice; it is at %v", i, n.ID, n.Path, n.Dist, dist[image])
			}
			seen[image] = true
			if math.Abs(least[rank]-float64(n.Dist)) > tolerance {
				return fmt.Errorf("point %d: neighbour %d has the distance %v, want %v", i, rank, n.Dist, least[rank])
			}
		}
	}
	return nil
}

// CheckSpheres compares the results of sphere queries with the reference. Under a transform that is no
// similarity, only objects with their centre in the sphere are certain hits.
func (b *Instances) CheckSpheres(given [][4]float32, spheres []query.Sphere) error {
	inverses := make([][12]float64, len(b.Where))
	for i := range b.Where {
		inverses[i] = inverse(&b.Where[i].Rows)
	}
	wide := b.widest()
	found := make([]bool, len(b.Flat.Objects))
	for _, k := range sampled(len(spheres)) {
		if err := answer(b, spheres[k], found); err != nil {
			return err
		}
		center, radius := [3]float32(given[k][:3]), float64(given[k][3])
		tolerance := radius*0x1p-14 + wide*sightTolerance
		missing, extra := 0, 0
		b.objects(func(image, instance int, box *soa.AABB) {
			least := b.distance(&inverses[instance], &center, instance, image, box)
			most := least
			if low, high := (*xform.Transform)(&b.Transforms[instance]).Stretch(); high*(1-0x1p-16) > low {
				s, square := solidOf(&b.Where[instance].Rows, box), 0.0
				for a := range 3 {
					d := s.center[a] - float64(center[a])
					square += d * d
				}
				most = math.Sqrt(square)
			}
			if most < radius-tolerance && !found[image] {
				missing++
			}
			if least > radius+tolerance && found[image] {
				extra++
			}
		})
		if missing+extra > 0 {
			return fmt.Errorf("sphere %d: the scene and the reference differ: %d objects are missing, %d too many", k, missing, extra)
		}
	}
	return nil
}

// distance returns the distance of an instanced object from a point, as package query/scene defines it: under
// a transform that is no similarity, a lower bound.
func (b *Instances) distance(inv *[12]float64, point *[3]float32, instance, image int, box *soa.AABB) float64 {
	var local, world [3]float64
	for r := range 3 {
		world[r] = float64(point[r])
		local[r] = inv[4*r+3]
		for j := range 3 {
			local[r] += inv[4*r+j] * float64(point[j])
		}
	}
	least, most := (*xform.Transform)(&b.Transforms[instance]).Stretch()
	inside := gapTo(&local, box) * least
	if most*(1-0x1p-16) <= least {
		return inside
	}
	return max(inside, gapTo(&world, &b.Flat.Objects[image].Box))
}

// gapTo returns the distance of a point from a box.
func gapTo(p *[3]float64, box *soa.AABB) float64 {
	sum := 0.0
	for a := range 3 {
		d := max(float64(box.Min[a])-p[a], p[a]-float64(box.Max[a]), 0)
		sum += d * d
	}
	return math.Sqrt(sum)
}

// CheckPairs compares the pairs of a sample of instanced objects with the reference. It also checks how often
// pairs inside parts are returned if instances do not count.
func (b *Instances) CheckPairs() error {
	var solids []solid
	b.objects(func(_, instance int, box *soa.AABB) { solids = append(solids, solidOf(&b.Where[instance].Rows, box)) })
	of := func(o *deep.Object) int { return b.First[o.Path.At(0)] + int(o.ID) }
	overlaps := make(map[int]map[int]bool)
	for k := range min(len(solids), pairSample) {
		overlaps[k*len(solids)/min(len(solids), pairSample)] = map[int]bool{}
	}
	inside := map[[3]uint32]int{} // a part and two of its objects
	for _, p := range b.AllPairs() {
		x, y := of(&p.A), of(&p.B)
		for _, both := range [2][2]int{{x, y}, {y, x}} {
			if list := overlaps[both[0]]; list != nil {
				if list[both[1]] {
					return fmt.Errorf("images %d and %d are a pair twice", x, y)
				}
				list[both[1]] = true
			}
		}
		if p.A.Path == p.B.Path {
			inside[[3]uint32{uint32(b.Where[p.A.Path.At(0)].Part), p.A.ID, p.B.ID}]++
		}
	}
	tolerance := b.widest() * sightTolerance
	for image, list := range overlaps {
		s, around := &solids[image], solids[image].around()
		for other := range solids {
			if other == image {
				continue
			}
			if !list[other] && s.apart(&solids[other], &around) {
				continue
			}
			surely, possibly := s.meets(&solids[other], tolerance)
			if surely && !list[other] || !possibly && list[other] {
				return fmt.Errorf("images %d and %d: a pair %v, overlap certain %v, possible %v", image, other, list[other], surely, possibly)
			}
		}
	}
	return b.checkParts(inside)
}

// around returns the half-extent of the solid along each axis.
func (s *solid) around() (r [3]float64) {
	for a := range 3 {
		for j := range s.edges {
			r[a] += math.Abs(s.edges[j][a])
		}
	}
	return r
}

// apart reports whether a coordinate axis separates the solid, whose half-extents are around, from another
// one. This test is fast.
func (s *solid) apart(t *solid, around *[3]float64) bool {
	for a := range 3 {
		gap := math.Abs(s.center[a]-t.center[a]) - around[a]
		if gap > 0 && gap > math.Abs(t.edges[0][a])+math.Abs(t.edges[1][a])+math.Abs(t.edges[2][a])+1e-6 {
			return true
		}
	}
	return false
}

// checkParts compares pairs inside parts, returned once, with the number of times they are returned with
// paths.
func (b *Instances) checkParts(inside map[[3]uint32]int) error {
	var numbers []uint32 // of the parts in the scene, in scene order
	instances := make([]int, len(b.Parts))
	for i := range b.Where {
		_, number, _ := b.View.Instance(uint32(i))
		for len(numbers) <= b.Where[i].Part {
			numbers = append(numbers, 0)
		}
		numbers[b.Where[i].Part] = number
		instances[b.Where[i].Part]++
	}
	returned := 0
	for _, p := range deep.AppendPairs(nil, b.View, pairFilter(false)) {
		if p.Part == 0 {
			continue
		}
		returned++
		part := slices.Index(numbers, p.Part)
		if got := inside[[3]uint32{uint32(part), p.A.ID, p.B.ID}]; got != instances[part] {
			return fmt.Errorf("objects %d and %d of part %d are a pair at %d of %d instances", p.A.ID, p.B.ID, part, got, instances[part])
		}
	}
	if returned != len(inside) {
		return fmt.Errorf("%d pairs in parts are returned once, %d with paths", returned, len(inside))
	}
	return nil
}
