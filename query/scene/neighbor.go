package scene

import (
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Neighbor is an object of a scene, or of a part of it, and how far it is from the point of
// a query. With D the exact distance of the image of its box, or, with Filter.Exact, of its
// sphere or its oriented box if it has one, the larger of both,
//
//	Low <= D
//
// and Dist, by which neighbours are compared, is about D:
//
//	own objects      Dist of query.Neighbor, and Low
//	under poses up   Dist2 of query.Neighbor in the space of the part, of the point that
//	to similarities  was moved and rounded to float32 there: its root times the least
//	                 stretch of the poses. That is D but for a relative 2^-16 (2^-21 under
//	                 poses up to aligned ones of one scale), and for e, the most that
//	                 rounding may have moved the point: some 2^-23 of its coordinates in the
//	                 part and of 2^-73.
//	                 Oriented boxes count as boxes at right angles, larger by up to
//	                 2^-17 of their half axes.
//	under others     the distance of the box around the image, in the space nearest to the
//	                 object that the point has come to by similarities, times the stretch
//	                 of these; or, if that is more, the distance in the part times the
//	                 least stretch. Neither exceeds D: Dist is Low.
//
// What is in a place is told to be no nearer than the place: neither number is below what
// is known of the bounds of the part, or of the box of the place. Both are +Inf, and the
// largest float32, from about 2^64 on in the space of a part.
type Neighbor struct {
	Path Path
	ID   uint32
	Dist float32
	Low  float32
}

// AppendNearest appends the k objects nearest to a point to dst, nearest first, and returns
// it: fewer when no more pass the filter within maxDist, none when k is 0. Objects at the same
// Dist are ordered by path, those of one part as [query.AppendNearest] orders them there: by
// their distance before it was scaled, and then by ID.
//
// maxDist is closed and may be [query.Unlimited]. An object is within it when Low is not above it, the
// scene's own ones, and those of parts under identities, when [query.AppendNearest] says so.
// No object that is as near as maxDist in exact arithmetic is lost, and none is kept whose Low
// exceeds maxDist, but for own ones beyond it by a relative 2^-21.
//
// A point that is not finite, a maxDist that is negative or NaN, a negative k, or a filter
// that is out of range is an error that names the numbers; dst is then returned as it
// was.
//
// Cost: best first, over one heap of nodes of the trees of places and of places, by the least
// distance of what is in them. A part is asked once for each place that is no further away
// than the k-th object: that is [query.AppendNearest], and moving the point. Under poses that are
// no similarities the objects of a part are looked at one by one, from the nearest in its space on,
// until none that is left can be among the k. It allocates only when dst lacks room.
// Any number of goroutines may ask one view. There is no iterator over the objects of a
// scene by distance, as [query.Nearby] is over those of a tree: ask for more of them.
func AppendNearest(dst []Neighbor, v linear.SceneView, point [3]float32, k int, maxDist float32, flt query.Filter) ([]Neighbor, error) {
	w := searches.Get().(*search)
	err := w.run(v, &point, k, maxDist, &flt)
	if err == nil {
		slices.SortFunc(w.best, func(a, b near) int { return a.compare(&b) })
		dst = slices.Grow(dst, len(w.best))
		for i := range w.best {
			dst = append(dst, w.best[i].Neighbor)
		}
	}
	w.release()
	return dst, err
}
