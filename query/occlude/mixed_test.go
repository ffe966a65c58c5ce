package occlude_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// mixed is a world that a culler queries in any order, with its occluders.
type mixed struct {
	t       *testing.T
	rng     *rand.Rand
	tree    *linear.Tree
	objects []soa.Object
	bodies  []body
	s       *linear.Scene
	places  []uint32
	things  []member
	images  []soa.Object // of things
	shapes  []body       // of things
	solids  []body       // of the tree and the scene
	drawn   []body       // by hand
	draws   []func(culler *occlude.Culler)
	met     int
	less    int
	pauses  int
	gave    int
	covered int // pictures of occluders drawn by the program
}

// mixedWorld makes a tree and a scene in the same region.
func mixedWorld(t *testing.T, rng *rand.Rand) *mixed {
	m := &mixed{t: t, rng: rng}
	if rng.IntN(2) == 0 {
		m.objects = town(rng, 40, 400, 120)
	} else { // almost nothing hides
		m.objects = town(rng, rng.IntN(3), 6000, 120)
	}
	m.tree, m.bodies = plant(t, m.objects, linear.Config{}), bodiesOf(m.objects)
	m.s, _ = linear.NewScene(linear.Config{})
	if _, err := m.s.Tree().InsertBatch(nil, block(rng, 10, 60, 1, 120, 1)); err != nil {
		t.Fatal(err)
	}
	p := plant(t, block(rng, 6, 40, 1, 30, 1), linear.Config{})
	for range 4 {
		transform, _ := partPose(rng, transformKinds[rng.IntN(len(transformKinds)-3)], [3]float64{rng.Float64() * 120, rng.Float64() * 120, 0})
		id, err := m.s.AddInstance(p, transform, linear.InstanceOptions{})
		testkit.Must(t, err)
		m.places = append(m.places, id)
	}
	m.change()
	return m
}

// change moves objects and instances.
func (m *mixed) change() {
	for range 5 {
		i := m.rng.IntN(len(m.objects))
		b := &m.objects[i].Box
		for a := range 2 {
			d := float32(m.rng.NormFloat64())
			b.Min[a], b.Max[a] = b.Min[a]+d, b.Max[a]+d
		}
		testkit.Must(m.t, m.tree.Move(uint32(i), *b))
		m.bodies[i] = boxBody(*b)
	}
	testkit.Must(m.t, m.s.Move(m.places[m.rng.IntN(len(m.places))], steps(m.rng.Float64()*120, m.rng.Float64()*120, 0)))
	if m.rng.IntN(2) == 0 {
		testkit.Must(m.t, m.s.Tick())
	}
	m.things = membersIn(m.s.View())
	m.images, m.shapes, m.solids = nil, nil, nil
	for i := range m.things {
		o := m.things[i].object
		if o.Mask &^= walls; m.things[i].solid {
			o.Mask |= walls
			m.solids = append(m.solids, m.things[i].body)
		}
		m.images, m.shapes = append(m.images, o), append(m.shapes, m.things[i].body)
	}
	for i := range m.objects {
		if m.objects[i].Mask&walls != 0 {
			m.solids = append(m.solids, m.bodies[i])
		}
	}
}

func (m *mixed) filter() (f query.Filter) {
	switch m.rng.IntN(6) {
	case 0:
		f.Mask = 2
	case 1:
		f.Mask = walls
	case 2:
		f.Motion = query.StaticOnly
	case 3:
		f.Exact = true
	}
	return f
}

// visible checks a result of the tree: all is the result of the frustum.
func (m *mixed) visible(culler *occlude.Culler, near float64, objects []soa.Object, bodies []body, all, visible []uint32) {
	m.t.Helper()
	testkit.NothingLost(m.t, all, visible)
	m.less += len(all) - len(visible)
	extra := slices.Concat(m.solids, m.drawn)
	in, rays := setOf(visible), culler.Rays()
	m.met += witness(m.t, m.rng, rays, near, objects, bodies, all, extra, in, 150)
	// Every culled object, however small, has an occluder before each of its points.
	pixels, tested := pixelsOf(&rays), 0
	for _, i := range m.rng.Perm(len(all)) {
		id, b := all[i], &bodies[all[i]]
		if in[id] || tested == 40 {
			continue
		}
		tested++
		p := b.corners[0]
		for _, c := range b.corners[1:] {
			for a, u := 0, m.rng.Float64(); a < 3; a++ {
				p[a] += u * (c[a] - p[a])
			}
		}
		x, y, depth := pixels(p)
		if depth <= near || x < 0 || y < 0 || x > float64(rays.Width) || y > float64(rays.Height) {
			continue
		}
		r := ray{&rays, x, y}
		before := false
		for k := range extra {
			at, out, ok := r.meets(&extra[k])
			before = before || ok && out > near && at >= near*(1-1e-9) && at <= depth+1e-6*math.Abs(depth)
		}
		if !before {
			m.t.Errorf("object %d, box %v, is not visible, but nothing is before it at pixel %v, %v, depth %v", id, objects[id].Box, x, y, depth)
			return
		}
	}
}

