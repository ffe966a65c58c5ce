package query_test

import (
	"fmt"
	"iter"

	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// eachBox judges the boxes of an answer by the census.
func (j *matrixJudge) eachBox(q any) error {
	v, flt := j.v, j.flt.Filter
	var all iter.Seq2[uint32, soa.AABB]
	switch q := q.(type) {
	case query.Frustum:
		all = query.Boxes(q, v, flt)
	case query.Box:
		all = query.Boxes(q, v, flt)
	case query.Sphere:
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
	return nil
}
