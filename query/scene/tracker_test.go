package scene_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// trackedScene is a scene under random changes.
type trackedScene struct {
	top    *linear.Scene
	scenes []*linear.Scene // with the top
	trees  []*linear.Tree  // with the trees of the scenes
	family string
}

func trackedOf(t testing.TB, rng *rand.Rand, family string, log bool) *trackedScene {
	w := &trackedScene{family: family}
	var parts []linear.Part
	for range 3 {
		tree := trees.Plant(t, crowded(rng, 1+rng.IntN(30)), false)
		w.trees, parts = append(w.trees, tree), append(parts, tree)
	}
	for depth := range 3 {
		s, err := linear.NewScene(linear.Config{Log: log})
		testkit.Must(t, err)
		trees.Insert(t, s.Tree(), crowded(rng, rng.IntN(20)))
		for i := range 2 + rng.IntN(3) + 6*(depth/2) {
			place(t, s, parts[(i+rng.IntN(2))%len(parts)], w.transform(t, rng), linear.InstanceOptions{Turns: rng.IntN(4) == 0})
		}
		w.top, w.scenes, w.trees, parts = s, append(w.scenes, s), append(w.trees, s.Tree()), append(parts, s)
	}
	return w
}

// transform draws a transform near the origin.
func (w *trackedScene) transform(t testing.TB, rng *rand.Rand) linear.Transform {
	rows := transformOf(rng, w.family).Rows()
	for a := range 3 {
		rows[4*a+3] /= 16
	}
	p, err := linear.NewTransform(rows)
	testkit.Must(t, err)
	return p
}

// step changes the scene.
func (w *trackedScene) step(t testing.TB, rng *rand.Rand) {
	for range rng.IntN(4) {
		s, tree := w.scenes[rng.IntN(len(w.scenes))], w.trees[rng.IntN(len(w.trees))]
		if rng.IntN(2) == 0 {
			s = w.top
		}
		instances, objects := listed(s.View().Instances()), listed(tree.View())
		switch op := rng.IntN(8); {
		case op == 0 && len(instances) > 1:
			testkit.Must(t, s.Remove(instances[rng.IntN(len(instances))].id))
		case op == 1:
			tree := w.trees[rng.IntN(3)]
			place(t, s, tree, w.transform(t, rng), linear.InstanceOptions{})
		case op == 2 && len(instances) > 1: // another instance with the same ID
			in := instances[rng.IntN(len(instances))]
			part, transform, _ := s.Instance(in.id)
			testkit.Must(t, s.Remove(in.id))
			place(t, s, part, transform, linear.InstanceOptions{Mask: in.Mask})
		case op == 3 && len(instances) > 0:
			testkit.Must(t, s.SetMask(instances[rng.IntN(len(instances))].id, uint32(1+rng.IntN(15))))
		case op <= 5 && len(instances) > 0:
			testkit.Must(t, s.Move(instances[rng.IntN(len(instances))].id, w.transform(t, rng)))
		case op == 6 && len(objects) > 1: // another object with the same ID
			o := objects[rng.IntN(len(objects))]
			testkit.Must(t, tree.Remove(o.id))
			if rng.IntN(3) > 0 {
				trees.Insert(t, tree, []soa.Object{o.Object})
			}
		case len(objects) > 0:
			testkit.Must(t, tree.Move(objects[rng.IntN(len(objects))].id, crowded(rng, 1)[0].Box))
		}
	}
	if rng.IntN(2) == 0 {
		testkit.Must(t, w.top.Tick())
	}
}

// identity names an object of the scene by the generations on its path.
func (w *trackedScene) identity(t testing.TB, o scene.Object) string {
	text, part := "", linear.Part(w.top)
	for id := range o.Path.All() {
		s := part.(*linear.Scene)
		h, ok := s.Handle(id)
		if part, _, _ = s.Instance(id); !ok {
			t.Fatalf("there is no instance %d", id)
		}
		text += fmt.Sprint(h)
	}
	tree, ok := part.(*linear.Tree)
	if !ok {
		tree = part.(*linear.Scene).Tree()
	}
	h, ok := tree.Handle(o.ID)
	if !ok {
		t.Fatalf("there is no object %d", o.ID)
	}
	return text + " object " + fmt.Sprint(h)
}

