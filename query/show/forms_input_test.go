package show_test

import (
	"reflect"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
)

// subsets returns filters for every set of fields of F, with the values listed for each field in turns.
func subsets[F any](t *testing.T, values map[string][]any) (all []F) {
	t.Helper()
	fields := testkit.Fields[F]()
	for set := range 1 << len(fields) {
		var f F
		for i, name := range fields {
			list := values[name]
			if len(list) == 0 {
				t.Fatalf("no values for the field %s of %T", name, f)
			}
			if set>>i&1 != 0 {
				reflect.ValueOf(&f).Elem().FieldByName(name).Set(reflect.ValueOf(list[set%len(list)]))
			}
		}
		all = append(all, f)
	}
	return all
}

// excludedOf returns the handle, the same in all trees, of an object that queries of many kinds find.
func excludedOf(t *testing.T, f trees.Forest, a *asked) linear.Handle {
	t.Helper()
	v, kinds := f.Trees[trees.Forms[0]].View(), make([]uint32, len(f.Objects))
	for i := range 3 {
		camera, err := eyeCamera(v.Bounds(), i).Frustum()
		testkit.Must(t, err)
		for id := range camera.All(v, query.Filter{}) {
			kinds[id] |= 4
		}
	}
	for _, q := range a.Frusta {
		for id := range q.All(v, query.Filter{}) {
			kinds[id] |= 2
		}
	}
	for _, q := range a.Rays {
		if id, _, ok := q.FirstID(v, query.Filter{}); ok {
			kinds[id] |= 8 // the fewest objects
		}
	}
	for _, q := range a.Balls {
		for _, id := range q.AppendIDs(nil, v, query.Filter{}) {
			kinds[id] |= 1
		}
	}
	best := 0
	for id := range kinds {
		if kinds[id] > kinds[best] {
			best = id
		}
	}
	h, ok := f.Trees[trees.Forms[0]].Handle(uint32(best))
	for form, tree := range f.Trees {
		if g, _ := tree.Handle(h.ID); !ok || g != h {
			t.Fatalf("%s: handle %v, want %v", form, g, h)
		}
	}
	return h
}

// pairedOf returns the handle of an object with an exact pair, the same in all trees.
func pairedOf(t *testing.T, f trees.Forest) linear.Handle {
	t.Helper()
	tree := f.Trees[trees.Forms[0]]
	for _, flt := range []collide.Filter{{Exact: true}, {}, {Distance: 100}} { // few objects may have no pairs that are exact
		for p := range collide.All(collide.Within(tree.View()), flt) {
			h, _ := tree.Handle(p.A)
			return h
		}
	}
	t.Fatal("no pairs")
	return linear.Handle{}
}
