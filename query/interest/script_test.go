package interest_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/soa"
)

// EnvFrames is the number of random frames, over all tiers.
const envFrames = "ZOCTREE_INTEREST_FRAMES"

// script is a random history of two worlds and of viewers, followed by two trackers: a normal one, and one
// that reads and queries everything in each update.
type script struct {
	rng      *rand.Rand
	worlds   [2]*world
	at       int // which of them
	births   int
	shared   *linear.Publisher // of the only world, or nil
	versions []*version        // held versions of shared
	trackers [2]interest.Tracker
	wishes   map[uint32]*wish
	before   map[uint32]being // at the last update

	told, touched int
	hidden        int // objects in the frusta of sights that were not seen
}

func (s *script) must(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

func (s *script) object() soa.Object {
	return soa.Object{Box: s.box(), Mask: uint32(s.rng.IntN(8)), Static: s.rng.IntN(3) == 0}
}

func (s *script) box() soa.AABB {
	if s.rng.IntN(60) == 0 { // far away, or gigantic: planes round otherwise
		return testkit.CubeAt([3]float32{s.rng.Float32() * 1e4, 0, 0}, s.rng.Float32()*100)
	}
	return testkit.CubeAt(point(s.rng), s.rng.Float32())
}

func (s *script) world() *world { return s.worlds[s.at] }

// pick returns an ID; ok is false if there is none.
func (s *script) pick() (id uint32, ok bool) {
	ids := slices.Sorted(maps.Keys(s.world().live))
	if len(ids) == 0 {
		return 0, false
	}
	return ids[s.rng.IntN(len(ids))], true
}

func (s *script) add(id uint32, o soa.Object) {
	s.births++
	h, _ := s.world().tree.Handle(id)
	s.world().live[id] = being{Object: o, ball: [4]float32{3: -1}, born: s.births, gen: h.Gen}
}

// change makes a random change of the tree.
func (s *script) change(t testing.TB) {
	w := s.world()
	id, ok := s.pick()
	op := s.rng.IntN(40)
	if !ok || len(w.live) < 3 {
		op = 30
	}
	set := func(f func(b *being)) {
		b := w.live[id]
		f(&b)
		w.live[id] = b
	}
	move := func(to soa.AABB) {
		s.must(t, w.tree.Move(id, to))
		set(func(b *being) { b.Box, b.ball, b.turned = to, [4]float32{3: -1}, soa.OrientedBox{} })
	}
	switch {
	case op < 10: // a little
		b := w.live[id].Box
		d := (s.rng.Float32() - 0.5) * 2
		a := s.rng.IntN(3)
		b.Min[a], b.Max[a] = b.Min[a]+d, b.Max[a]+d
		if b.Min[a] > b.Max[a] {
			b.Min[a] = b.Max[a]
		}
		move(b)
	case op < 13:
		move(s.box())
	case op < 15: // there and back
		b := w.live[id]
		move(s.box())
		move(b.Box)
	case op < 17:
		m := uint32(s.rng.IntN(8))
		s.must(t, w.tree.SetMask(id, m))
		set(func(b *being) { b.Mask = m })
	case op < 19:
		static := s.rng.IntN(2) == 0
		s.must(t, w.tree.SetStatic(id, static))
		set(func(b *being) { b.Static = static })
	case op < 21:
		ball := testkit.BallIn(w.live[id].Box)
		ball[3] *= float32(s.rng.IntN(3)) / 2
		s.must(t, w.tree.SetSphere(id, ball))
		set(func(b *being) { b.ball = ball })
	case op < 23:
		turned := testkit.OrientedIn(s.rng, w.live[id].Box)
		s.must(t, w.tree.SetOriented(id, turned))
		set(func(b *being) { b.turned = turned })
	case op < 25:
		s.must(t, w.tree.Remove(id))
		delete(w.live, id)
	case op < 28: // another object under the same number, often the same box
		o := w.live[id].Object
		s.must(t, w.tree.Remove(id))
		delete(w.live, id)
		if s.rng.IntN(2) == 0 {
			o = s.object()
		}
		again, err := w.tree.Insert(o)
		s.must(t, err)
		s.add(again, o)
	case op < 34:
		if len(w.live) > 60 {
			return
		}
		objects := make([]soa.Object, 1+s.rng.IntN(6))
		for i := range objects {
			objects[i] = s.object()
		}
		ids, err := w.tree.InsertBatch(nil, objects)
		s.must(t, err)
		for i, id := range ids {
			s.add(id, objects[i])
		}
	case op < 36:
		s.must(t, w.tree.Tick())
	case op == 36:
		s.must(t, w.tree.Rebuild(nil, linear.RebuildOptions{Frozen: s.rng.IntN(2) == 0}))
	case op == 37 && s.rng.IntN(8) == 0:
		w.tree.Clear()
		clear(w.live)
	case op == 38 && s.shared == nil && s.rng.IntN(4) == 0:
		w.tree = w.tree.Clone()
		for _, id := range slices.Sorted(maps.Keys(w.live)) { // a tracker follows one tree
			b := w.live[id]
			s.births++
			b.born = s.births
			w.live[id] = b
		}
	case op == 39 && s.shared == nil && s.rng.IntN(4) == 0:
		s.at = 1 - s.at
	case op == 39: // the tree forgets IDs that its log still names
		ids, err := w.tree.InsertBatch(nil, make([]soa.Object, 70))
		s.must(t, err)
		s.births += len(ids)
		s.must(t, w.tree.RemoveBatch(ids))
		w.tree.Trim()
	}
}

// watch makes a random change of the viewers.
func (s *script) watch(t testing.TB) {
	ids := slices.Sorted(maps.Keys(s.wishes))
	switch op := s.rng.IntN(10); {
	case len(ids) < 3 || op == 0 && len(ids) < 7:
		w := wishFor(t, s.rng)
		id := s.trackers[0].Add(w.area)
		if again := s.trackers[1].Add(w.area); again != id || s.wishes[id] != nil {
			t.Fatalf("viewers %d and %d were added", id, again)
		}
		s.wishes[id] = w
	case op == 1:
		id := ids[s.rng.IntN(len(ids))]
		for i := range s.trackers {
			s.must(t, s.trackers[i].Remove(id))
			if err := s.trackers[i].Move(id, interest.Area{}); !errors.Is(err, interest.ErrNoViewer) {
				t.Fatalf("a removed viewer was moved: %v", err)
			}
			if len(s.trackers[i].InView(id))+len(s.trackers[i].Left(id)) > 0 {
				t.Fatal("a removed viewer sees something")
			}
		}
		delete(s.wishes, id)
	default:
		id := ids[s.rng.IntN(len(ids))]
		w := wishFor(t, s.rng)
		if op < 4 { // nowhere else
			w = s.wishes[id]
		}
		w.view = s.wishes[id].view
		s.wishes[id] = w
		for i := range s.trackers {
			s.must(t, s.trackers[i].Move(id, w.area))
		}
	}
}

// filter changes the filter.
func (s *script) filter() {
	f := query.Filter{Mask: uint32(s.rng.IntN(8)), Motion: query.Motion(s.rng.IntN(3)), Exact: s.rng.IntN(2) == 0}
	if s.rng.IntN(2) == 0 {
		f.Mask, f.Motion = 0, query.AnyMotion
	}
	if s.rng.IntN(4) == 0 {
		f.Only = []uint64{s.rng.Uint64()}
	}
	if id, ok := s.pick(); ok && s.rng.IntN(3) == 0 { // it may become stale
		f.Exclude = linear.Handle{ID: id, Gen: s.world().live[id].gen}
	}
	s.trackers[0].Filter, s.trackers[1].Filter = f, f
}

// crowd adds viewers that see nothing, between others: enough to occupy more than one worker.
func (s *script) denseScene() {
	for i := range s.trackers {
		for range 70 {
			s.trackers[i].Add(interest.Area{})
		}
		for _, id := range []uint32{69, 1, 68} {
			if err := s.trackers[i].Remove(id); err != nil {
				panic(err)
			}
		}
	}
}

// draw starts or stops drawing an occluder that is not an object.
func (s *script) draw() {
	for i := range s.trackers {
		if tr := &s.trackers[i]; tr.Draw == nil {
			tr.Draw = drawSlab
		} else {
			tr.Draw = nil
		}
	}
}

// look returns the version to be read.
func (s *script) look(t testing.TB) *version {
	w := s.world()
	if s.shared == nil {
		return &version{view: w.tree.View(), live: w.live}
	}
	s.shared.Publish()
	h := s.shared.Acquire()
	v := &version{held: &h, view: h.View(), live: maps.Clone(w.live)}
	if s.versions = append(s.versions, v); len(s.versions) > 3 {
		s.versions[0].held.Release()
		s.versions = s.versions[1:]
	}
	if s.rng.IntN(6) == 0 { // an older one
		return s.versions[s.rng.IntN(len(s.versions))]
	}
	return v
}

// trim frees memory. Both trackers do so, for it decides the next number.
func (s *script) trim() {
	for i := range s.trackers {
		s.trackers[i].Trim()
	}
}

// update updates the trackers and compares all their results with the model.
func (s *script) update(t testing.TB, frame int) {
	x := s.look(t)
	if frame%4 == 1 {
		s.trim()
	}
	interest.Forget(&s.trackers[1])
	for i := range s.trackers {
		s.must(t, s.trackers[i].Update(x.view))
	}
	if frame%6 == 2 {
		s.trim()
	}
	var changed []uint32
	for _, id := range slices.Sorted(maps.Keys(s.wishes)) {
		w := s.wishes[id]
		want := w.update(s.before, x, s.trackers[0].Filter, s.trackers[0].Draw)
		if len(want.entered)+len(want.left)+len(want.touched) > 0 {
			changed = append(changed, id)
		}
		s.told += len(want.entered) + len(want.left)
		s.touched += len(want.touched)
		if w.kind == seen {
			s.hidden += w.inFrustum(x, s.trackers[0].Filter) - len(want.view)
		}
		for i := range s.trackers {
			tr := &s.trackers[i]
			for name, lists := range map[string][2][]uint32{
				"entered": {tr.Entered(id), want.entered}, "left": {tr.Left(id), want.left},
				"touched": {tr.Touched(id), want.touched}, "in view": {tr.InView(id), want.view},
			} {
				if !slices.Equal(lists[0], lists[1]) {
					t.Fatalf("frame %d, tracker %d, viewer %d of kind %d: %s %v, want %v", frame, i, id, w.kind, name, lists[0], lists[1])
				}
			}
		}
	}
	for i := range s.trackers {
		if got := s.trackers[i].Changed(); !slices.Equal(got, changed) {
			t.Fatalf("frame %d, tracker %d: changed %v, want %v", frame, i, got, changed)
		}
	}
	s.before = maps.Clone(x.live)
}

// run performs frames.
func (s *script) run(t testing.TB, frames int, shared bool) {
	s.wishes, s.before = map[uint32]*wish{}, map[uint32]being{}
	s.trackers[0].Workers = 1 + s.rng.IntN(3)
	if s.trackers[1].Workers = 1; s.trackers[0].Workers > 1 {
		s.denseScene()
	}
	for i := range s.worlds {
		tree, err := linear.New(linear.Config{Workers: 1, Log: true, PendingMin: 1 + s.rng.IntN(32), Policy: linear.Policy(s.rng.IntN(3))})
		s.must(t, err)
		s.worlds[i] = &world{tree, map[uint32]being{}}
	}
	if shared {
		s.shared = linear.NewPublisher(s.world().tree)
	}
	for frame := range frames {
		for range s.rng.IntN(7) {
			s.change(t)
		}
		for range s.rng.IntN(3) {
			s.watch(t)
		}
		if s.rng.IntN(30) == 0 {
			s.filter()
		}
		if s.rng.IntN(20) == 0 {
			s.draw()
		}
		s.update(t, frame)
	}
	for _, v := range s.versions {
		v.held.Release()
	}
}

// frames returns how many random frames there are for each tier.
func frames(t testing.TB) int {
	n := testkit.Raced(testkit.Budget(t, 2000, 100_000), 400)
	if text := os.Getenv(envFrames); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", envFrames, err)
		}
	}
	return n/len(testkit.Tiers()) + 1
}

// Random frames with all kinds of events, on every tier: a tracker reports the results of the double loop
// over the objects.
func TestTracker(t *testing.T) {
	seed := testkit.Seed(t)
	n := frames(t)
	testkit.EachTier(t, func(t *testing.T) {
		told, touched, hidden := 0, 0, 0
		const each = 400
		for k := 0; k*each < n; k++ {
			s := &script{rng: testkit.Rand(seed + uint64(k))}
			s.run(t, min(each, n-k*each), k%2 == 1)
			told, touched, hidden = told+s.told, touched+s.touched, hidden+s.hidden
		}
		if told < n || touched < n/8 || hidden < n/8 {
			t.Errorf("in %d frames %d events, %d touched and %d hidden", n, told, touched, hidden)
		}
		t.Logf("%d frames: %d events, %d touched, %d not seen", n, told, touched, hidden)
	})
}
