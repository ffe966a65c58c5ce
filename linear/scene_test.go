package linear_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

func newScene(t testing.TB, cfg linear.Config) *linear.Scene {
	t.Helper()
	s, err := linear.NewScene(cfg)
	must(t, err)
	return s
}

// at returns a translation.
func at(x, y, z float64) linear.Transform {
	p, err := linear.NewTransform([12]float64{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z})
	if err != nil {
		panic(err)
	}
	return p
}

// turned returns a rotation about an axis through a point.
func turned(angle float64, x, y, z float64) linear.Transform {
	p, err := linear.Similarity([3]float64{x, y, z}, [4]float64{0, math.Sin(angle / 2), math.Sin(angle/2) / 3, math.Cos(angle / 2)}, 1)
	if err != nil {
		panic(err)
	}
	return p
}

// place adds an instance of a part to a scene.
func place(t testing.TB, s *linear.Scene, p linear.Part, transform linear.Transform, o linear.InstanceOptions) uint32 {
	t.Helper()
	id, err := s.AddInstance(p, transform, o)
	must(t, err)
	return id
}

// treeOf returns a tree of some boxes.
func treeOf(t testing.TB, boxes ...soa.AABB) *linear.Tree {
	t.Helper()
	tree := newTree(t, linear.Config{})
	for _, b := range boxes {
		_, err := tree.Insert(soa.Object{Box: b, Mask: 1})
		must(t, err)
	}
	return tree
}

func validScene(t testing.TB, s *linear.Scene) {
	t.Helper()
	must(t, s.Validate())
}

// The bounds and the radius of a tree include all its boxes, also pending ones.
func TestPartBounds(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, n := range []int{0, 1, 15, 16, 17, 300, 3000} {
		for _, built := range []bool{false, true} {
			tree := newTree(t, linear.Config{PendingMin: 1 << 20})
			boxes := testkit.RandomBoxes(rng, n, testkit.BoxesSmall)
			want, radius := soa.Empty(), 0.0
			for i, b := range boxes {
				if built && i == n/2 {
					rebuild(t, tree, false)
				}
				_, err := tree.Insert(soa.Object{Box: b})
				must(t, err)
				want = want.Union(b)
				square := 0.0
				for a := range 3 {
					x := max(math.Abs(float64(b.Min[a])), math.Abs(float64(b.Max[a])))
					square += x * x
				}
				radius = max(radius, math.Sqrt(square))
			}
			if got := tree.Bounds(); got != want || got != tree.View().Bounds() {
				t.Errorf("%d boxes: bounds %v, want %v", n, got, want)
			}
			corner := 0.0
			if n > 0 {
				for a := range 3 {
					x := float64(max(-want.Min[a], want.Max[a]))
					corner += x * x
				}
			}
			if got := tree.Radius(); got < radius || got > math.Sqrt(corner)*(1+0x1p-40) || !built && got > radius*(1+0x1p-40) {
				t.Errorf("%d boxes: radius %v, want %v to %v", n, got, radius, math.Sqrt(corner))
			}
		}
	}
	tree := treeOf(t, cube(5, 0, 0, 1))
	tick(t, tree)
	must(t, tree.Remove(0))
	if got := tree.Radius(); got < 0 || got > 7 {
		t.Errorf("a tree that lost its object has the radius %v", got)
	}
	tick(t, tree)
	if b, r := tree.Bounds(), tree.Radius(); b != soa.Empty() || r != 0 {
		t.Errorf("an empty tree has bounds %v and radius %v", b, r)
	}
}

