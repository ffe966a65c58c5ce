package query_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// subsets returns filters for every set of fields of F, with the values listed for each field in turns.
func subsets[F any](t *testing.T, values map[string][]any) (all []F) {
	t.Helper()
	fields := fieldsOf[F]()
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

// manyQuestions returns queries of all kinds, with no and with all objects among their results.
func manyQuestions(t *testing.T, f forest, seed uint64) (a asked) {
	t.Helper()
	for i, q := range someFrusta(t, f.Objects, 3, seed) {
		if i%2 != 0 {
			q = q.Precise()
		}
		a.frusta = append(a.frusta, q)
	}
	for i, b := range append(edgeBoxes(f.Objects), scene.BoxQueries(f.Objects, 60, 8, seed)...) {
		a.boxes = append(a.boxes, box(t, b))
		a.convexes = append(a.convexes, convex(t, slices.Clone(faces(b)[:3+i%4])))
	}
	for i, s := range append(edgeSpheres(f.Objects), scene.SphereQueries(f.Objects, 60, 8, seed)...) {
		a.spheres, a.centers, a.radii = append(a.spheres, sphere(t, s)), append(a.centers, s.Center), append(a.radii, s.Radius)
		if ball, err := query.NewSweptSphere(s.Center, min(s.Radius, 30), [3]float32{9, float32(i%4) * 5, -7}); err == nil {
			a.balls = append(a.balls, ball)
		}
	}
	a.points = scene.PointQueries(f.Objects, 12, seed)
	for i := range 40 { // near corners, beyond the sphere
		b := f.Objects[i*len(f.Objects)/40].Box
		a.points = append(a.points, soa.AABB{Min: b.Min, Max: soa.AABB{Min: b.Min, Max: b.Center()}.Center()}.Center())
	}
	a.rays = benchRays(t, f.Objects, 70)
	return a
}

// excludedOf returns the handle, the same in all trees, of an object that queries of many kinds find.
func excludedOf(t *testing.T, f forest, a *asked) linear.Handle {
	t.Helper()
	v, kinds := f.Trees[treeForms[0]].View(), make([]uint32, len(f.Objects))
	for i := range 3 {
		camera, err := eyeCamera(v.Bounds(), i).Frustum()
		testkit.Must(t, err)
		for id := range camera.All(v, query.Filter{}) {
			kinds[id] |= 4
		}
	}
	for _, q := range a.frusta {
		for id := range q.All(v, query.Filter{}) {
			kinds[id] |= 2
		}
	}
	for _, q := range a.rays {
		if id, _, ok := q.FirstID(v, query.Filter{}); ok {
			kinds[id] |= 8 // the fewest objects
		}
	}
	for _, q := range a.balls {
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
	h, ok := f.Trees[treeForms[0]].Handle(uint32(best))
	for form, tree := range f.Trees {
		if g, _ := tree.Handle(h.ID); !ok || g != h {
			t.Fatalf("%s: handle %v, want %v", form, g, h)
		}
	}
	return h
}

// pairedOf returns the handle of an object with an exact pair, the same in all trees.
func pairedOf(t *testing.T, f forest) linear.Handle {
	t.Helper()
	tree := f.Trees[treeForms[0]]
	for _, flt := range []collide.Filter{{Exact: true}, {}, {Distance: 100}} { // few objects may have no pairs that are exact
		for p := range collide.All(collide.Within(tree.View()), flt) {
			h, _ := tree.Handle(p.A)
			return h
		}
	}
	t.Fatal("no pairs")
	return linear.Handle{}
}
