package query_test

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
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

// funcAsk draws a volume with a test: one box, two, one without another, one with a test that never decides, or one
// around a test of more.
func funcAsk(a *matrixArtist) (matrixAsk, error) {
	b, c := a.boxAround(), a.boxAround()
	bounds, kind := b, a.rng.IntN(5)
	switch kind {
	case 1, 4:
		bounds = b.Union(c)
	}
	test := func(box soa.AABB) query.Relation {
		in, out := b.Contains(box), !b.Overlaps(box)
		switch kind {
		case 1:
			in, out = in || c.Contains(box), out && !c.Overlaps(box)
		case 2:
			in, out = in && !c.Overlaps(box), out || c.Contains(box)
		case 3:
			in = false
		}
		switch {
		case out:
			return query.Outside
		case in:
			return query.Inside
		}
		return query.Partly
	}
	q, err := query.NewFunc(bounds, test)
	return matrixAsk{"Func", q, fmt.Sprintf("function %d of %x and %x", kind, b, c), func(_ linear.View, census *matrixCensus, _ bool) matrixTruth {
		t := matrixTruth{state: make([]uint8, len(census.ids))}
		for i := range t.state {
			if box := census.objects[i].Box; bounds.Overlaps(box) && test(box) != query.Outside {
				t.state[i] = isIn
			}
		}
		return t
	}}, err
}

// levels judges levels of detail: of each object of a result, by the formula of [query.Frustum.MinSize], without and
// with a column of last levels.
func (j *matrixJudge) levels(f func(margin float32, sizes ...float32) (query.Levels, error)) error {
	const margin = 0.25
	sizes := []float32{0.5, 0.0625, 0.001, 1e-6}
	l, err := f(margin, sizes...)
	if !j.sized { // made of planes
		if err == nil {
			return fmt.Errorf("levels %v of a frustum without sizes", l)
		}
		return nil
	}
	if err != nil {
		return err
	}
	below := func(id uint32, size float32) bool {
		sized, err := j.frustum.MinSize(size)
		if err != nil {
			panic(err)
		}
		var z cull.Size
		(*walk.Frustum)(&sized).PrepareSize(&z)
		return tooSmall(&z, j.c.objects[j.c.at(id)].Box)
	}
	var last linear.Column[uint8]
	was := func(id uint32) uint8 { return uint8(id % uint32(len(sizes)+1)) }
	for _, id := range j.ids {
		last.Set(id, was(id))
	}
	plain, held := l.Append([]uint8{9}, j.v, j.ids, nil), l.Append(nil, j.v, j.ids, &last)
	if plain[0] != 9 || len(plain) != len(j.ids)+1 || len(held) != len(j.ids) {
		return fmt.Errorf("%d and %d levels of %d objects", len(plain)-1, len(held), len(j.ids))
	}
	for i, id := range j.ids {
		level, after := 0, 0
		for k, s := range sizes {
			if below(id, s) {
				level++
			}
			limit := float32(float64(s) * (1 - margin))
			if k < int(was(id)) {
				limit = float32(float64(s) * (1 + margin))
			}
			if below(id, limit) {
				after++
			}
		}
		if int(plain[1+i]) != level || int(held[i]) != after || int(last.Get(id)) != after {
			return fmt.Errorf("object %d has the level %d, want %d; after %d %d, in the column %d, want %d", id, plain[1+i], level, was(id), held[i], last.Get(id), after)
		}
	}
	j.x.form("Levels", "Append", len(j.c.ids))
	return nil
}