// Instances nest at most eight deep, and a scene never contains itself; a rejected call changes nothing.
func TestSceneDepth(t *testing.T) {
	chain := []*linear.Scene{newScene(t, linear.Config{})}
	tree := treeOf(t, cube(0, 0, 0, 1))
	place(t, chain[0], tree, at(1, 0, 0), linear.InstanceOptions{})
	for len(chain) < linear.MaxDepth {
		s := newScene(t, linear.Config{})
		place(t, s, chain[len(chain)-1], at(1, 0, 0), linear.InstanceOptions{})
		chain = append(chain, s)
	}
	top, bottom := chain[len(chain)-1], chain[0]
	if got := top.Stats().Depth; got != linear.MaxDepth {
		t.Fatalf("depth %d", got)
	}
	// Nine at the top, at the bottom, and in the middle.
	v := top.View()
	refused := func(s *linear.Scene, p linear.Part, want error) {
		t.Helper()
		before := s.Stats().String()
		ids, err := s.AddInstances([]uint32{7}, p, []linear.Transform{{}}, linear.InstanceOptions{})
		if !errors.Is(err, want) || len(ids) != 1 || s.Stats().String() != before {
			t.Errorf("error %v and %v, want %v; %v became %v", err, ids, want, before, s.Stats())
		}
		v.Bounds() // still valid
	}
	over, under := newScene(t, linear.Config{}), newScene(t, linear.Config{})
	place(t, under, treeOf(t), linear.Transform{}, linear.InstanceOptions{})
	refused(over, top, linear.ErrDepth)
	refused(bottom, under, linear.ErrDepth)
	refused(chain[3], chain[2+2-1], linear.ErrCycle)
	for _, outer := range chain {
		refused(bottom, outer, linear.ErrCycle)
	}
	refused(chain[4], top, linear.ErrCycle)
	mid := newScene(t, linear.Config{})
	place(t, mid, under, linear.Transform{}, linear.InstanceOptions{})
	refused(chain[1], mid, linear.ErrDepth)
	if _, err := over.AddInstance(top, linear.Transform{}, linear.InstanceOptions{}); err == nil || !strings.Contains(err.Error(), "instances nested 9 deep, at most 8") {
		t.Errorf("error %v", err)
	}
	for _, s := range append(chain, over, under, mid) {
		validScene(t, s)
	}
	// A part of equal depth may be added, and a shallower one after a removal.
	place(t, chain[1], under, linear.Transform{}, linear.InstanceOptions{})
	must(t, bottom.Remove(0))
	if got := top.Stats().Depth; got != linear.MaxDepth {
		t.Errorf("depth %d beside a part as deep", got)
	}
	must(t, chain[1].RemoveBatch([]uint32{0, 1}))
	if got := top.Stats().Depth; got != linear.MaxDepth-2 {
		t.Errorf("depth %d after the innermost scenes have gone", got)
	}
	place(t, over, top, linear.Transform{}, linear.InstanceOptions{})
	for _, s := range append(chain, over, under, mid) {
		validScene(t, s)
	}
}

// A rejected call names the numbers and changes nothing.
func TestSceneRefused(t *testing.T) {
	if _, err := linear.NewScene(linear.Config{Workers: -1}); err == nil {
		t.Error("a configuration that is wrong was taken")
	}
	s := newScene(t, linear.Config{})
	tree := treeOf(t, cube(0, 0, 0, 1))
	id := place(t, s, tree, at(5, 0, 0), linear.InstanceOptions{})
	second := place(t, s, tree, at(6, 0, 0), linear.InstanceOptions{Turns: true})
	far := at(1e300, 0, 0)
	v := s.View()
	var noTree *linear.Tree
	var noScene *linear.Scene
	calls := []struct {
		want string
		is   error
		do   func() error
	}{
		{"the part is nil", nil, func() error { _, err := s.AddInstance(nil, at(0, 0, 0), linear.InstanceOptions{}); return err }},
		{"the part is nil", nil, func() error { _, err := s.AddInstance(noTree, at(0, 0, 0), linear.InstanceOptions{}); return err }},
		{"the part is nil", nil, func() error { _, err := s.AddInstance(noScene, at(0, 0, 0), linear.InstanceOptions{}); return err }},
		{"transform 0 of 1: a part with bounds [-1 -1 -1] to [1 1 1] and radius 1.732", nil, func() error { _, err := s.AddInstance(tree, far, linear.InstanceOptions{}); return err }},
		{"is not finite", nil, func() error { _, err := s.AddInstance(tree, far, linear.InstanceOptions{Turns: true}); return err }},
		{"transform 1 of 2", nil, func() error {
			_, err := s.AddInstances(nil, treeOf(t, cube(0, 0, 0, 1)), []linear.Transform{{}, far}, linear.InstanceOptions{})
			return err
		}},
		{"instance 0: a part with bounds", nil, func() error { return s.Move(id, far) }},
		{"instance 1: a part with bounds", nil, func() error { return s.Move(second, far) }},
		{"instance 77", linear.ErrUnknown, func() error { return s.Move(77, at(0, 0, 0)) }},
		{"instance 77", linear.ErrUnknown, func() error { return s.Remove(77) }},
		{"instance 77", linear.ErrUnknown, func() error { return s.SetMask(77, 1) }},
		{"transform 1 of 2: no live object has this ID: instance 77", linear.ErrUnknown, func() error { return s.MoveBatch([]uint32{id, 77}, make([]linear.Transform, 2)) }},
		{"transform 1 of 2, instance 1:", nil, func() error { return s.MoveBatch([]uint32{id, second}, []linear.Transform{{}, far}) }},
		{"object 1 of the batch", linear.ErrUnknown, func() error { return s.RemoveBatch([]uint32{id, 77}) }},
		{"is in it twice", nil, func() error { return s.RemoveBatch([]uint32{id, id}) }},
	}
	for _, c := range calls {
		err := c.do()
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("error %v, want %q", err, c.want)
		}
		v.Bounds() // nothing has changed
		validScene(t, s)
	}
	if _, transform, ok := s.Instance(77); ok || transform != (linear.Transform{}) {
		t.Error("a place that is not there holds something")
	}
	if ids, err := s.AddInstances(nil, tree, nil, linear.InstanceOptions{}); len(ids) > 0 || err != nil {
		t.Errorf("no place: %v, %v", ids, err)
	}
	for name, do := range map[string]func(){
		"MoveBatch of 1 instances and 0 transforms": func() { must(t, s.MoveBatch([]uint32{id}, nil)) },
		"no instance has the ID 99":                 func() { v.Instance(99) },
		"the zero SceneView":                        func() { linear.SceneView{}.Bounds() },
	} {
		if r := testkit.Panic(do); r == nil || !strings.Contains(fmt.Sprint(r), name) {
			t.Errorf("panic %v, want %q", r, name)
		}
	}
	must(t, s.Remove(second))
	if r := testkit.Panic(func() { s.View().Instance(second) }); r == nil || !strings.Contains(fmt.Sprint(r), "no instance has the ID 1") {
		t.Errorf("panic %v", r)
	}
}