// current returns the pairs of part 0 with the identities of their objects.
func (w *trackedScene) current(t testing.TB, f scene.PairFilter) map[scene.Pair]string {
	pairs := map[scene.Pair]string{}
	for _, p := range scene.AppendPairs(nil, w.top.View(), f) {
		if p.Part == 0 {
			pairs[p] = w.identity(t, p.A) + w.identity(t, p.B)
		}
	}
	return pairs
}

func sortedPairs(pairs []scene.Pair) []scene.Pair {
	slices.SortFunc(pairs, func(p, q scene.Pair) int {
		if c := p.A.Compare(q.A); c != 0 {
			return c
		}
		return p.B.Compare(q.B)
	})
	return pairs
}

// Begun, ended and current pairs are the differences between all pairs of two updates, on every tier; views are of the
// scene or of published versions.
func TestTrackerAgainstAllPairs(t *testing.T) {
	seed := testkit.Seed(t)
	var former []string
	testkit.EachTier(t, func(t *testing.T) {
		var answers []string
		began, ended, renewed := 0, 0, 0
		for i, family := range []string{"identity", "steps", "turned", "mirrored", "affine"} {
			for round := range testkit.Budget(t, 3, 40) {
				if round > 0 && !testkit.OfTier(t, i+round) {
					continue // the first one compares tiers
				}
				rng := testkit.Rand(seed<<16 + uint64(i)<<8 + uint64(round))
				w := trackedOf(t, rng, family, round%2 == 0)
				var shared *linear.ScenePublisher
				if round%3 == 2 {
					shared = linear.NewScenePublisher(w.top)
				}
				var tracker scene.Tracker
				was := map[scene.Pair]string{}
				for range testkit.Budget(t, 12, 40) {
					if w.step(t, rng); rng.IntN(6) == 0 {
						if tracker.Filter = pairFilter(rng); rng.IntN(3) == 0 {
							tracker.Filter.Distance = rng.Float32()
						}
						if tracker.Filter.Instances = rng.IntN(2) == 0; rng.IntN(3) == 0 {
							tracker.Filter.Live, tracker.Filter.LiveInstances = someIDs(rng), someIDs(rng)
						}
					}
					if rng.IntN(8) == 0 {
						tracker.Trim()
					}
					if rng.IntN(20) == 0 {
						tracker.Reset()
						was = map[scene.Pair]string{}
					}
					now := w.current(t, tracker.Filter)
					if shared == nil {
						testkit.Must(t, tracker.Update(w.top.View()))
					} else {
						shared.Publish()
						version := shared.Acquire()
						testkit.Must(t, tracker.Update(version.View()))
						version.Release()
					}
					var begins, ends, stays []scene.Pair
					for p, identity := range now {
						if old, ok := was[p]; !ok || old != identity {
							if begins = append(begins, p); ok {
								renewed++
							}
						} else {
							stays = append(stays, p)
						}
					}
					for p, identity := range was {
						if now[p] != identity {
							ends = append(ends, p)
						}
					}
					all := slices.Collect(maps.Keys(now))
					for what, lists := range map[string][2][]scene.Pair{
						"begun": {tracker.Began(), sortedPairs(begins)}, "ended": {tracker.Ended(), sortedPairs(ends)},
						"current": {slices.Collect(tracker.Pairs()), sortedPairs(all)}, "continuing": {slices.Collect(tracker.Stayed()), sortedPairs(stays)},
					} {
						if !slices.Equal(lists[0], lists[1]) {
							t.Fatalf("%s %+v: %s pairs\n%v, want\n%v", family, tracker.Filter, what, lists[0], lists[1])
						}
					}
					if tracker.Len() != len(now) {
						t.Fatalf("%d pairs, want %d", tracker.Len(), len(now))
					}
					checkPartners(t, &tracker, all)
					began, ended = began+len(begins), ended+len(ends)
					if round == 0 || testkit.Long(t) {
						answers = append(answers, fmt.Sprint(tracker.Began(), tracker.Ended()))
					}
					was = now
				}
			}
		}
		if began == 0 || ended == 0 || renewed == 0 {
			t.Errorf("%d began, %d of them anew, %d ended", began, renewed, ended)
		}
		if former == nil {
			former = answers
		}
		if !slices.Equal(answers, former) {
			t.Error("this tier gives other pairs")
		}
	})
}

