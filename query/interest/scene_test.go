package interest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// town is a scene of nested scenes under random changes.
type town struct {
	rng    *rand.Rand
	scenes []*linear.Scene // the last one is the whole
	trees  []*linear.Tree
	shared *linear.ScenePublisher
	held   []*linear.SceneVersion
}

func townOf(t testing.TB, rng *rand.Rand, log, published bool) *town {
	w := &town{rng: rng}
	var parts []linear.Part
	for k := range 3 {
		tree := trees.New(t, linear.Config{Log: log && k == 0})
		trees.Insert(t, tree, w.boxes(1+rng.IntN(30)))
		w.trees, parts = append(w.trees, tree), append(parts, tree)
	}
	for range 2 {
		s, err := linear.NewScene(linear.Config{Log: log})
		testkit.Must(t, err)
		trees.Insert(t, s.Tree(), w.boxes(rng.IntN(20)))
		for i := range 3 + rng.IntN(6) {
			w.place(t, s, parts[(i+rng.IntN(2))%len(parts)])
		}
		w.scenes, w.trees, parts = append(w.scenes, s), append(w.trees, s.Tree()), append(parts, s)
	}
	w.place(t, w.top(), w.scenes[0])
	if published {
		w.shared = linear.NewScenePublisher(w.top())
	}
	return w
}

func (w *town) top() *linear.Scene { return w.scenes[len(w.scenes)-1] }

// boxes draws objects near the origin.
func (w *town) boxes(n int) []soa.Object {
	objects := make([]soa.Object, n)
	for i := range objects {
		objects[i] = soa.Object{Box: testkit.CubeAt(point(w.rng), w.rng.Float32()), Mask: 1 << w.rng.IntN(3), Static: w.rng.IntN(4) == 0}
	}
	return objects
}

func (w *town) transform(t testing.TB) linear.Transform {
	at := point(w.rng)
	q := [4]float64{0, 0, 0, 1}
	if w.rng.IntN(2) == 0 {
		q = [4]float64{w.rng.NormFloat64(), w.rng.NormFloat64(), w.rng.NormFloat64(), w.rng.NormFloat64()}
	}
	to, err := linear.Similarity([3]float64{float64(at[0]) - 4, float64(at[1]) - 4, float64(at[2]) - 4}, q, 0.5+w.rng.Float64())
	testkit.Must(t, err)
	return to
}

func (w *town) place(t testing.TB, s *linear.Scene, part linear.Part) {
	_, err := s.AddInstance(part, w.transform(t), linear.InstanceOptions{Mask: uint32(w.rng.IntN(8))})
	testkit.Must(t, err)
}

// change makes a random change.
func (w *town) change(t testing.TB) {
	rng := w.rng
	s, tree := w.scenes[rng.IntN(len(w.scenes))], w.trees[rng.IntN(len(w.trees))]
	instances, objects := slices.Sorted(testkit.Keys(s.View().Instances().All())), slices.Sorted(testkit.Keys(tree.View().All()))
	var instance, id uint32
	if len(instances) > 0 {
		instance = instances[rng.IntN(len(instances))]
	}
	if len(objects) > 0 {
		id = objects[rng.IntN(len(objects))]
	}
	switch op := rng.IntN(12); {
	case op == 0:
		w.place(t, s, w.trees[rng.IntN(3)])
	case op == 1 && len(objects) < 40:
		trees.Insert(t, tree, w.boxes(1))
	case op <= 6 && len(instances) > 1:
		switch part, transform, _ := s.Instance(instance); op {
		case 2:
			testkit.Must(t, s.Remove(instance))
		case 3: // another instance with the same ID
			testkit.Must(t, s.Remove(instance))
			_, err := s.AddInstance(part, transform, linear.InstanceOptions{})
			testkit.Must(t, err)
		case 4:
			testkit.Must(t, s.SetMask(instance, uint32(1+rng.IntN(7))))
		default:
			testkit.Must(t, s.Move(instance, w.transform(t)))
		}
	case op > 6 && len(objects) > 1:
		switch o, _ := tree.Object(id); op {
		case 7:
			testkit.Must(t, tree.Remove(id))
		case 8: // an equal object with the same ID
			testkit.Must(t, tree.Remove(id))
			trees.Insert(t, tree, []soa.Object{o})
		case 9:
			testkit.Must(t, tree.SetSphere(id, testkit.BallIn(o.Box)))
		case 10:
			testkit.Must(t, tree.SetOriented(id, testkit.OrientedIn(rng, o.Box)))
		default:
			testkit.Must(t, tree.Move(id, w.boxes(1)[0].Box))
		}
	}
}