// The number of objects through all instances does not overflow.
func TestSceneTotal(t *testing.T) {
	var part linear.Part = treeOf(t, cube(0, 0, 0, 1), cube(1, 0, 0, 1))
	want := uint64(2)
	for depth := range linear.MaxDepth {
		s := newScene(t, linear.Config{})
		_, err := s.AddInstances(nil, part, make([]linear.Transform, 1000), linear.InstanceOptions{})
		must(t, err)
		_, err = s.Tree().Insert(soa.Object{})
		must(t, err)
		part = s
		want = 1000*want + 1
		if depth >= 6 {
			want = math.MaxUint64
		}
		if got := s.View().Total(); got != want || s.Stats().Total != want {
			t.Errorf("depth %d: %d objects, want %d", depth+1, got, want)
		}
	}
}

// Any number of goroutines may take views between two changes, of one scene, of its nested scenes and of their
// trees.
func TestSceneConcurrentViews(t *testing.T) {
	cfg := linear.Config{PendingMin: 4, PendingShare: 1 << 20}
	m := newSceneModel(t, testkit.Seed(t), 4, 4, cfg)
	m.chain(t)
	for range testkit.Budget(t, 30, 1000) {
		for range 10 {
			m.step(t)
		}
		if p := m.scene(); m.size(p) > 500 {
			m.clear(t, p)
		}
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for i := range m.parts {
					p := m.parts[(i+2*g)%len(m.parts)]
					if p.scene == nil {
						if got := p.tree.View().Len(); got != len(p.live) {
							t.Errorf("%d objects, want %d", got, len(p.live))
						}
						continue
					}
					v := p.scene.View()
					n := 0
					for _, inner := range v.Parts() {
						n += inner.Objects().Len() + len(inner.Outgrown())
						for id := range m.parts[m.trees].instances {
							if _, ok := inner.Instances().Object(id); ok {
								in, _, transform := inner.Instance(id)
								_ = transform.Box(in.Bounds())
							}
						}
					}
					if got, want := v.Total(), p.total(); got != want || n < 0 {
						t.Errorf("%d objects, want %d", got, want)
					}
				}
			})
		}
		wg.Wait()
	}
}

