package query_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

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