// All queries of a culler, in any order, in frames of any kind: checked by rays, and against a culler with
// another number of workers; the same on every tier.
func TestMixed(t *testing.T) {
	seed := testkit.Seed(t)
	former := map[string]uint64{}
	met, less, pauses, gave, covered := 0, 0, 0, 0, 0
	little := func() bool { return min(met, less, pauses, gave) == 0 || covered == 0 && testkit.Long(t) }
	rounds := testkit.Budget(t, 4, 300)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		for round := 0; round < rounds || round < 10*rounds && little(); round++ {
			m := mixedWorld(t, rng)
			cfg := occlude.Config{Width: 64 + rng.IntN(120), Height: 40 + rng.IntN(60), OccluderMask: []uint32{walls, walls, 0}[rng.IntN(3)], MinPixels: rng.IntN(3)}
			if rng.IntN(2) == 0 {
				cfg.MinSize = float32(rng.Float64()) / 16
			}
			var cullers [2]*occlude.Culler
			for i := range cullers {
				cfg.Workers = 1 + 2*i
				cullers[i], _ = occlude.New(cfg)
			}
			for frame := range 16 {
				m.frame(cullers, &cfg, fmt.Sprint(round, ".", frame), former)
				if t.Failed() {
					t.Fatalf("round %d, frame %d, %+v", round, frame, cfg)
				}
			}
			met, less, pauses, gave, covered = met+m.met, less+m.less, pauses+m.pauses, gave+m.gave, covered+m.covered
		}
	})
	if little() {
		t.Errorf("%d met, %d hidden, %d pauses, %d given up, %d pictures: this tests little", met, less, pauses, gave, covered)
	}
}

// reference compares a culler that has only the occluders drawn by the program with a new one, in which they are
// drawn in reverse order.
func (m *mixed) reference(culler *occlude.Culler, cfg *occlude.Config, v *view) {
	fresh := newCuller(m.t, *cfg)
	testkit.Must(m.t, v.look(fresh))
	for _, draw := range slices.Backward(m.draws) {
		draw(fresh)
	}
	a, b := culler.Append(nil, m.tree.View(), query.Filter{}), fresh.Append(nil, m.tree.View(), query.Filter{})
	if !slices.Equal(a, b) || !slices.Equal(bytesOf(culler), bytesOf(fresh)) {
		m.t.Errorf("%d objects are visible, %d by a new Eye, or the pictures differ", len(a), len(b))
	}
	if pix, _, _, _ := culler.DepthBuffer(); len(m.draws) > 0 && slices.Max(pix) > slices.Min(pix) {
		m.covered++
	}
}

