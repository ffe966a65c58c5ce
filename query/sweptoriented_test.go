package query_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// A ray enters through the last face that it crosses; from inside at once.
func TestRayEntersOriented(t *testing.T) {
	b := soa.OrientedBox{Axes: [3][3]float32{{3, 4, 0}, {-4, 3, 0}, {0, 0, 5}}}
	tree := trees.New(t, linear.Config{})
	ids := trees.Insert(t, tree, make([]soa.Object, 2))
	testkit.Must(t, tree.MoveBodies(ids, linear.Bodies{Oriented: []soa.OrientedBox{b, b}}))
	testkit.Must(t, tree.SetSphere(ids[1], [4]float32{0, 0, 0, 1}))
	v := tree.View()
	for _, c := range []struct {
		name             string
		from, dir        [3]float32
		dist             float32
		pos, normal      [3]float32
		pastBox, ofRound bool
	}{
		{"a face", [3]float32{6, 8, 1}, [3]float32{-3, -4, 0}, 1, [3]float32{3, 4, 1}, [3]float32{0.6, 0.8, 0}, false, false},
		{"the face across", [3]float32{-6, -8, 1}, [3]float32{3, 4, 0}, 1, [3]float32{-3, -4, 1}, [3]float32{-0.6, -0.8, 0}, false, false},
		{"above", [3]float32{1, 1, 9}, [3]float32{0, 0, -2}, 2, [3]float32{1, 1, 5}, [3]float32{0, 0, 1}, false, false},
		{"an edge", [3]float32{-2, 14, 0}, [3]float32{1, -7, 0}, 1, [3]float32{-1, 7, 0}, [3]float32{0.6, 0.8, 0}, false, false},
		{"the edge of a face", [3]float32{-9, 7, 0}, [3]float32{1, 0, 0}, 8, [3]float32{-1, 7, 0}, [3]float32{-0.8, 0.6, 0}, false, false},
		{"inside", [3]float32{1, 1, 1}, [3]float32{0, 1, 0}, 0, [3]float32{1, 1, 1}, [3]float32{}, false, false},
		{"past a corner of the box around", [3]float32{8, 5.5, 0}, [3]float32{-1, 1, 0}, 0, [3]float32{}, [3]float32{}, true, false},
		{"the sphere after the face", [3]float32{6, 8, 0}, [3]float32{-3, -4, 0}, 1.8, [3]float32{0.6, 0.8, 0}, [3]float32{0.6, 0.8, 0}, false, true},
	} {
		q := rayOf(t, c.from, c.dir, 100)
		flt := query.Filter{Exact: true, Only: []uint64{1}}
		if c.ofRound {
			flt.Only = []uint64{2}
		}
		h, ok := q.First(v, flt)
		if c.pastBox {
			if ok || q.Count(v, query.Filter{}) != 2 {
				t.Errorf("%s: hit %+v", c.name, h)
			}
			continue
		}
		off := math.Abs(float64(h.Dist)-float64(c.dist)) * 1e3
		for k := range 3 {
			off = max(off, math.Abs(float64(h.Pos[k])-float64(c.pos[k])), math.Abs(float64(h.Normal[k])-float64(c.normal[k])))
		}
		if !ok || off > 1e-6 {
			t.Errorf("%s: %+v, %v", c.name, h, ok)
		}
	}
}