// view returns a view of the whole, sometimes of an older version, and a function that ends its use.
func (w *town) view(t testing.TB) linear.SceneView {
	if w.shared == nil {
		return w.top().View()
	}
	w.shared.Publish()
	h := w.shared.Acquire()
	if w.held = append(w.held, &h); len(w.held) > 3 {
		w.held[0].Release()
		w.held = w.held[1:]
	}
	if w.rng.IntN(5) == 0 {
		return w.held[w.rng.IntN(len(w.held))].View()
	}
	return h.View()
}

// sighting is what a viewer can learn of an object: which object it is, and its state.
type sighting struct{ identity, state string }

// sightingOf returns the object at a path in a view.
func sightingOf(t testing.TB, v linear.SceneView, o scene.Object) (s sighting) {
	s.identity = fmt.Sprint(v.Stamp().Source)
	for id := range o.Path.All() {
		h, ok := v.Instances().Handle(id)
		in, _ := v.Instances().Object(id)
		inner, _, transform := v.Instance(id)
		if !ok {
			t.Fatalf("there is no instance %d", id)
		}
		s.identity += fmt.Sprint(h)
		s.state += fmt.Sprint(in.Mask, transform.Rows())
		v = inner
	}
	h, ok := v.Objects().Handle(o.ID)
	if !ok {
		t.Fatalf("there is no object %d", o.ID)
	}
	s.identity += fmt.Sprint(h)
	object, _ := v.Objects().Object(o.ID)
	s.state += fmt.Sprint(object)
	if ball, ok := v.Objects().Sphere(o.ID); ok {
		s.state += fmt.Sprint("ball", ball)
	}
	if turned, ok := v.Objects().Oriented(o.ID); ok {
		s.state += fmt.Sprint("turned", turned)
	}
	return s
}

// found returns the objects in one of the volumes of a wish.
func (w *wish) found(t testing.TB, v linear.SceneView, which int, f query.Filter, draw func(*occlude.Culler)) map[scene.Object]sighting {
	var a scene.Answer
	switch w.kind {
	case 0:
		box := queries.Box(t, w.boxes[which])
		scene.Append(&a, box, v, f)
	case 1:
		ball, err := query.NewSphere(w.center, w.radius[which])
		testkit.Must(t, err)
		scene.Append(&a, ball, v, f)
	case 2, 3, 5:
		scene.Append(&a, w.frusta[which], v, f)
	case seen:
		culler, err := occlude.New(w.sights[which].Config)
		testkit.Must(t, err)
		testkit.Must(t, culler.SetCamera(w.sights[which].Camera))
		if draw != nil {
			draw(culler)
		}
		culler.AppendScene(&a, v, f)
	}
	objects := map[scene.Object]sighting{}
	for ref, id := range a.All() {
		o := scene.Object{Path: a.Path(ref), ID: id}
		objects[o] = sightingOf(t, v, o)
	}
	return objects
}

// watcher is a viewer of the model.
type watcher struct {
	*wish
	view map[scene.Object]sighting
}

