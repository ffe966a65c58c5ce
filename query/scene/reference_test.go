package scene_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// run is the result for one part.
type run struct {
	path scene.Path
	ids  []uint32
}

// reference is the reference: it queries a volume part by part in the order of the contract, without a walk, for
// each instance whose box intersects the volume, or that has outgrown its box.
type reference struct {
	filter query.Filter
	runs   []run
}

func (w *reference) visit(s spot, m *scene.Moved, own bool) {
	f := w.filter
	if !own {
		f.Only, f.Exclude = nil, linear.Handle{}
	}
	var ids []uint32
	for _, id := range m.Find(s.view.Objects(), f) {
		if m.Keeps(s.view.Objects(), id, f.Exact) {
			ids = append(ids, id)
		}
	}
	w.add(s, ids)
	found := m.Find(s.view.Instances(), query.Filter{Mask: f.Mask})
	outgrown := s.view.Outgrown()
	found = slices.DeleteFunc(found, func(id uint32) bool { return slices.Contains(outgrown, id) })
	for _, id := range slices.Concat(found, outgrown) {
		inner, transform, ok := s.into(id, f.Mask)
		if !ok {
			continue
		}
		if moved, met := m.Into(transform, inner.view.Bounds()); met == int(scene.Inside) {
			w.whole(inner)
		} else if met != int(scene.Outside) {
			w.visit(inner, moved, false)
		}
	}
}

// into enters an instance, if its mask passes the filter and it is not empty.
func (s spot) into(id, mask uint32) (inner spot, transform *linear.Transform, ok bool) {
	o, _ := s.view.Instances().Object(id)
	if mask != 0 && mask&o.Mask == 0 {
		return inner, nil, false
	}
	view, _, transform := s.view.Instance(id)
	inner = spot{ids: append(s.ids[:len(s.ids):len(s.ids)], id), view: view}
	inner.path = scene.PathOf(inner.ids...)
	return inner, transform, view.Total() > 0
}

// whole adds all objects of a part.
func (w *reference) whole(s spot) {
	var all query.Frustum
	f := w.filter
	f.Only, f.Exclude = nil, linear.Handle{}
	w.add(s, all.Append(nil, s.view.Objects(), f))
	for _, id := range all.Append(nil, s.view.Instances(), query.Filter{Mask: f.Mask}) {
		if inner, _, ok := s.into(id, f.Mask); ok {
			w.whole(inner)
		}
	}
}

func (w *reference) add(s spot, ids []uint32) {
	if len(ids) > 0 {
		w.runs = append(w.runs, run{s.path, ids})
	}
}

// runsOf returns the runs of an answer.
func runsOf(a *scene.Answer) (runs []run) {
	for i := range a.Runs {
		p, ids := a.Run(i)
		runs = append(runs, run{a.Path(p), slices.Clone(ids)})
	}
	return runs
}

// eachVolume draws volumes of all kinds in scenes of a family, different ones for each number.
func eachVolume(t *testing.T, seed uint64, family string, rounds int, body func(t *testing.T, rng *rand.Rand, s *linear.Scene, all []spot, q asked)) {
	rng := testkit.Rand(seed<<8 + uint64(slices.Index(families, family)))
	for range rounds {
		s := worldOf(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(12))
		if rng.IntN(8) == 0 {
			s = chainOf(t, rng, family, linear.MaxDepth)
		}
		all := spots(s.View())
		for range 4 {
			center, corner, size, ok := targetOf(rng, all)
			if !ok {
				continue
			}
			for _, q := range volumesAt(t, rng, center, corner, size) {
				body(t, rng, s, all, q)
			}
		}
	}
}

