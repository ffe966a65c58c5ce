package interest_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// being is an object, and its number among all objects ever inserted.
type being struct {
	soa.Object
	ball   [4]float32
	turned soa.OrientedBox
	born   int
	gen    uint32 // generation of its handle
}

// world is a tree and its objects.
type world struct {
	tree *linear.Tree
	live map[uint32]being
}

// version is the state of a world at a moment.
type version struct {
	held *linear.Version // nil: the version is the tree itself
	view linear.View
	live map[uint32]being
}

// wish is an area as requested, and a viewer of the model.
type wish struct {
	area   interest.Area
	kind   int
	boxes  [2]soa.AABB
	center [3]float32
	radius [2]float32
	planes [2][6][4]float32
	frusta [2]query.Frustum
	sights [2]interest.Visibility

	view map[uint32]int // births of the objects in view, by ID
}

// Kinds of wishes: the last ones.
const (
	seen  = 6
	kinds = 7
)

// wishFor makes a random area.
func wishFor(t testing.TB, rng *rand.Rand) *wish {
	w := &wish{kind: rng.IntN(kinds), view: map[uint32]int{}}
	margin := float32(rng.IntN(2)) * rng.Float32() * 3
	c := point(rng)
	var err error
	switch w.kind {
	case 0:
		w.boxes = [2]soa.AABB{testkit.CubeAt(c, 2), testkit.CubeAt(c, 2+margin)}
		w.area, err = interest.Box(w.boxes[0], w.boxes[1])
	case 1:
		w.center, w.radius = c, [2]float32{2.5, 2.5 + margin}
		w.area, err = interest.Sphere(c, w.radius[0], w.radius[1])
	case 2, 3: // 3: precise
		for side := range 6 {
			n := [3]float32{rng.Float32() - 0.5, rng.Float32() - 0.5, rng.Float32() - 0.5}
			n[side/2] = 1 - 2*float32(side%2)
			d := 2.5 - (n[0]*c[0] + n[1]*c[1] + n[2]*c[2])
			w.planes[0][side] = [4]float32{n[0], n[1], n[2], d}
			w.planes[1][side] = [4]float32{n[0], n[1], n[2], d + margin*float32(side-1)/2} // one beyond the first, too
		}
		for i := range 2 {
			if w.frusta[i], err = query.FrustumPlanes(w.planes[i]); w.kind == 3 {
				w.frusta[i] = w.frusta[i].Precise()
			}
		}
		w.area = interest.Frustum(w.frusta[0], w.frusta[1])
	}
	if w.kind == 5 { // with a least size
		camera := query.Camera{Forward: [3]float64{1, rng.Float64(), 0}, Up: [3]float64{0, 0, 1}, FovY: 2, Aspect: 1, Far: 10}
		for a := range 3 {
			camera.Eye[a] = float64(c[a]) - 3*camera.Forward[a]
		}
		for i, least := range [2]float32{0.2 + margin/9, 0.2} {
			f, err2 := camera.Frustum()
			if err2 != nil {
				t.Fatal(err2)
			}
			if w.frusta[i], err = f.MinSize(least); err != nil {
				t.Fatal(err)
			}
		}
		w.area = interest.Frustum(w.frusta[0], w.frusta[1])
	}
	if w.kind == seen {
		w.sights = sightsFrom(rng, c)
		w.area, err = interest.Visible(w.sights[0], w.sights[1])
	}
	testkit.Must(t, err)
	return w
}

// sightsFrom returns a visibility and one for the margin: the same, a wider one, or one with fewer
// occluders.
func sightsFrom(rng *rand.Rand, at [3]float32) (s [2]interest.Visibility) {
	camera := query.Camera{Forward: [3]float64{4 - float64(at[0]), 4.5 - float64(at[1]), 4 - float64(at[2])},
		Up: [3]float64{0.1, 0, 1}, FovY: 1 + rng.Float64(), Aspect: 1 + rng.Float64(), Near: 0.1, Far: 20}
	for a := range 3 {
		camera.Eye[a] = float64(at[a]) - 0.5*camera.Forward[a]
	}
	cfg := occlude.Config{Width: 24 + 8*rng.IntN(3), OccluderMask: uint32(rng.IntN(8)), MinSize: float32(rng.IntN(2)) * 0.02}
	s = [2]interest.Visibility{{Camera: camera, Config: cfg}, {Camera: camera, Config: cfg}}
	switch rng.IntN(3) {
	case 0:
		s[1].Camera.FovY += 0.5
	case 1:
		s[1].Config.OccluderMask &= uint32(rng.IntN(8))
	}
	return s
}

