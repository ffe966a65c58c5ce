package query_test

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Forms that query a volume instead of a view, and the boxes of any volume.

// eachBox judges the boxes of a result by the census.
func (j *matrixJudge) eachBox(q any) error {
	v, flt := j.v, j.flt.Filter
	var all iter.Seq2[uint32, soa.AABB]
	switch q := q.(type) {
	case query.Frustum:
		all = query.Boxes(q, v, flt)
	case query.Box:
		all = query.Boxes(q, v, flt)
	case query.OrientedBox:
		all = query.Boxes(q, v, flt)
	case query.Sphere:
		all = query.Boxes(q, v, flt)
	case query.Func:
		all = query.Boxes(q, v, flt)
	case query.Point:
		all = query.Boxes(q, v, flt)
	case query.Convex:
		all = query.Boxes(q, v, flt)
	default:
		return nil // no volume
	}
	j.x.form("", "Boxes", len(j.c.ids))
	i := 0
	for id, box := range all {
		if i == len(j.ids) || id != j.ids[i] || box != j.c.objects[j.c.at(id)].Box {
			return fmt.Errorf("Boxes: object %d, box %x, as number %d; Append has %v", id, box, i, j.ids[min(i, len(j.ids)):min(i+1, len(j.ids))])
		}
		i++
	}
	if i != len(j.ids) {
		return fmt.Errorf("Boxes: %d of %d", i, len(j.ids))
	}
	for range all { // ends without a panic
		break
	}
	return nil
}

// planes judges the planes of a frustum by the result of the frustum that is made of them.
func (j *matrixJudge) planes(planes [6][4]float32) error {
	f, err := query.FrustumPlanes(planes)
	if err != nil || j.sized {
		return err
	}
	if j.precise {
		f = f.Precise()
	}
	if j.other = f.Append(j.other[:0], j.v, j.flt.Filter); !slices.Equal(j.other, j.ids) {
		return fmt.Errorf("the frustum of these planes holds %d objects, Append has %d", len(j.other), len(j.ids))
	}
	return nil
}

// corners judges the corners of a frustum by the objects with one inside, which must be in the result.
func (j *matrixJudge) corners(corners [8][3]float64, err error) error {
	if err != nil || j.flt.Exact || j.sized {
		return nil // it is not bounded, or objects are spheres, or small
	}
	size := 0.0
	for _, c := range corners {
		size = max(size, math.Abs(c[0]), math.Abs(c[1]), math.Abs(c[2]))
	}
	for i, o := range j.c.objects {
		if j.seen[i] != 0 || !j.flt.pass[i] {
			continue
		}
		for k, c := range corners {
			deep := math.Inf(1)
			for a := range 3 {
				deep = min(deep, c[a]-float64(o.Box.Min[a]), float64(o.Box.Max[a])-c[a])
			}
			if deep > 1e-3*size {
				return fmt.Errorf("corner %d, %v, is %v inside object %d, which is not in the answer", k, c, deep, j.c.ids[i])
			}
		}
	}
	return nil
}
