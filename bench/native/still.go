package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// Tolerances, as shares of all results. Box queries and pairs must be equal.
const (
	// grazing is the tolerance of rays: a ray may only touch a box.
	grazing = 0.01
	// atPlanes is the tolerance of frusta and spheres: a box may only touch one.
	atPlanes = 1e-4
	// instanced is the tolerance of nearest boxes in instances: point queries of Embree 3.13 miss some boxes where an
	// instance is scaled.
	instanced = 0.01
)

// still compares builds, and queries of objects that do not move.
func (c *contest) still() {
	if !c.rival.does("build") {
		return
	}
	objects := objectsOf(c.boxes)
	var tree *linear.Tree
	var current linear.View
	view := func() linear.View { return current }
	build := func() { tree = buildTree(objects, linear.Config{Frozen: true}) }
	c.run(turns{row: "build, an object", needs: "build", units: len(objects), ours: build, theirs: []string{"build"},
		setup: func() { give(c.native, "boxes", c.boxes) },
	})
	ready := func() { // also if the row above is excluded
		if tree == nil {
			give(c.native, "boxes", c.boxes)
			c.native.do("build")
			build()
		}
		current = tree.View()
	}
	ask := func(q queries) {
		load := q.load
		q.load = func() {
			ready()
			load()
		}
		c.query(q)
	}
	for _, size := range windowSizes {
		ask(c.windowsOf(fmt.Sprintf("box of %d", size), "boxes", "find boxes", c.windows[size], view))
	}
	for _, percent := range frustumPercent {
		// A sample of large frusta needs fewer.
		frusta := c.frusta[percent]
		frusta = frusta[:min(len(frusta), 400/percent)]
		ask(c.frustaOf(fmt.Sprintf("frustum of %d %%", percent), "frusta", "find frusta", frusta, view))
	}
	rays := c.castRays()
	ask(queries{row: "ray, all hits", needs: "rays", command: "find rays", n: len(rays), same: c.sets(grazing), load: c.giveRays,
		find: func(dst []uint32, i int) []uint32 { return rays[i].AppendIDs(dst, current, query.Filter{}) },
	})
	ask(c.firsts("ray, first hit", view))
	for _, k := range must.Get(c.Neighbors()) {
		ask(c.nearest(k, view))
	}
	var pairs []collide.Pair
	find := func() { pairs = collide.Append(pairs[:0], collide.Within(current), collide.Filter{}) }
	c.run(turns{row: "all pairs, an object", needs: "pairs", units: len(objects), warm: true, setup: ready, ours: find, theirs: []string{"pairs"},
		same: func() {
			find()
			c.samePairs("all pairs", pairs, "pairs")
		},
	})
}

// buildTree returns a tree of objects, with the IDs 0, 1, and so on.
func buildTree(objects []soa.Object, cfg linear.Config) *linear.Tree {
	cfg.Workers = 1
	tree := must.Get(linear.New(cfg))
	must.Get(tree.InsertBatch(nil, objects))
	must.Do(tree.Tick())
	return tree
}

func objectsOf(boxes []soa.AABB) []soa.Object {
	objects := make([]soa.Object, len(boxes))
	for i, b := range boxes {
		objects[i] = soa.Object{Box: b, Mask: 1}
	}
	return objects
}

// windowsOf returns box queries of the current view.
func (c *contest) windowsOf(row, needs, command string, windows []soa.AABB, view func() linear.View) queries {
	var boxes []query.Box
	for _, b := range windows {
		boxes = append(boxes, must.Get(query.NewBox(b.Min, b.Max)))
	}
	return queries{row: row, needs: needs, command: command, n: len(boxes), same: c.sets(0),
		load: func() { give(c.native, "windows", windows) },
		find: func(dst []uint32, i int) []uint32 { return boxes[i].Append(dst, view(), query.Filter{}) },
	}
}

// frustaOf returns frustum queries of the current view.
func (c *contest) frustaOf(row, needs, command string, planes [][6][4]float32, view func() linear.View) queries {
	var frusta []query.Frustum
	for _, p := range planes {
		frusta = append(frusta, must.Get(query.FrustumPlanes(p)))
	}
	return queries{row: row, needs: needs, command: command, n: len(frusta), same: c.sets(atPlanes),
		load: func() { give(c.native, "frusta", planes) },
		find: func(dst []uint32, i int) []uint32 { return frusta[i].Append(dst, view(), query.Filter{}) },
	}
}

// castRays returns the rays as queries.
func (c *contest) castRays() (rays []query.Ray) {
	for _, r := range c.rays {
		rays = append(rays, must.Get(query.NewRay([3]float32(r[:3]), [3]float32(r[3:6]), r[6])))
	}
	return rays
}

func (c *contest) giveRays()   { give(c.native, "rays", c.rays) }
func (c *contest) givePoints() { give(c.native, "points", c.points) }

// firsts returns searches for the first hits of rays.
func (c *contest) firsts(row string, view func() linear.View) queries {
	rays := c.castRays()
	return queries{row: row, needs: "first", command: "first", n: len(rays), load: c.giveRays, same: c.numbers(grazing, 1e-4, 1e-5*c.extent()),
		find: func(dst []uint32, i int) []uint32 {
			_, dist, ok := rays[i].FirstID(view(), query.Filter{})
			return append(dst, timeOf(dist, ok))
		},
	}
}

// nearest returns searches for the k nearest objects of points: their distances.
func (c *contest) nearest(k int, view func() linear.View) queries {
	var near []query.Neighbor
	return queries{row: fmt.Sprint("nearest ", k), needs: "near", command: fmt.Sprint("near ", k), n: len(c.points),
		load: c.givePoints, same: c.numbers(0, 1e-4, 1e-5*c.extent()),
		find: func(dst []uint32, i int) []uint32 {
			near = must.Get(query.AppendNearest(near[:0], view(), c.points[i], k, query.Unlimited, query.Filter{}))
			for _, n := range near {
				dst = append(dst, math.Float32bits(float32(math.Sqrt(float64(n.Dist2)))))
			}
			return dst
		},
	}
}

// extent returns the largest coordinate of the points.
func (c *contest) extent() (extent float64) {
	for _, p := range c.points {
		for _, x := range p {
			extent = max(extent, math.Abs(float64(x)))
		}
	}
	return extent
}

// timeOf returns the bits of the time of a hit, or of infinity.
func timeOf(dist float32, ok bool) uint32 {
	if !ok {
		dist = float32(math.Inf(1))
	}
	return math.Float32bits(dist)
}

// samePairs ends the command unless a command of the driver returns the same pairs.
func (c *contest) samePairs(name string, ours []collide.Pair, command string) {
	words := c.native.answers(1, command)[0]
	var a, b []uint64
	for _, p := range ours {
		a = append(a, uint64(p.A)<<32|uint64(p.B))
	}
	for i := 0; i < len(words); i += 2 {
		b = append(b, uint64(words[i])<<32|uint64(words[i+1]))
	}
	slices.Sort(a)
	slices.Sort(b)
	if n := differences(a, b); n > 0 {
		must.Fail("%s: %s and zoctree differ in %d pairs: %d and %d pairs", name, c.rival.name, n, len(b), len(a))
	}
}
