package show

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// The steps equal the counters; each object is of one kind, and later culled objects are the objects that
// boxes alone would return.
func TestSteps(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(2000, 1)
	for i := range objects {
		objects[i].Mask = 1 << (i % 3)
	}
	tree := trees.Plant(t, objects, false)
	v := tree.View()
	removed := 0
	for _, b := range scene.BoxQueries(objects, 100, 12, 1) {
		for _, flt := range []query.Filter{{}, {Mask: 3}} {
			q, err := TraceQuery(made[query.Box](t)(query.NewBox(b.Min, b.Max)), v, flt)
			testkit.Must(t, err)
			s := Scene{Kind: Walk, View: v, Width: 640, Trace: q}
			st := s.steps()
			if n := st.entered.n; n != q.Counters.Nodes+q.Counters.Packets {
				t.Errorf("%d entered, counted %d nodes and %d packets", n, q.Counters.Nodes, q.Counters.Packets)
			}
			if st.tested != q.Counters.Tested || st.answer.n != len(q.Hits) {
				t.Errorf("%d candidates and %d answers, counted %d and %d", st.tested, st.answer.n, q.Counters.Tested, len(q.Hits))
			}
			if n := st.answer.n + st.candidate.n + st.culled.n + st.outside.n; n != len(objects) {
				t.Errorf("%d objects, want %d", n, len(objects))
			}
			want := len(testkit.ReferenceBox(objects, b)) - len(q.Hits)
			if st.culled.n != want {
				t.Errorf("%d are culled afterwards, want %d", st.culled.n, want)
			}
			removed += want
		}
	}
	if removed == 0 {
		t.Error("the filter removes nothing")
	}
}

// The nearest objects equal the search's result.
func TestTraceNearest(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(300, 1)
	v := trees.Plant(t, objects, false).View()
	q, err := TraceNearest(v, [3]float32{1, 2, 3}, 7, query.Filter{})
	testkit.Must(t, err)
	slices.Sort(q.Hits)
	if len(slices.Compact(q.Hits)) != 7 {
		t.Errorf("the nearest are %v", q.Hits)
	}
	if _, err := TraceNearest(v, [3]float32{float32(math.NaN())}, 1, query.Filter{}); err == nil {
		t.Error("no error of NaN")
	}
}

// The heat of another tree is rejected.
func TestProfileErrors(t *testing.T) {
	small := trees.Plant(t, testkit.SceneByName(t, "city").Make(20, 1), false).View()
	large := trees.Plant(t, testkit.SceneByName(t, "city").Make(2000, 1), false).View()
	if _, err := Profile(large, query.NewHeat(small)); err == nil {
		t.Error("no error of the heat of another tree")
	}
}

// Outlines beyond the drawn ones are counted, and not kept.
func TestOutlined(t *testing.T) {
	var o outlined
	for i := range 3 * maxDrawn {
		o.add(soa.AABB{Min: [3]float32{float32(i)}}, i%2 == 1)
	}
	if o.n != 3*maxDrawn || o.seen != 3*maxDrawn/2 || len(o.boxes) != maxDrawn || cap(o.boxes) > 2*maxDrawn {
		t.Errorf("%d boxes, %d of them visible, %d kept of %d", o.n, o.seen, len(o.boxes), cap(o.boxes))
	}
	for i, b := range o.boxes {
		if b.Min[0] != float32(2*i+1) {
			t.Fatalf("box %d is %v", i, b)
		}
	}
}
