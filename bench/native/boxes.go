package main

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	shapes "github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// searcher finds the first hits of rays and the nearest objects of points, and appends their times and distances.
type searcher struct {
	first func(dst []float32) []float32
	near  func(dst []float32, k int) []float32
}

// flat compares the tree of all boxes.
func (c *contest) flat() {
	file := give(c.native, "boxes", c.boxes)
	objects := objectsOf(c.boxes)
	var tree *linear.Tree
	var ours, theirs measure.Series
	for range c.Rounds {
		ours = append(ours, timed(func() { tree = must.Get(lab.BuildFrozen(objects, 1, nil)) }))
		theirs = append(theirs, c.native.do("flat %s", file))
	}
	c.row("build, a box", len(c.boxes), ours, theirs)
	c.searches("flat", "", c.inTree(tree))
}

// instances compares a scene of instances, and, for the same objects and queries, the flat tree of the boxes around
// them.
func (c *contest) instances() {
	var parts [][]soa.Object
	for _, path := range must.Get(filepath.Glob(c.path("part-*.bin"))) {
		boxes := must.Get(flat.Load(path, flat.ReadScene))
		parts = append(parts, objectsOf(boxes))
		c.native.do("part %s", give(c.native, filepath.Base(path), boxes))
	}
	placed := must.Get(flat.Load(c.path("instances.bin"), flat.ReadInstances))
	where := make([]shapes.Instance, len(placed))
	for i := range placed {
		similar(&placed[i].Rows)
		where[i].Part = int(placed[i].Part)
		for k, x := range placed[i].Rows {
			where[i].Rows[k] = float64(x)
		}
	}
	b := must.Get(lab.InstancesOf(parts, where))
	c.native.do("instances %s", give(c.native, "instances", placed))
	c.searches("instances", "instances, ", c.inScene(b.View))

	images := make([]soa.AABB, len(b.Flat.Objects))
	for i := range images {
		images[i] = b.Flat.Objects[i].Box
	}
	c.native.do("flat %s", give(c.native, "images", images))
	c.searches("flat", "flat, ", c.inTree(b.Flat.Tree))
}

// similar replaces a matrix that is no similarity by the identity: the distances of a scene are lower bounds there, and
// those of Embree are not.
func similar(rows *[12]float32) {
	var m [12]float64
	for k, x := range rows {
		m[k] = float64(x)
	}
	if must.Get(linear.NewTransform(m)).Kind() > linear.TransformSimilarity {
		*rows = [12]float32{0: 1, 3: rows[3], 5: 1, 7: rows[7], 10: 1, 11: rows[11]}
	}
}

func objectsOf(boxes []soa.AABB) []soa.Object {
	objects := make([]soa.Object, len(boxes))
	for i, b := range boxes {
		objects[i] = soa.Object{Box: b, Mask: 1}
	}
	return objects
}

// queries returns the rays.
func (c *contest) queries() (rays []query.Ray) {
	for _, r := range c.rays {
		rays = append(rays, must.Get(query.NewRay([3]float32(r[:3]), [3]float32(r[3:6]), r[6])))
	}
	return rays
}

func (c *contest) inTree(tree *linear.Tree) searcher {
	view, rays := tree.View(), c.queries()
	var near []query.Neighbor
	return searcher{
		func(dst []float32) []float32 {
			for i := range rays {
				hit, ok := rays[i].First(view, query.Filter{})
				dst = append(dst, timeOf(hit.Dist, ok))
			}
			return dst
		},
		func(dst []float32, k int) []float32 {
			for _, p := range c.points {
				near = must.Get(query.AppendNearest(near[:0], view, p, k, query.Unlimited, query.Filter{}))
				for _, n := range near {
					dst = append(dst, float32(math.Sqrt(float64(n.Dist2))))
				}
			}
			return dst
		},
	}
}

func (c *contest) inScene(view linear.SceneView) searcher {
	rays := c.queries()
	var near []scene.Neighbor
	return searcher{
		func(dst []float32) []float32 {
			for i := range rays {
				hit, ok := scene.First(rays[i], view, query.Filter{})
				dst = append(dst, timeOf(hit.Dist, ok))
			}
			return dst
		},
		func(dst []float32, k int) []float32 {
			for _, p := range c.points {
				near = must.Get(scene.AppendNearest(near[:0], view, p, k, query.Unlimited, query.Filter{}))
				for _, n := range near {
					dst = append(dst, n.Dist)
				}
			}
			return dst
		},
	}
}

// timeOf returns the time of a hit, or infinity.
func timeOf(dist float32, ok bool) float32 {
	if !ok {
		return float32(math.Inf(1))
	}
	return dist
}

// searches compares the results of both, and prints the rows of their times.
func (c *contest) searches(where, prefix string, s searcher) {
	c.native.do("rays %s", give(c.native, "rays", c.rays))
	c.native.do("points %s", give(c.native, "points", c.points))
	name := prefix + "first ray hit"
	c.same(name, "ray", 1, s.first(nil), c.native.answers(len(c.rays), "firstanswers %s", where))
	var found []float32
	var ours, theirs measure.Series
	for range c.Rounds {
		ours = append(ours, timed(func() { found = s.first(found[:0]) }))
		theirs = append(theirs, c.native.do("first %s", where))
	}
	c.row(name, len(c.rays), ours, theirs)
	for _, k := range must.Get(c.Neighbors()) {
		name := fmt.Sprintf("%snearest, k = %d", prefix, k)
		c.same(name, "point", k, s.near(nil, k), c.native.answers(len(c.points)*k, "nearanswers %s %d", where, k))
		ours, theirs = nil, nil
		for range c.Rounds {
			ours = append(ours, timed(func() { found = s.near(found[:0], k) }))
			theirs = append(theirs, c.native.do("near %s %d", where, k))
		}
		c.row(name, len(c.points), ours, theirs)
	}
}

// most is the largest share of answers that may differ: a ray of float32 may miss a box that it only touches, and point
// queries of Embree 3.13 miss some boxes in instances that are scaled.
const most = 0.01

// same ends the command unless nearly all times or distances of n a query are equal, within the rounding of coordinates
// of float32. A note has the number of the others.
func (c *contest) same(name, what string, n int, ours, theirs []float32) {
	if len(ours) != len(theirs) {
		must.Fail("%s: %d and %d answers", name, len(ours), len(theirs))
	}
	extent := 0.0
	for _, p := range c.points {
		for _, x := range p {
			extent = max(extent, math.Abs(float64(x)))
		}
	}
	var differ, last int
	for i, x := range ours {
		y := theirs[i]
		if x != y && !(math.Abs(float64(x)-float64(y)) <= 1e-4*float64(min(x, y))+1e-5*extent) {
			differ, last = differ+1, i
		}
	}
	if float64(differ) > most*float64(len(ours)) {
		must.Fail("%s: %d of %d answers differ; of %s %d, result %d: %v and %v", name, differ, len(ours), what, last/n, last%n, ours[last], theirs[last])
	}
	if differ > 0 {
		c.differ = append(c.differ, fmt.Sprintf("%s: %d of %d answers", name, differ, len(ours)))
	}
}