// checkPartners compares the partners of a few objects with those in all pairs.
func checkPartners(t *testing.T, tracker *scene.Tracker, all []scene.Pair) {
	t.Helper()
	objects := []scene.Object{{ID: 1 << 20}, {Path: scene.PathOf(0), ID: 3}}
	for i := 0; i < len(all); i += 1 + len(all)/3 {
		objects = append(objects, all[i].A, all[i].B)
	}
	for _, o := range objects {
		var want []scene.Object
		for _, p := range all {
			if p.A == o {
				want = append(want, p.B)
			} else if p.B == o {
				want = append(want, p.A)
			}
		}
		slices.SortFunc(want, scene.Object.Compare)
		if got := slices.Collect(tracker.Of(o)); !slices.Equal(got, want) {
			t.Fatalf("the partners of %v are %v, want %v", o, got, want)
		}
	}
}

// A few moved instances of many allocate nothing, a filter out of range changes nothing, and a change during an
// iteration makes it panic.
func TestTrackerSteady(t *testing.T) {
	const n = 500
	rod := trees.Plant(t, []soa.Object{{Box: soa.AABB{Max: [3]float32{1.25, 1, 1}}, Mask: 1}}, false)
	s := newScene(t)
	for i := range n {
		place(t, s, rod, translation(t, float64(i), 0, 0), linear.InstanceOptions{})
	}
	var tracker scene.Tracker
	frame := 0
	update := func() {
		frame++
		testkit.Must(t, s.Move(uint32(frame*7%n), translation(t, float64(frame*7%n), float64(frame/n&1)*9, 0)))
		testkit.Must(t, s.Tick())
		testkit.Must(t, tracker.Update(s.View()))
	}
	for range 4 * n {
		update()
	}
	if !testkit.RaceEnabled {
		if a := testing.AllocsPerRun(50, update); a != 0 {
			t.Errorf("%v allocations", a)
		}
	}
	if tracker.Len() == 0 || len(tracker.Began())+len(tracker.Ended()) == 0 {
		t.Errorf("%d pairs, %d began, %d ended", tracker.Len(), len(tracker.Began()), len(tracker.Ended()))
	}
	former := tracker.Len()
	tracker.Filter.Filter = collide.Filter{Distance: -1}
	if err := tracker.Update(s.View()); err == nil || tracker.Len() != former {
		t.Errorf("error %v, %d pairs, want %d", err, tracker.Len(), former)
	}
	tracker.Filter = scene.PairFilter{}
	some := slices.Collect(tracker.Pairs())[0]
	for name, change := range map[string]func(){"reset": tracker.Reset, "trimmed": tracker.Trim, "updated": func() { testkit.Must(t, tracker.Update(s.View())) }} {
		for _, iterate := range []func(){
			func() {
				for range tracker.Pairs() {
					change()
				}
			},
			func() {
				for range tracker.Of(some.A) {
					change()
				}
			},
		} {
			tracker.Reset()
			testkit.Must(t, tracker.Update(s.View()))
			if testkit.Panic(iterate) == nil {
				t.Errorf("no panic for a tracker that was %s during an iteration", name)
			}
		}
	}
	other := newScene(t)
	place(t, other, rod, linear.Transform{}, linear.InstanceOptions{})
	testkit.Must(t, tracker.Update(s.View()))
	all := tracker.Len()
	if testkit.Must(t, tracker.Update(other.View())); len(tracker.Ended()) != all || tracker.Len() != 0 {
		t.Errorf("%d pairs ended in another scene, want %d", len(tracker.Ended()), all)
	}
}

// An update searches only for what has changed since the last one.
func TestTrackerSeesChangesOnce(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	s, err := linear.NewScene(linear.Config{Log: true})
	testkit.Must(t, err)
	own := crowded(rng, 40)
	trees.Insert(t, s.Tree(), own)
	part := trees.Plant(t, crowded(rng, 5), false)
	for i := range 10 {
		place(t, s, part, translation(t, float64(i), 0, 0), linear.InstanceOptions{})
	}
	var tracker scene.Tracker
	update := func(want int) {
		t.Helper()
		testkit.Must(t, tracker.Update(s.View()))
		if got := scene.Changed(&tracker); want >= 0 && got != want {
			t.Errorf("%d changed, want %d", got, want)
		}
	}
	update(-1)
	for id := range uint32(3) {
		testkit.Must(t, s.Tree().Move(id, own[10+id].Box))
		update(1)
		testkit.Must(t, s.Move(id, translation(t, 0, float64(id+1), 0)))
		update(1)
		update(0)
	}
}