// The walk returns the results of the reference, run by run; every form agrees; and each is the same on
// every tier.
func TestVolumesAgainstReference(t *testing.T) {
	found := map[string]int{}
	var former []string // results of the first tier
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		var answers []string
		each := func(t *testing.T, rng *rand.Rand, s *linear.Scene, _ []spot, q asked) {
			v, f := s.View(), someFilter(rng)
			f.Exact = rng.IntN(4) == 0
			w := reference{filter: f}
			w.visit(spot{view: v}, q.opened, true)
			var a scene.Answer
			q.append(&a, v, f)
			got := runsOf(&a)
			if !slices.EqualFunc(got, w.runs, func(x, y run) bool { return x.path == y.path && slices.Equal(x.ids, y.ids) }) {
				t.Fatalf("%s %+v:\n%v, want\n%v", q.name, f, got, w.runs)
			}
			found[q.name[:3]] += a.Len()
			if answers = append(answers, fmt.Sprint(got)); testkit.OfTier(t, len(answers)) {
				checkForms(t, q, v, f, got)
			}
		}
		for _, family := range families {
			eachVolume(t, seed, family, testkit.Budget(t, 2, 50), each)
		}
		if former == nil {
			former = answers
		}
		if !slices.Equal(answers, former) {
			t.Error("this tier gives other answers than the first")
		}
	})
	for _, name := range []string{"box", "poi", "sph", "fru", "pre", "con", "ori"} {
		if found[name] == 0 {
			t.Errorf("nothing was found by a %s: %v", name, found)
		}
	}
}

// checkForms compares the other forms with the result of Append.
func checkForms(t *testing.T, q asked, v linear.SceneView, f query.Filter, want []run) {
	t.Helper()
	n := 0
	for _, r := range want {
		n += len(r.ids)
	}
	if got := q.count(v, f); got != uint64(n) {
		t.Fatalf("%s %+v: %d counted, want %d", q.name, f, got, n)
	}
	if got := q.any(v, f); got != (n > 0) {
		t.Fatalf("%s %+v: any %v of %d", q.name, f, got, n)
	}
	var each, ranged []run
	add := func(runs []run, p scene.Path, id uint32) []run {
		if len(runs) == 0 || runs[len(runs)-1].path != p {
			runs = append(runs, run{path: p})
		}
		r := &runs[len(runs)-1]
		r.ids = append(r.ids, id)
		return runs
	}
	q.each(v, f, func(p scene.Path, id uint32) bool {
		each = add(each, p, id)
		return true
	})
	q.ranges(v, f, func(part scene.Part, r query.Range) bool {
		view := part.View.Objects()
		for slot := r.First; slot < r.First+r.Count; slot++ {
			for l, id := range view.IDs(slot) {
				if r.Mask == 0 || r.Mask>>l&1 != 0 {
					ranged = add(ranged, part.Path, id)
				}
			}
		}
		return true
	})
	same := func(x, y run) bool { return x.path == y.path && slices.Equal(x.ids, y.ids) }
	if !slices.EqualFunc(each, want, same) || !slices.EqualFunc(ranged, want, same) {
		t.Fatalf("%s %+v:\neach %v\nranges %v, want\n%v", q.name, f, each, ranged, want)
	}
	for stop := 1; stop <= min(n, 3); stop++ {
		k := 0
		q.each(v, f, func(scene.Path, uint32) bool { k++; return k < stop })
		if k != stop {
			t.Fatalf("%s: %d yielded after it was to end at %d", q.name, k, stop)
		}
	}
	if c := q.tell(v, f, nil); c.Instances < c.Rejected+c.Whole+c.Entered {
		t.Fatalf("%s: %+v", q.name, c)
	}
}

