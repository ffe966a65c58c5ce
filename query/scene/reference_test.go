package scene_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
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
