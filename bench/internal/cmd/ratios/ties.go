package ratios

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// tieObjects is the number of equal boxes.
const tieObjects = 50_000

// tinyExponents are the powers of two that scale a scene in metres down to tiny coordinates.
var tinyExponents = []int{-63, -75, -100, -120}

const (
	tinyObjects = 10_000
	tinyQueries = 64
	tinyLimit   = 2
)

// tieExperiments measure numerically hard cases: many objects at equal distance, and coordinates whose
// squares are denormal.
func tieExperiments() (all []experiment) {
	ties := fmt.Sprintf("curve ties identical %s", thousands(tieObjects))
	all = append(all, experiment{ties, tieObjects, func(s *session) []row { return s.ties(tieObjects) }})
	for _, e := range tinyExponents {
		name := fmt.Sprintf("curve tiny uniform %s 2^%d", thousands(tinyObjects), e)
		all = append(all, experiment{name, tinyObjects, func(s *session) []row { return s.tiny(tinyObjects, e) }})
	}
	return all
}

// ties compares nearest searches among equal boxes with a plain loop over them.
func (s *session) ties(n int) (rows []row) {
	b := s.bed("identical", n)
	boxes := b.Boxes()
	p := b.queryPoints()[1] // outside the boxes
	dir := b.way(p)
	ray := must.Get(query.NewRay(p, dir, 2))
	var inv [3]float32
	for a := range 3 {
		inv[a] = 1 / dir[a]
	}
	var near []query.Neighbor
	contests := []struct {
		name       string
		tree, loop func() uint64
	}{
		{"nearest ray", func() uint64 {
			h, _ := ray.First(b.View, query.Filter{})
			return uint64(h.ID)
		}, func() uint64 { return firstOf(boxes, &p, &inv) }},
		{"nearest k=1", func() uint64 {
			near, _ = query.AppendNearest(near[:0], b.View, p, 1, lab.AnyDistance, query.Filter{})
			return uint64(near[0].ID)
		}, func() uint64 { return nearestOf(boxes, &p) }},
	}
	s.eachTier(func(tier asm.Tier) {
		for _, c := range contests {
			if got, want := c.tree(), c.loop(); got != want {
				must.Fail("%s: object %d, the loop finds %d", c.name, got, want)
			}
			times := leasts(s.rounds, measure.Task{Do: c.tree}, measure.Task{Do: c.loop})
			rows = append(rows, &versusRow{
				name: fmt.Sprintf("ties %s / scalar loop identical %s", c.name, thousands(n)), tier: tier,
				times: times[0], floor: times[1], target: atMost(1),
			})
		}
	})
	return rows
}

// firstOf returns the lowest index of the boxes that a ray enters first.
func firstOf(boxes []soa.AABB, p, inv *[3]float32) (first uint64) {
	best := float32(math.Inf(1))
next:
	for i := range boxes {
		enter, leave := float32(0), best
		for a := range 3 {
			t0, t1 := (boxes[i].Min[a]-p[a])*inv[a], (boxes[i].Max[a]-p[a])*inv[a]
			if t0 > t1 {
				t0, t1 = t1, t0
			}
			if t0 > enter {
				enter = t0
			}
			if t1 < leave {
				leave = t1
			}
			if enter > leave {
				continue next
			}
		}
		if enter < best {
			best, first = enter, uint64(i)
		}
	}
	return first
}

// nearestOf returns the lowest index of the boxes nearest to a point.
func nearestOf(boxes []soa.AABB, p *[3]float32) (nearest uint64) {
	best := float32(math.Inf(1))
	for i := range boxes {
		sum := float32(0)
		for a := range 3 {
			if d := boxes[i].Min[a] - p[a]; d > 0 {
				sum += d * d
			} else if d := p[a] - boxes[i].Max[a]; d > 0 {
				sum += d * d
			}
			if sum >= best {
				break
			}
		}
		if sum < best {
			best, nearest = sum, uint64(i)
		}
	}
	return nearest
}