// No false negatives in exact arithmetic: every object that intersects a volume is returned, and false
// positives are within the bounds of the package comment.
func TestVolumesByDefinition(t *testing.T) {
	judged, met, extra, turned := 0, map[string]int{}, 0, 0
	var family string
	seed := testkit.Seed(t)
	for want := cases(t, 100_000, 1_000_000); judged < want; seed++ {
		before := judged
		each := func(t *testing.T, rng *rand.Rand, s *linear.Scene, all []spot, q asked) {
			v, f := s.View(), query.Filter{Exact: rng.IntN(2) == 0}
			var a scene.Answer
			q.append(&a, v, f)
			got := map[scene.Path]map[uint32]bool{}
			for p, id := range a.All() {
				path := a.Path(p)
				if got[path] == nil {
					got[path] = map[uint32]bool{}
				}
				if got[path][id] {
					t.Fatalf("%s: %d of %v twice", q.name, id, path)
				}
				got[path][id] = true
			}
			for _, at := range all {
				im, store := imageOf(at.transforms), at.view.Objects().Store()
				for _, o := range listed(at.view.Objects()) {
					judged++
					x := at.shape(&im, &o, f.Exact)
					if x.turned {
						turned++
					}
					reported := got[at.path][o.id]
					switch {
					case reported:
						met[q.name[:3]]++
						if why := q.beyond(&im, &x, store.Extent, &at); why != "" {
							t.Fatalf("%s, seed %d: %s: %d of %v, %v (turned: %v) under %v %v, is reported and not within the bound: %s", family, seed, q.name, o.id, at.path, x.box, x.turned, x.m, x.t, why)
						}
						if !q.precise && !q.meets(rng, &x.image, &x.box) {
							extra++
						}
					case !x.hasSphere && q.meets(rng, &x.image, &x.box):
						t.Fatalf("%s, seed %d: %s: %d of %v, %v (turned: %v) under %v %v, is lost", family, seed, q.name, o.id, at.path, x.box, x.turned, x.m, x.t)
					}
				}
			}
		}
		for _, family = range families {
			eachVolume(t, seed, family, 1, each)
		}
		if judged == before {
			t.Fatal("nothing was judged")
		}
	}
	t.Logf("%d judged, %d by oriented boxes, reported %v, of these not met, or not surely, %d", judged, turned, met, extra)
	for _, name := range []string{"box", "poi", "sph", "fru", "pre", "con", "ori"} {
		if met[name] == 0 {
			t.Errorf("nothing meets a %s", name)
		}
	}
}

// meets reports whether the image of a box intersects the volume in exact arithmetic. For a sphere and a
// precise frustum it may miss some that barely intersect.
func (q *asked) meets(rng *rand.Rand, im *image, b *soa.AABB) bool {
	switch {
	case q.box != nil:
		return im.meetsBox(b, q.box)
	case q.turned != nil:
		here, box := imageOf(nil).turned(*q.turned)
		x, y := solid{has: soa.Object{Box: *b}, im: im}, solid{has: soa.Object{Box: box}, im: &here}
		apart, clear := apart(&x, &y)
		return clear || !apart && exactlyMeet(&x, &y)
	case q.radius >= 0:
		share, dist := im.nearest(b, q.center)
		if dist > q.radius*(1+0x1p-20) {
			return false
		}
		if off := im.off(b); dist+off < q.radius {
			return true
		}
		p := im.exactPoint(b, share)
		sum := new(rational.Rat)
		for a := range 3 {
			d := p[a].Sub(p[a], rat(q.center[a]))
			sum.Add(sum, product(d, d))
		}
		return sum.Cmp(product(rat(q.radius), rat(q.radius))) <= 0
	case q.precise:
		// A corner, or some other point, inside the volume.
		for k := range 12 {
			share := [3]float64{float64(k & 1), float64(k >> 1 & 1), float64(k >> 2 & 1)}
			if k >= 8 {
				share = [3]float64{rng.Float64(), rng.Float64(), rng.Float64()}
			}
			p, doubt := im.point(b, share), false
			out := false
			for _, n := range q.planes {
				at := n[3] + n[0]*p[0] + n[1]*p[1] + n[2]*p[2]
				off := (math.Abs(n[0])+math.Abs(n[1])+math.Abs(n[2]))*im.off(b) + math.Abs(n[3])*slack
				out, doubt = out || at < -off, doubt || at < off
			}
			if !out && (!doubt || q.holds(im.exactPoint(b, share))) {
				return true
			}
		}
		return false
	}
	for _, p := range q.planes {
		if !im.passes(p, b) {
			return false
		}
	}
	return true
}

// holds reports whether a point is inside all planes.
func (q *asked) holds(x [3]*rational.Rat) bool {
	for _, p := range q.planes {
		at := rat(p[3])
		for a := range 3 {
			at.Add(at, product(rat(p[a]), x[a]))
		}
		if at.Sign() < 0 {
			return false
		}
	}
	return true
}

