package linear_test

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// check compares a scene with the model.
func (m *sceneModel) check(t testing.TB, p *modelPart) {
	t.Helper()
	if err := p.scene.Validate(); err != nil {
		t.Fatalf("scene %d: %v, after %v", m.name(p), err, m.log)
	}
	v := p.scene.View()
	if got, want := v.Total(), p.total(); got != want {
		t.Fatalf("scene %d holds %d objects through all places, want %d, after %v", m.name(p), got, want, m.log)
	}
	if v.Bounds() != p.scene.Bounds() {
		t.Fatalf("scene %d has bounds %v, its view %v", m.name(p), p.scene.Bounds(), v.Bounds())
	}
	seen := map[uint32]*modelPart{0: p}
	m.checkView(t, v, p, seen)
	parts := 0
	for number, inner := range v.Parts() {
		if q := seen[number]; int(number) != parts || q == nil || inner.Total() != q.total() {
			t.Fatalf("part %d of scene %d holds %d objects, after %v", number, m.name(p), inner.Total(), m.log)
		}
		parts++
	}
	if parts != len(seen) {
		t.Fatalf("scene %d has %d parts, want %d", m.name(p), parts, len(seen))
	}
	if len(p.live)+len(p.instances) > 0 {
		m.checkExactly(t, v, p)
	}
}

// checkView compares a view and its nested views with the model.
func (m *sceneModel) checkView(t testing.TB, v linear.SceneView, p *modelPart, seen map[uint32]*modelPart) {
	t.Helper()
	if v.Objects().Len() != len(p.live) || v.Instances().Len() != len(p.instances) {
		t.Fatalf("%d objects and %d places in %d, want %d and %d, after %v", v.Objects().Len(), v.Instances().Len(), m.name(p), len(p.live), len(p.instances), m.log)
	}
	checkViewAll(t, v.Objects(), p.live)
	if p.scene != nil {
		m.checkSceneAll(t, v, p)
	}
	for id, l := range p.instances {
		inner, number, transform := v.Instance(id)
		part, also, ok := p.scene.Instance(id)
		if part != l.part.as() || also != l.transform || !ok || *transform != l.transform {
			t.Fatalf("place %d of %d holds %v under %v, %v; after %v", id, m.name(p), part, transform, ok, m.log)
		}
		want := l.o.Mask
		if want == 0 {
			want = 1<<32 - 1
		}
		if o, ok := v.Instances().Object(id); !ok || o.Mask != want {
			t.Fatalf("place %d of %d has the gate %#x, want %#x", id, m.name(p), o.Mask, want)
		}
		if q := seen[number]; q != nil && q != l.part {
			t.Fatalf("number %d is that of part %d and of %d, after %v", number, m.name(q), m.name(l.part), m.log)
		} else if q == nil {
			seen[number] = l.part
			m.checkView(t, inner, l.part, seen)
		}
	}
}

// checkExactly follows some objects outwards, in exact arithmetic: each box lies inside the boxes of the
// instances above it.
func (m *sceneModel) checkExactly(t testing.TB, v linear.SceneView, p *modelPart) {
	t.Helper()
	for range 4 {
		type step struct {
			v  linear.SceneView
			p  *modelPart
			id uint32
		}
		way := []step{{v: v, p: p}}
		for {
			last := &way[len(way)-1]
			if n := len(last.p.at); n == 0 || len(last.p.ids) > 0 && m.r.IntN(4) == 0 {
				break
			}
			last.id = last.p.at[m.r.IntN(len(last.p.at))]
			inner, _, _ := last.v.Instance(last.id)
			way = append(way, step{v: inner, p: last.p.instances[last.id].part})
		}
		in := way[len(way)-1]
		if len(in.p.ids) == 0 {
			continue
		}
		id := in.p.ids[m.r.IntN(len(in.p.ids))]
		box := in.p.live[id].Box
		var corners [8][3]*rational.Rat
		for c := range corners {
			for a := range 3 {
				corners[c][a] = rat(float64(box.Min[a]))
				if c>>a&1 != 0 {
					corners[c][a] = rat(float64(box.Max[a]))
				}
			}
		}
		for k := len(way) - 1; k >= 0; k-- {
			w := way[k]
			if k < len(way)-1 {
				transform := exactly(w.p.instances[w.id].transform)
				for c := range corners {
					corners[c] = transform.imageOf(corners[c])
				}
				o, _ := w.v.Instances().Object(w.id)
				if _, outgrown := slices.BinarySearch(w.v.Outgrown(), w.id); !outgrown && !holdsExactly(o.Box, corners[:]) {
					t.Fatalf("object %d, %d places deep in %d, is not in the box %v of place %d, after %v", id, len(way)-1-k, m.name(w.p), o.Box, w.id, m.log)
				}
			}
			if !holdsExactly(w.v.Bounds(), corners[:]) {
				t.Fatalf("object %d, %d places deep in %d, is not in its bounds %v, after %v", id, len(way)-1-k, m.name(w.p), w.v.Bounds(), m.log)
			}
			radius := rat(w.p.as().Radius())
			radius.Mul(radius, radius)
			for _, c := range corners {
				if dot(c[:], c[:]).Cmp(radius) > 0 {
					t.Fatalf("object %d, %d places deep in %d, is farther away than %g", id, len(way)-1-k, m.name(w.p), w.p.as().Radius())
				}
			}
		}
	}
}