// update brings a viewer of the model to the state of a view, and returns its events and its view.
func (w *watcher) update(t testing.TB, v linear.SceneView, f query.Filter, draw func(*occlude.Culler)) (lists [4][]scene.Object) {
	inner, outer := w.found(t, v, 0, f, draw), w.found(t, v, 1, f, draw)
	now := map[scene.Object]sighting{}
	for o, s := range outer {
		was, ok := w.view[o]
		stays := ok && was.identity == s.identity
		if _, in := inner[o]; !stays && !in {
			continue
		}
		if now[o] = s; !stays {
			lists[0] = append(lists[0], o)
		} else if was.state != s.state {
			lists[2] = append(lists[2], o)
		}
	}
	for o, s := range w.view {
		if now[o].identity != s.identity {
			lists[1] = append(lists[1], o)
		}
	}
	lists[3], w.view = slices.Collect(maps.Keys(now)), now
	for i := range lists {
		slices.SortFunc(lists[i], scene.Object.Compare)
	}
	return lists
}

// A tracker of a scene reports the differences between the queries of two updates, with any number of workers, on every
// tier; views are of scenes and of published versions.
func TestSceneTracker(t *testing.T) {
	seed := testkit.Seed(t)
	var counts [4]int
	tiers, turn := len(testkit.Tiers()), 0
	testkit.EachTier(t, func(t *testing.T) {
		turn++
		for round := range testkit.Raced(testkit.Budget(t, 6, 24), 2) {
			if (round+round/tiers+turn)%tiers != 0 && !testkit.Long(t) {
				continue // in the normal form, each round is on one tier
			}
			rng := testkit.Rand(seed<<8 + uint64(round))
			towns := [2]*town{townOf(t, rng, round%2 == 0, round%3 == 1), townOf(t, rng, false, false)}
			at := 0
			tracker := interest.SceneTracker{Workers: 1 + rng.IntN(3)}
			watchers := map[uint32]*watcher{}
			if tracker.Workers > 1 {
				for range 70 { // that see nothing, for more than one worker
					tracker.Add(interest.Area{})
				}
			}
			for range testkit.Budget(t, 40, 150) {
				for range rng.IntN(4) {
					towns[at].change(t)
				}
				if rng.IntN(2) == 0 {
					testkit.Must(t, towns[at].top().Tick())
				}
				if rng.IntN(30) == 0 {
					at = 1 - at
				}
				for range rng.IntN(3) {
					w := wishFor(t, rng)
					switch ids := slices.Sorted(maps.Keys(watchers)); {
					case len(ids) < 4 || rng.IntN(5) == 0 && len(ids) < 9:
						watchers[tracker.Add(w.area)] = &watcher{w, nil}
					case rng.IntN(4) == 0:
						id := ids[rng.IntN(len(ids))]
						testkit.Must(t, tracker.Remove(id))
						delete(watchers, id)
					default:
						id := ids[rng.IntN(len(ids))]
						testkit.Must(t, tracker.Move(id, w.area))
						watchers[id].wish = w
					}
				}
				switch rng.IntN(20) {
				case 0:
					tracker.Filter = query.Filter{Mask: uint32(rng.IntN(8)), Motion: query.Motion(rng.IntN(3)), Exact: rng.IntN(2) == 0}
					if rng.IntN(3) == 0 {
						tracker.Filter.Only = []uint64{rng.Uint64()}
					}
				case 1:
					tracker.Draw = drawSlab
				case 2:
					tracker.Draw = nil
				case 3, 4:
					tracker.Trim()
				}
				v := towns[at].view(t)
				testkit.Must(t, tracker.Update(v))
				var changed []uint32
				for _, id := range slices.Sorted(maps.Keys(watchers)) {
					w := watchers[id]
					want := w.update(t, v, tracker.Filter, tracker.Draw)
					got := [4][]scene.Object{tracker.Entered(id), tracker.Left(id), tracker.Touched(id), slices.Collect(tracker.InView(id))}
					for i, name := range []string{"entered", "left", "touched", "in view"} {
						if !slices.Equal(got[i], want[i]) {
							t.Fatalf("viewer %d of kind %d: %s %v, want %v", id, w.kind, name, got[i], want[i])
						}
						counts[i] += len(want[i])
					}
					if len(want[0])+len(want[1])+len(want[2]) > 0 {
						changed = append(changed, id)
					}
				}
				if !slices.Equal(tracker.Changed(), changed) {
					t.Fatalf("changed %v, want %v", tracker.Changed(), changed)
				}
			}
			for _, w := range towns {
				for _, h := range w.held {
					h.Release()
				}
			}
		}
	})
	if slices.Min(counts[:]) < 100 {
		t.Errorf("%d events", counts)
	}
}