func (m *mixed) frame(cullers [2]*occlude.Culler, cfg *occlude.Config, key string, former map[string]uint64) {
	t, rng := m.t, m.rng
	kind := kinds[rng.IntN(len(kinds))]
	at := [3]float64{rng.Float64() * 120, rng.Float64() * 120, 1 + rng.Float64()*4}
	if rng.IntN(4) == 0 {
		at = [3]float64{60, 60, 150}
	}
	v := randomView(rng, kind, at, [3]float64{60, 60, rng.Float64() * 4}, []float64{0.05, 1}[rng.IntN(2)], 400)
	if cfg.MinSize > 0 && kind == "parallel" {
		for _, culler := range cullers {
			if culler.Rays().Width == 0 {
				continue // the first frame
			}
			if before := bytesOf(culler); v.look(culler) == nil || !slices.Equal(before, bytesOf(culler)) {
				t.Fatal("a parallel projection is taken, or the Eye is not as before")
			}
		}
		return
	}
	if rng.IntN(2) == 0 {
		m.change()
	}
	forget := rng.IntN(8) == 0
	for _, culler := range cullers {
		if err := v.look(culler); err != nil {
			return
		}
		if forget {
			culler.Reset()
		}
	}
	near := nearOf(cullers[0], &v)
	m.drawn, m.draws = nil, nil
	var transcript [2][]string
	note := func(i int, what ...any) {
		for k := range what {
			if b, ok := what[k].([]byte); ok { // pictures are large: no number by number
				what[k] = string(b)
			}
		}
		transcript[i] = append(transcript[i], fmt.Sprint(what...))
	}
	view, sv := m.tree.View(), m.s.View()
	for range 2 + rng.IntN(6) {
		f := m.filter()
		place, away := [3]float64{}, 5+rng.Float64()*60 // before the camera
		for a := range place {
			place[a] = at[a] + v.dir[a]*away + rng.NormFloat64()*away/4
		}
		draw := func(f func(culler *occlude.Culler)) {
			m.draws = append(m.draws, f)
			for _, culler := range cullers {
				f(culler)
			}
		}
		switch op := rng.IntN(14); op {
		case 0:
			b := solidBox(rng, place, 8)
			m.drawn = append(m.drawn, boxBody(b))
			draw(func(culler *occlude.Culler) { culler.DrawBoxes(b) })
		case 1:
			s, transform := randomShape(t, rng), randomTransform(t, rng, place)
			m.drawn = append(m.drawn, s.body(transform))
			draw(func(culler *occlude.Culler) { culler.DrawHulls([]occlude.Hull{s.hull}, []linear.Transform{transform}) })
		case 2, 3:
			s := randomSurface(rng, []float64{0.1, 5, 20}[rng.IntN(3)])
			mesh, transform := s.mesh(t), randomTransform(t, rng, place)
			for _, k := range s.triangles {
				one := shape{corners: [][3]float32{s.corners[k[0]], s.corners[k[1]], s.corners[k[2]]}, faces: [][]int32{{0, 1, 2}, {2, 1, 0}}}
				if b := one.body(transform); len(b.planes) == 5 {
					m.drawn = append(m.drawn, b)
				}
			}
			draw(func(culler *occlude.Culler) { culler.DrawMesh(mesh, transform) })
		case 4, 5, 6:
			for i, culler := range cullers {
				counters := culler.Explain(view, f, nil)
				got := culler.Append(nil, view, f)
				note(i, op, got, counters)
				frustum := culler.Frustum()
				// A complete query used the current depth buffer.
				if all := frustum.Append(nil, view, f); counters.Pause == 0 && !counters.Abandoned && !slices.Equal(all, got) {
					for _, id := range got {
						if culler.Occluded(m.objects[id].Box) {
							t.Errorf("object %d is visible, but hidden: %+v", id, counters)
							break
						}
					}
				}
				if i == 0 {
					if counters.Pause > 0 {
						m.pauses++
					}
					if counters.Abandoned {
						m.gave++
					}
					m.visible(culler, near, m.objects, m.bodies, frustum.Append(nil, view, f), got)
				}
			}
		case 7, 8:
			for i, culler := range cullers {
				counters := culler.ExplainScene(sv, f, nil)
				if counters.Pause > 0 {
					m.pauses++
				}
				var a, b scene.Answer
				culler.AppendScene(&a, sv, f)
				names := namesOf(&a)
				note(i, op, names, counters)
				if i == 0 {
					scene.Append(&b, culler.Frustum(), sv, f)
					m.visible(culler, near, m.images, m.shapes, indicesOf(t, m.things, namesOf(&b)), indicesOf(t, m.things, names))
				}
			}
		case 9:
			stop := rng.IntN(30)
			for i, culler := range cullers {
				var ids []uint32
				for id := range culler.All(view, f) {
					if ids = append(ids, id); len(ids) == stop {
						break
					}
				}
				note(i, ids, culler.Count(view, f))
			}
		case 10:
			stop := rng.IntN(30)
			for i, culler := range cullers {
				var ids []name
				for p, id := range culler.AllScene(sv, f) {
					if ids = append(ids, name{p, id}); len(ids) == stop {
						break
					}
				}
				note(i, ids, culler.CountScene(sv, f))
			}
		case 11:
			for i, culler := range cullers {
				before := culler.Explain(view, f, nil)
				a, b := culler.Any(view, f), culler.AnyScene(sv, f)
				frustum := culler.Frustum()
				if a && !frustum.Any(view, f) || b && !scene.Any(frustum, sv, f) {
					t.Errorf("any %v %v, but not in the frustum", a, b)
				}
				if got := culler.Explain(view, f, nil); before.Pause != got.Pause {
					t.Errorf("%+v, then %+v", before, got)
				}
				note(i, a, b)
			}
		case 12:
			stop := 1 + rng.IntN(9)
			for i, culler := range cullers {
				var ranges []query.Range
				yield := func(r query.Range) bool {
					ranges = append(ranges, r)
					return len(ranges)%stop != 0
				}
				culler.Ranges(view, f, yield)
				culler.RangesScene(sv, f, func(_ scene.Part, r query.Range) bool { return yield(r) })
				note(i, ranges)
			}
		default:
			b := solidBox(rng, place, 2)
			for i, culler := range cullers {
				note(i, culler.Occluded(b), bytesOf(culler))
			}
		}
		if t.Failed() {
			return
		}
	}
	if rng.IntN(2) == 0 { // else the last draws may still be pending at the next SetCamera
		for i, culler := range cullers {
			if note(i, bytesOf(culler)); cfg.OccluderMask == 0 {
				m.reference(culler, cfg, &v)
			}
		}
	}
	if !slices.Equal(transcript[0], transcript[1]) {
		t.Error("workers make a difference")
	}
	h := fnv.New64a()
	for _, s := range transcript[0] {
		h.Write([]byte(s))
	}
	if was, ok := former[key]; ok && was != h.Sum64() {
		t.Errorf("%s: another transcript than on the first tier", key)
	}
	former[key] = h.Sum64()
}