// imageOf returns the image of an exact point.
func (e *exactTransform) imageOf(v [3]*rational.Rat) (out [3]*rational.Rat) {
	for i := range 3 {
		out[i] = dot(e.m[i], v[:])
		out[i].Add(out[i], e.t[i])
	}
	return out
}

func holdsExactly(b soa.AABB, points [][3]*rational.Rat) bool {
	for _, p := range points {
		for a := range 3 {
			if p[a].Cmp(rat(float64(b.Min[a]))) < 0 || p[a].Cmp(rat(float64(b.Max[a]))) > 0 {
				return false
			}
		}
	}
	return true
}

// digest adds the visible state of scenes to a hash.
func (m *sceneModel) digest(h hash.Hash64) {
	for _, p := range m.parts[m.trees:] {
		v := p.scene.View()
		fmt.Fprintln(h, v.Bounds(), p.scene.Radius(), v.Total(), v.Outgrown())
		for _, id := range p.at {
			o, _ := v.Instances().Object(id)
			_, number, _ := v.Instance(id)
			fmt.Fprintln(h, id, number, o)
		}
	}
}

var sceneConfigs = []linear.Config{
	{},
	{PendingMin: 4, PendingShare: 1 << 20},
	{PendingMin: 4, PendingShare: 1 << 20, Policy: linear.PolicyIncremental, Log: true, Lifespan: 1},
	{PendingMin: 16, PendingShare: 1 << 20, Policy: linear.PolicyRebuild},
	{PendingMin: 16, Policy: linear.PolicyRefit},
}

// Random calls on nested trees and scenes have the same effect as on a simple model, lose no objects, and leave
// all of them valid.
func TestSceneModel(t *testing.T) {
	seed := testkit.Seed(t)
	cycles, deep := 0, 0
	sizes := []int{2, 5, 12}
	for i, cfg := range sceneConfigs {
		last := i == len(sceneConfigs)-1 // it has more rounds if these seeds made too few
		for k := 0; k < len(sizes) || last && min(cycles, deep) == 0 && !t.Failed() && k < 20*len(sizes); k++ {
			scenes := sizes[k%len(sizes)]
			t.Run(fmt.Sprintf("config=%d/scenes=%d", i, scenes), func(t *testing.T) {
				m := newSceneModel(t, seed+uint64(100*i+scenes+1000*(k/len(sizes))), 3, scenes, cfg)
				m.chain(t)
				for range testkit.Budget(t, 20, 600) {
					m.step(t)
					p := m.scene()
					if m.size(p) > 2000 {
						m.clear(t, p)
					}
					m.check(t, p)
				}
				cycles, deep = cycles+m.cycles, deep+m.deep
			})
		}
	}
	if cycles == 0 || deep == 0 {
		t.Errorf("%d placements were refused as cycles, %d as too deep: too few", cycles, deep)
	}
}

// chain puts each scene into the previous one, and an object into the last one.
func (m *sceneModel) chain(t testing.TB) {
	for k := m.trees; k+1 < min(len(m.parts), m.trees+linear.MaxDepth+1); k++ {
		p, next := m.parts[k], m.parts[k+1]
		transform := m.transform(t)
		id, err := p.scene.AddInstance(next.scene, transform, linear.InstanceOptions{})
		must(t, err)
		p.instances[id] = &modelPlace{next, transform, linear.InstanceOptions{}}
		p.at = append(p.at, id)
	}
	m.changeTree(t, m.parts[min(len(m.parts), m.trees+linear.MaxDepth+1)-1])
}

// size is the size of the scenes of the checks.
func (m *sceneModel) size(p *modelPart) uint64 { return p.total() + uint64(len(p.at)) }

// The visible state of scenes is a function of the calls alone.
func TestSceneDigest(t *testing.T) {
	var want uint64
	for i, workers := range []int{1, 2, 7} {
		m := newSceneModel(t, 5, 3, 5, linear.Config{Workers: workers, PendingMin: 8, PendingShare: 1 << 20})
		h := fnv.New64()
		for range testkit.Budget(t, 100, 1000) {
			m.step(t)
			if p := m.scene(); m.size(p) > 1000 {
				m.clear(t, p)
			}
			m.digest(h)
		}
		if i == 0 {
			want = h.Sum64()
		} else if h.Sum64() != want {
			t.Errorf("with %d workers scenes look otherwise than with one", workers)
		}
	}
}