// fleet makes a scene of instances in a row, each with two cubes.
func fleet(t testing.TB, n int) *linear.Scene {
	t.Helper()
	s, err := linear.NewScene(linear.Config{Log: true})
	testkit.Must(t, err)
	part := trees.Plant(t, []soa.Object{{Box: cube(0), Mask: 1}, {Box: cube(2), Mask: 1}}, false)
	for i := range n {
		_, err := s.AddInstance(part, moved(t, 4*float64(i)), linear.InstanceOptions{})
		testkit.Must(t, err)
	}
	trees.Insert(t, s.Tree(), []soa.Object{{Box: cube(1), Mask: 1}})
	testkit.Must(t, s.Tick())
	return s
}

// Updates in steady state allocate nothing; bad filters and viewers change nothing; iterations detect changes.
func TestSceneTrackerSteady(t *testing.T) {
	const n = 200
	s := fleet(t, n)
	tracker := interest.SceneTracker{Workers: 1}
	for i := range n / 4 {
		a, err := interest.Sphere([3]float32{16 * float32(i), 0, 0}, 10, 12)
		testkit.Must(t, err)
		tracker.Add(a)
	}
	frame, told := 0, 0
	update := func() {
		frame++
		testkit.Must(t, s.Move(uint32(frame*7%n), moved(t, 4*float64(frame*7%n)+float64(frame/n&1)*9)))
		testkit.Must(t, s.Tick())
		testkit.Must(t, tracker.Update(s.View()))
		told += len(tracker.Changed())
	}
	for range 4 * n {
		update()
	}
	testkit.Allocs(t, 4, update)
	if told < n {
		t.Errorf("%d viewers with events", told)
	}
	before := slices.Collect(tracker.InView(3))
	for id := range tracker.InView(3) {
		if id == before[len(before)/2] {
			break
		}
	}
	kept := before[:0:0]
	for id := range tracker.InView(3) {
		tracker.Trim()
		kept = append(kept, id)
	}
	if !slices.Equal(kept, before) {
		t.Errorf("%d objects in view while the tracker is trimmed, want %d", len(kept), len(before))
	}
	tracker.Filter.Motion = 99
	if err := tracker.Update(s.View()); err == nil || !slices.Equal(slices.Collect(tracker.InView(3)), before) || tracker.Len() != n/4 {
		t.Errorf("error %v, %d viewers", err, tracker.Len())
	}
	tracker.Filter = query.Filter{}
	for name, change := range map[string]func() error{
		"updated": func() error { return tracker.Update(s.View()) }, "removed": func() error { return tracker.Remove(3) },
	} {
		if testkit.Panic(func() {
			for range tracker.InView(3) {
				testkit.Must(t, change())
			}
		}) == nil {
			t.Errorf("no panic for a view of a viewer that was %s during an iteration", name)
		}
		if _, err := tracker.Len(), tracker.Move(3, interest.Area{}); err != nil {
			tracker.Add(interest.Area{})
		}
		a, err := interest.Sphere([3]float32{}, 10, 12)
		testkit.Must(t, err)
		testkit.Must(t, tracker.Move(3, a))
		testkit.Must(t, tracker.Update(s.View()))
	}
	for _, err := range []error{tracker.Move(1000, interest.Area{}), tracker.Remove(1000)} {
		if err == nil {
			t.Error("no error for an unknown viewer")
		}
	}
	if tracker.Entered(1000) != nil || len(slices.Collect(tracker.InView(1000))) > 0 {
		t.Error("an unknown viewer has objects in view")
	}
}