// tiny compares queries of a tiny scene with the same queries in metres.
func (s *session) tiny(n, exponent int) (rows []row) {
	objects := must.Get(lab.Objects("uniform", n, s.seed))
	factor := float32(math.Ldexp(1, exponent))
	metres := newTinyBed(objects, 1, s.seed)
	small := newTinyBed(objects, factor, s.seed)
	s.eachTier(func(tier asm.Tier) {
		for i, name := range tinyKinds {
			for _, t := range []*tinyBed{metres, small} {
				if !lab.Agrees(t.batches[i], t.Tree.View(), t.boxes) {
					must.Fail("%s times %v: the tree and the oracle differ", name, t.factor)
				}
			}
			times := leasts(s.rounds, small.task(i), metres.task(i))
			rows = append(rows, &versusRow{
				name: fmt.Sprintf("tiny %s 2^%d / metres uniform %s", name, exponent, thousands(n)), tier: tier,
				times: times[0], floor: times[1], target: atMost(tinyLimit),
			})
		}
	})
	return rows
}

var tinyKinds = []string{"frustum", "box", "sphere", "ray", "ray first", "knn 1", "knn 8", "knn 50"}

// tinyBed is a scene scaled by a power of two, with queries.
type tinyBed struct {
	lab.Bed
	factor  float32
	boxes   []soa.AABB
	batches []lab.Batch // in the order of tinyKinds
}

// newTinyBed builds a tree of the objects scaled by the factor, and scales the queries alike.
func newTinyBed(objects []soa.Object, factor float32, seed uint64) *tinyBed {
	times := func(p [3]float32) [3]float32 { return [3]float32{p[0] * factor, p[1] * factor, p[2] * factor} }
	t := &tinyBed{factor: factor}
	t.Objects = make([]soa.Object, len(objects))
	for i, o := range objects {
		o.Box = soa.AABB{Min: times(o.Box.Min), Max: times(o.Box.Max)}
		t.Objects[i] = o
		t.boxes = append(t.boxes, o.Box)
	}
	t.Tree = must.Get(lab.Plant(t.Objects, 1, nil))
	var frusta [][6][4]float32
	for _, c := range scene.Cameras(objects, 0.1, tinyQueries/8, seed) {
		planes := c.Planes()
		for i := range planes {
			planes[i][3] *= factor
		}
		frusta = append(frusta, planes)
	}
	cubes := scene.BoxQueries(objects, 450, tinyQueries, seed)
	for i, c := range cubes {
		cubes[i] = soa.AABB{Min: times(c.Min), Max: times(c.Max)}
	}
	balls := scene.SphereQueries(objects, 450, tinyQueries, seed)
	for i, s := range balls {
		balls[i] = scene.Sphere{Center: times(s.Center), Radius: s.Radius * factor}
	}
	rays := scene.RayQueries(objects, tinyQueries, seed)
	for i := range rays {
		rays[i].Origin, rays[i].MaxT = times(rays[i].Origin), rays[i].MaxT*factor
	}
	points := scene.PointQueries(objects, tinyQueries, seed)
	for i := range points {
		points[i] = times(points[i])
	}
	for _, make := range []func() (lab.Batch, error){
		func() (lab.Batch, error) { return lab.NewFrusta(frusta) },
		func() (lab.Batch, error) { return lab.NewBoxes(cubes) },
		func() (lab.Batch, error) { return lab.NewSpheres(lab.Quads(balls)) },
		func() (lab.Batch, error) { return lab.NewRays(rays, lab.RayHits) },
		func() (lab.Batch, error) { return lab.NewRays(rays, lab.RayFirst) },
		func() (lab.Batch, error) { return lab.NewPoints(points, 1), nil },
		func() (lab.Batch, error) { return lab.NewPoints(points, 8), nil },
		func() (lab.Batch, error) { return lab.NewPoints(points, 50), nil },
	} {
		b := must.Get(make())
		t.batches = append(t.batches, b)
	}
	return t
}

// task runs all queries of a kind.
func (t *tinyBed) task(kind int) measure.Task {
	b, v := t.batches[kind], t.Tree.View()
	return measure.Task{Units: b.Len(), Do: func() uint64 { return b.Pass(v) }}
}
