package scene

import (
	"cmp"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// Hit is the first contact of a ray or a moving shape with an object of a scene.
type Hit struct {
	ID   uint32 // ID of the object, in its part
	Path Path   // path of the part

	// Dist is the time of the entry, as in [query.Hit]: times are the same in all parts.
	Dist float32

	// Pos is the hit point on the object, in the space of the scene.
	Pos [3]float32

	// Normal is the unit normal at Pos, in the space of the scene, towards the ray or shape: the
	// normal of the image of the hit face. For a hit at the start it is zero, unless a shape only touches
	// the object, as in [query.Hit], up to the rounding of the transforms.
	Normal [3]float32
}

// First returns the first hit of a ray cast or shape cast: the hit of the smallest Dist. Of equal
// ones it is the one of the smallest path ([Path.Compare]). In one part it is the first in its
// tree, by the time before it was rounded to Dist, then the ID. ok is false if there is none.
//
// It visits instances roughly front to back and skips those beyond the best hit so far. It does
// not allocate.
func First[S query.Sweep](sweep S, v linear.SceneView, flt query.Filter) (h Hit, ok bool) {
	s := walk.Sweep(sweep)
	c := launch(wantNearest, &s, v, &flt)
	c.run()
	if ok = c.any; ok {
		c.bestContact().complete(&c.best, flt.Exact)
		h = c.best.hit
	}
	c.release()
	return h, ok
}

// FirstFunc returns the first hit with the exact shapes of objects, such as triangle meshes, as
// computed by test: the hit with the smallest Dist, and for equal ones the smallest path, then ID.
// Pos and Normal are zero.
//
// test receives the path and the ID of an object and tEnter, the Dist at which the ray or shape
// enters the object's box or, with Filter.Exact, its bounds. It returns the Dist t of the hit with
// the object's shape, or hit == false if there is none. A t before tEnter, as rounding may give it,
// is taken for tEnter. The hit counts unless t is NaN or beyond the best hit so far, at first
// beyond a ray's maxDist, or 1 for a swept shape.
//
// Filter.Exclude refers to own objects of the scene: an instance that casts a ray from its inside is
// left out if test returns false for paths with path.Len() > 0 and path.At(0) == its ID.
//
// test is called at most once for an object in an instance, in an order that is a function of the
// scene and the query alone. It may run other queries. If it changes the scene, FirstFunc panics
// when test returns. A panic of test passes through. FirstFunc does not allocate.
func FirstFunc[S query.Sweep](sweep S, v linear.SceneView, flt query.Filter, test func(path Path, id uint32, tEnter float32) (t float32, hit bool)) (h Hit, ok bool) {
	s := walk.Sweep(sweep)
	c := launch(wantTested, &s, v, &flt)
	c.testFunc = test
	c.run()
	if ok = c.any; ok {
		h = c.best.hit
	}
	c.release()
	return h, ok
}

// AppendHits appends all hits of a ray cast or shape cast to dst, in the order in which [First]
// prefers them, and returns it. It allocates only when dst lacks room.
func AppendHits[S query.Sweep](dst []Hit, sweep S, v linear.SceneView, flt query.Filter) []Hit {
	s := walk.Sweep(sweep)
	c := launch(wantAll, &s, v, &flt)
	c.run()
	slices.SortFunc(c.all, func(a, b found) int { return a.compare(&b) })
	for i := range c.all {
		dst = append(dst, c.all[i].hit)
	}
	c.release()
	return dst
}

// found is a candidate hit, ordered by dist, path, local, id.
type found struct {
	hit   Hit
	local float32      // the time in the part, before rounding
	at    soa.Location // of the object; NoLocation: to be looked up
}

func (f *found) compare(g *found) int {
	if c := cmp.Compare(f.hit.Dist, g.hit.Dist); c != 0 {
		return c
	}
	if c := f.hit.Path.Compare(g.hit.Path); c != 0 {
		return c
	}
	if c := cmp.Compare(f.local, g.local); c != 0 {
		return c
	}
	return cmp.Compare(f.hit.ID, g.hit.ID)
}

func (c *cast) foundAt(depth int, id uint32, local float32, at soa.Location) found {
	return found{Hit{ID: id, Path: c.path(depth), Dist: c.levels[depth].time(local, c.most)}, local, at}
}

// offer makes a hit the best one if it is better.
func (c *cast) offer(depth int, id uint32, local float32, at soa.Location) {
	if c.any && c.levels[depth].time(local, c.most) > c.best.hit.Dist {
		return
	}
	if f := c.foundAt(depth, id, local, at); !c.any || f.compare(&c.best) < 0 {
		c.best, c.any = f, true
	}
}