// Moves, ticks and views allocate nothing once all lists have reached their size.
func TestSceneSteady(t *testing.T) {
	inner, s := newScene(t, linear.Config{}), newScene(t, linear.Config{})
	tree := treeOf(t, cube(0, 0, 0, 1), cube(5, 0, 0, 1))
	transforms := make([]linear.Transform, 300)
	next := func(i, frame int) linear.Transform {
		return turned(float64(frame+i)/10, float64(i%20*10+frame%3), float64(i/20*10), float64(frame%5))
	}
	for i := range transforms {
		transforms[i] = next(i, 0)
	}
	ids, err := s.AddInstances(nil, tree, transforms, linear.InstanceOptions{})
	must(t, err)
	turning, err := s.AddInstances(nil, tree, transforms, linear.InstanceOptions{Turns: true})
	must(t, err)
	_, err = inner.AddInstances(nil, tree, transforms[:50], linear.InstanceOptions{})
	must(t, err)
	place(t, s, inner, at(0, 0, 50), linear.InstanceOptions{})
	frame, seen := 0, 0
	play := func() {
		frame++
		must(t, tree.Move(0, cube(float32(frame%9), 0, 0, 1)))
		for i := range transforms {
			transforms[i] = next(i, frame)
		}
		must(t, s.MoveBatch(ids, transforms))
		for i, id := range turning {
			must(t, s.Move(id, transforms[i]))
		}
		v := s.View()
		seen += len(v.Outgrown())
		must(t, s.Tick())
		v = s.View()
		for number, part := range v.Parts() {
			seen += int(number) + part.Objects().Len()
		}
		for id := range uint32(10) {
			in, _, transform := v.Instance(id)
			if transform.Box(in.Bounds()) != soa.Empty() {
				seen++
			}
		}
	}
	for range testkit.Budget(t, 100, 400) {
		play()
	}
	testkit.Allocs(t, 30, play)
	if seen == 0 {
		t.Error("the frames look at nothing")
	}
	validScene(t, s)
}

// Stats, Clear and Trim of a scene do not affect its parts.
func TestSceneStats(t *testing.T) {
	s := newScene(t, linear.Config{})
	tree := treeOf(t, cube(0, 0, 0, 1))
	transforms := make([]linear.Transform, 10_000)
	for i := range transforms {
		transforms[i] = at(float64(i%100), float64(i/100), 0)
	}
	for range 2 {
		ids, err := s.AddInstances(nil, tree, transforms, linear.InstanceOptions{Turns: true})
		must(t, err)
		if ids[0] != 0 || ids[9999] != 9999 {
			t.Errorf("IDs %d to %d", ids[0], ids[9999])
		}
		insert(t, s.Tree(), testkit.SceneByName(t, "uniform").Make(100, 1))
		st := s.Stats()
		if st.Instances != 10_000 || st.Parts != 1 || st.Turning != 10_000 || st.Depth != 1 || st.Total != 10_100 || st.Objects.Objects != 100 || st.Boxes.Objects != 10_000 {
			t.Errorf("%+v", st)
		}
		if most := 10_000 * 700; st.Bytes() > most || st.Bytes() < 10_000*200 {
			t.Errorf("%d bytes, want at most %d", st.Bytes(), most)
		}
		if !strings.Contains(st.String(), "10000 instances (10000 turning) of 1 parts, depth 1, 10100 objects") {
			t.Error(st)
		}
		v := s.View()
		s.Clear()
		if !stalePanic(v) {
			t.Error("a view of what is cleared")
		}
		validScene(t, s)
		if st := s.Stats(); st.Instances+st.Parts+st.Depth+int(st.Total) != 0 {
			t.Errorf("%+v", st)
		}
	}
	s.Trim()
	validScene(t, s)
	if got := s.Stats().Bytes(); got > 50_000 {
		t.Errorf("%d bytes of an empty scene", got)
	}
	if tree.Len() != 1 || !tree.Unused() {
		t.Error("the part knows of a scene that has given it up")
	}
	place(t, s, tree, at(1, 1, 1), linear.InstanceOptions{})
	s.Trim()
	validScene(t, s)
	if tree.Unused() {
		t.Error("the part does not know of its scene")
	}
}

// An iteration over parts that continues after a change panics.
func TestScenePartsNotice(t *testing.T) {
	s := newScene(t, linear.Config{})
	for range 3 {
		place(t, s, treeOf(t, soa.AABB{}), linear.Transform{}, linear.InstanceOptions{})
	}
	v, seen := s.View(), 0
	defer func() {
		if p := recover(); p == nil || seen != 2 {
			t.Errorf("%d parts seen, panic: %v", seen, p)
		}
	}()
	for range v.Parts() {
		if seen++; seen == 2 {
			place(t, s, treeOf(t, soa.AABB{}), linear.Transform{}, linear.InstanceOptions{})
		}
	}
}