// beyond returns the reason why the shape of an object of a part under im is too far from the volume to be
// returned, or "" if it is not.
func (q *asked) beyond(im *image, x *shape, extent [3]float32, at *spot) (why string) {
	if q.turned != nil {
		here, box := imageOf(nil).turned(*q.turned)
		room := 1.0
		for _, p := range at.transforms {
			least, most := (*xform.Transform)(p).Stretch()
			room *= most / least
		}
		for _, n := range axesOf(&x.image, &here) {
			lo, hi, off := x.span(n, &x.box)
			least, most, more := here.span(n, &box)
			if n[0]*n[0]+n[1]*n[1]+n[2]*n[2] < 0x1p-20 {
				continue // of edges nearly in parallel
			}
			if gap := max(least-hi, lo-most); gap > (off+more)*(1+room*0x1p-7) {
				return fmt.Sprintf("apart by %v along %v, sizes %v", gap, n, (off+more)/slack)
			}
		}
		return ""
	}
	b := &x.box
	if q.radius >= 0 {
		_, dist := x.nearest(b, q.center)
		off := 0.0
		for i := range 3 {
			off += im.far[i] + math.Abs(q.center[i])
			for j := range 3 {
				off += im.size[i][j] * float64(extent[j])
			}
		}
		if x.turned { // a frame may be larger
			off *= 16
		}
		// For an ellipsoid the box around the image decides; the shape may be far from it.
		if im.alike() {
			if dist > q.radius*(1+0x1p-16)+off*0x1p-20 {
				return fmt.Sprintf("%v from %v, the radius is %v", dist, q.center, q.radius)
			}
			return ""
		}
		var gap float64
		for a := range 3 {
			var n [3]float64
			n[a] = 1
			least, most, _ := x.span(n, b)
			d := max(least-q.center[a], q.center[a]-most, 0)
			gap += d * d
		}
		if math.Sqrt(gap) > q.radius*(1+0x1p-16)+off*0x1p-20 {
			return fmt.Sprintf("its box is %v from %v, the radius is %v", math.Sqrt(gap), q.center, q.radius)
		}
		return ""
	}
	planes := q.planes
	if q.box != nil {
		planes = nil
		for a := range 3 {
			least, most := [4]float64{3: -float64(q.box.Min[a])}, [4]float64{3: float64(q.box.Max[a])}
			least[a], most[a] = 1, -1
			planes = append(planes, least, most)
		}
	}
	var ways []image // to the parts on the way
	for i := range at.transforms {
		ways = append(ways, imageOf(at.transforms[:i+1]))
	}
	for _, p := range planes {
		n := [3]float64{p[0], p[1], p[2]}
		_, most, _ := x.span(n, b)
		local, outer, d := 0.0, math.Abs(p[3]), p[3]
		for i := range 3 {
			outer += math.Abs(n[i]) * im.far[i]
			d += n[i] * im.t[i]
		}
		for j := range 3 {
			c := 0.0
			for i := range 3 {
				c += n[i] * im.m[i][j]
				for k := range ways {
					b := &at.sizes[k]
					outer += math.Abs(n[i]) * ways[k].size[i][j] * math.Abs(max(float64(b.Max[j]), -float64(b.Min[j])))
				}
			}
			local += math.Abs(c) * float64(extent[j])
		}
		local += math.Abs(d)
		if !(most+p[3] >= -(local*0x1p-20 + outer*0x1p-40)) {
			return fmt.Sprintf("plane %v: at %v, sizes %v and %v", p, most+p[3], local, outer)
		}
	}
	return ""
}

// alike reports whether all lengths are scaled equally.
func (im *image) alike() bool {
	var g [3][3]float64
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				g[i][j] += im.m[k][i] * im.m[k][j]
			}
		}
	}
	for i := range 3 {
		j := (i + 1) % 3
		if math.Abs(g[i][i]-g[j][j]) > 0x1p-16*g[i][i] || math.Abs(g[i][j]) > 0x1p-17*g[i][i] {
			return false
		}
	}
	return true
}
