package scene

import (
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Hit is where a ray or a moving shape first meets an object of a scene.
type Hit struct {
	ID   uint32 // of the object, in its part
	Path Path   // to the part

	// Dist is the time of the entry, as in [query.Hit]: times are the same in all parts.
	Dist float32

	// Pos is the point of the object at which it is met, in the space of the scene.
	Pos [3]float32

	// Normal is the unit normal there, in the space of the scene, towards the ray or shape:
	// that of the image of the face that is met. It is zero for what is met at the start.
	Normal [3]float32
}

// First returns the first hit of a ray or a moving shape: that of the smallest Dist; of
// equal ones that of the smallest path ([Path.Compare]), and in one part that which its
// tree gives first, by the time before it was rounded to Dist, then the ID. ok is false
// when there is none.
//
// It goes into places roughly from the nearest on and leaves out what begins beyond the
// best hit so far. It does not allocate.
func First[S query.Sweep](moving S, v linear.SceneView, flt query.Filter) (h Hit, ok bool) {
	c := launch(wantNearest, &moving, v, &flt)
	c.run()
	if ok = c.any; ok {
		h = c.best.hit
		c.at.complete(&h, flt.Exact)
	}
	c.release()
	return h, ok
}

// FirstFunc returns the first hit by the judgement of the caller, who knows the shapes in
// the boxes: of all objects for which judge returns a Dist that counts, the one of the
// least, of equal ones that of the smallest path, then ID. Pos and Normal are zero.
//
// judge is given the path and the ID of an object and the Dist at which the ray gets to its
// box, or with Filter.Exact to its bounds. What it returns counts if it is neither less than
// that nor more than the best Dist so far; anything else, NaN or -1 say, means that there is
// no hit. It is called at most once for an object in a place, in an order that is a function
// of the scene and the query alone. It may ask other questions; if it changes the scene,
// FirstFunc panics when it returns. It does not allocate.
func FirstFunc[S query.Sweep](moving S, v linear.SceneView, flt query.Filter, judge func(path Path, id uint32, enter float32) float32) (h Hit, ok bool) {
	c := launch(wantJudged, &moving, v, &flt)
	c.judge = judge
	c.run()
	if ok = c.any; ok {
		h = c.best.hit
	}
	c.release()
	return h, ok
}

// AppendHits appends all hits to dst, in the order in which [First] prefers them, and
// returns it. It allocates only when dst lacks room.
func AppendHits[S query.Sweep](dst []Hit, moving S, v linear.SceneView, flt query.Filter) []Hit {
	c := launch(wantAll, &moving, v, &flt)
	c.run()
	slices.SortFunc(c.all, func(a, b found) int { return a.compare(&b) })
	for i := range c.all {
		dst = append(dst, c.all[i].hit)
	}
	c.release()
	return dst
}

// Meets reports whether a ray or a moving shape meets anything: a shadow ray. It stops when
// it has found one. It does not allocate.
func Meets[S query.Sweep](moving S, v linear.SceneView, flt query.Filter) bool {
	c := launch(wantAny, &moving, v, &flt)
	c.run()
	found := c.any
	c.release()
	return found
}