// slab is an occluder that is not an object.
var slab = soa.AABB{Min: [3]float32{3, 3, 3}, Max: [3]float32{5, 5, 4}}

func drawSlab(culler *occlude.Culler) {
	if err := culler.DrawBoxes(slab); err != nil {
		panic(err)
	}
}

// seenBy queries a new culler.
func seenBy(s *interest.Visibility, v linear.View, f query.Filter, draw func(*occlude.Culler)) []uint32 {
	culler, err := occlude.New(s.Config)
	if err == nil {
		err = culler.SetCamera(s.Camera)
	}
	if err != nil {
		panic(err)
	}
	if draw != nil {
		draw(culler)
	}
	return culler.Append(nil, v, f)
}

// point returns a point in a cube of 8, on a grid in half of the cases.
func point(rng *rand.Rand) (p [3]float32) {
	for a := range p {
		p[a] = 8 * rng.Float32()
		if rng.IntN(2) == 0 {
			p[a] = float32(int(p[a]))
		}
	}
	return p
}

// meets returns the objects that intersect one of the volumes and pass a filter: by the formulas of the
// contract in a loop; with bounds by the query, and for visibilities by a new culler.
func (w *wish) meets(which int, x *version, f query.Filter, draw func(*occlude.Culler)) map[uint32]bool {
	met := map[uint32]bool{}
	var found []uint32
	ids := slices.Sorted(maps.Keys(x.live))
	boxes := make([]soa.AABB, len(ids))
	for i, id := range ids {
		boxes[i] = x.live[id].Box
	}
	var hits []int
	s := x.view.Store()
	switch {
	case w.kind == 4:
	case w.kind == seen:
		found = seenBy(&w.sights[which], x.view, f, draw)
	case w.kind == 3 || w.kind == 5 || f.Exact && w.kind == 2:
		found = w.frusta[which].Append(nil, x.view, f)
	case f.Exact && w.kind == 0:
		q, _ := query.NewBox(w.boxes[which].Min, w.boxes[which].Max)
		found = q.Append(nil, x.view, f)
	case f.Exact:
		q, _ := query.NewSphere(w.center, w.radius[which])
		found = q.Append(nil, x.view, f)
	case w.kind == 0:
		hits = testkit.ReferenceBox(boxes, w.boxes[which])
	case w.kind == 1:
		hits = testkit.ReferenceSphere(boxes, w.center, w.radius[which])
	case w.kind == 2:
		hits = testkit.ReferenceFrustumBounds(boxes, w.planes[which], s.Near, s.Extent)
	}
	for _, id := range found {
		met[id] = true
	}
	for _, i := range hits {
		o := x.live[ids[i]]
		if passes(&f, ids[i], &o.Object) && f.Exclude != (linear.Handle{ID: ids[i], Gen: o.gen}) {
			met[ids[i]] = true
		}
	}
	return met
}

// inFrustum returns the number of objects in the frustum of the visibility for leaving.
func (w *wish) inFrustum(x *version, f query.Filter) int {
	frustum, err := w.sights[1].Camera.Frustum()
	if err != nil {
		panic(err)
	}
	return frustum.Count(x.view, f)
}

func passes(f *query.Filter, id uint32, o *soa.Object) bool {
	return (f.Mask == 0 || f.Mask&o.Mask != 0) &&
		(f.Motion == query.AnyMotion || (f.Motion == query.StaticOnly) == o.Static) &&
		(f.Only == nil || int(id/64) < len(f.Only) && f.Only[id/64]>>(id%64)&1 != 0)
}

// events are the expected events of a viewer.
type events struct{ entered, left, touched, view []uint32 }

// update returns the expected events of a viewer from one version to the next.
func (w *wish) update(before map[uint32]being, x *version, f query.Filter, draw func(*occlude.Culler)) (e events) {
	outer := w.meets(1, x, f, draw)
	inner := w.meets(0, x, f, draw)
	now := map[uint32]int{}
	for id := range outer {
		b := x.live[id]
		if w.view[id] == b.born {
			if now[id] = b.born; before[id] != b {
				e.touched = append(e.touched, id)
			}
		} else if inner[id] { // and outer
			now[id] = b.born
			e.entered = append(e.entered, id)
		}
	}
	for id, born := range w.view {
		if now[id] != born {
			e.left = append(e.left, id)
		}
	}
	w.view = now
	e.view = slices.Collect(maps.Keys(now))
	for _, ids := range [][]uint32{e.entered, e.left, e.touched, e.view} {
		slices.Sort(ids)
	}
	return e
}
