package scene

import (
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Neighbor is a result of a nearest-neighbour search: an object of a scene, or of a part of it,
// and its distance from the query point. Low is a lower bound of the exact distance D, and Dist,
// by which neighbours are compared, is about D. D is the distance of the image of the object's
// box, or, with Filter.Exact, of its sphere or its oriented box if it has one, the larger of
// both:
//
//	Low <= D
//
//	own objects      Dist of query.Neighbor, and Low
//	under transforms Dist2 of query.Neighbor in the space of the part, of the point that
//	up to            was transformed and rounded to float32 there: its root times the least
//	similarities     stretch of the transforms. That is D within a relative 2^-16 (2^-21
//	                 under transforms up to aligned ones of one scale), and within e, the most
//	                 that rounding may have moved the point: some 2^-23 of its coordinates in
//	                 the part and of 2^-73.
//	                 Oriented boxes count as right-angled boxes, larger by up to
//	                 2^-17 of their half axes.
//	under others     the distance of the box around the image, in the space nearest to the
//	                 object that similarities lead to from the scene, times the stretch
//	                 of these; or, if that is more, the distance in the part times the
//	                 least stretch. Neither exceeds D: Dist is Low.
//
// An object in an instance is never nearer than the instance: neither number is below the bounds
// of the distance of the part, or of the box of the instance. Both are +Inf, and the largest
// float32, from about 2^64 on in the space of a part.
type Neighbor struct {
	Path Path
	ID   uint32
	Dist float32
	Low  float32
}

// AppendNearest performs a k-nearest-neighbour search: it appends the k objects nearest to a
// point to dst, nearest first, and returns it. It returns fewer if no more pass the filter within
// maxDist, and none if k is 0. Objects at the same Dist are ordered by path, and within one part
// as [query.AppendNearest] orders them: by their unscaled distance, and then by ID.
//
// maxDist is inclusive and may be [query.Unlimited]. An object is within it if Low is not above
// it; the scene's own objects, and those of parts under identities, if [query.AppendNearest]
// includes them. There are no false negatives in exact arithmetic, and no object is returned
// whose Low exceeds maxDist, except own ones beyond it by a relative 2^-21.
//
// It returns an error that contains the numbers if the point is not finite, maxDist is negative
// or NaN, k is negative, or the filter is out of range. dst is then returned unchanged.
//
// The search is depth-first, and visits the instances of each part roughly by distance. The k-th
// distance so far bounds the walk through instances and the search in each part. A part is queried
// once for each instance that it visits no further away than the k-th object so far, at the cost of
// [query.AppendNearest] and of transforming the point. Under transforms other than similarities
// the images of all objects are tested whose distance in the part, times the least stretch, is
// within the k-th: the more the stretches differ, the more objects. It allocates only when dst lacks
// room. Any number of goroutines may query one view. [Nearby] finds objects by distance one
// after the other.
func AppendNearest(dst []Neighbor, v linear.SceneView, point [3]float32, k int, maxDist float32, flt query.Filter) ([]Neighbor, error) {
	w := searches.Get().(*search)
	err := w.run(v, &point, k, maxDist, &flt)
	if err == nil {
		dst = slices.Grow(dst, len(w.best))
		for i, list := 0, w.sorted(); i < len(list); i++ {
			dst = append(dst, w.neighbor(&list[i]))
		}
	}
	w.release()
	return dst, err
}
