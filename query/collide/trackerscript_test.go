package collide_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// trackScript decodes bytes to changes of a tree and updates of trackers. The trackers' results are
// compared with the double loop over a map of the objects.
type trackScript struct {
	data    []byte
	tree    *linear.Tree
	live    map[uint32]being
	ids     []uint32 // the keys of live, ascending
	births  int
	tracker collide.Tracker         // used normally
	every   collide.Tracker         // finds all pairs at each update
	was     map[collide.Pair][2]int // the pairs at the last update, and the births of their objects
	updates int
}

// being is an object, and its number among all objects ever inserted.
type being struct {
	soa.Object
	ball *[4]float32
	born int
}

func (s *trackScript) byte() (b byte) {
	if len(s.data) > 0 {
		b, s.data = s.data[0], s.data[1:]
	}
	return b
}

// box returns a box on a small grid, some touch and some are large.
func (s *trackScript) box() (b soa.AABB) {
	size := s.byte()
	for a := range 3 {
		b.Min[a] = float32(int8(s.byte()) >> 5)
		b.Max[a] = b.Min[a] + float32(size>>(2*a)&3)
	}
	if size == 255 {
		b.Max[0] += 32
	}
	return b
}

func (s *trackScript) object() soa.Object {
	o := soa.Object{Box: s.box()}
	b := s.byte()
	o.Mask, o.Static = uint32(b>>2&31), b&3 == 0
	return o
}

func (s *trackScript) pick() uint32 { return s.ids[int(s.byte())*len(s.ids)/256] }

func (s *trackScript) set(id uint32, f func(o *being)) {
	o := s.live[id]
	f(&o)
	s.live[id] = o
}

func (s *trackScript) move(id uint32, box soa.AABB) {
	s.set(id, func(o *being) { o.Box, o.ball = box, nil })
}

func (s *trackScript) add(id uint32, o soa.Object) {
	s.births++
	s.live[id] = being{Object: o, born: s.births}
	s.ids = append(s.ids, id)
	slices.Sort(s.ids)
}

func (s *trackScript) remove(id uint32) {
	delete(s.live, id)
	i, _ := slices.BinarySearch(s.ids, id)
	s.ids = slices.Delete(s.ids, i, i+1)
}

// step performs one operation.
func (s *trackScript) step(t testing.TB) {
	must := func(err error) {
		t.Helper()
		testkit.Must(t, err)
	}
	op := s.byte() % 32
	if len(s.ids) == 0 && (op < 20 || op == 29) {
		op = 20
	}
	switch op {
	case 0, 1, 2, 3:
		id, box := s.pick(), s.box()
		must(s.tree.Move(id, box))
		s.move(id, box)
	case 4, 5, 6:
		var ids []uint32
		var boxes []soa.AABB
		for range s.byte() % 24 { // some twice
			ids, boxes = append(ids, s.pick()), append(boxes, s.box())
			s.move(ids[len(ids)-1], boxes[len(boxes)-1])
		}
		must(s.tree.MoveBatch(ids, boxes))
	case 7, 8:
		id := s.pick()
		must(s.tree.Remove(id))
		s.remove(id)
	case 9: // another object under the same number, often the same box
		id := s.pick()
		o := s.live[id].Object
		must(s.tree.Remove(id))
		s.remove(id)
		if s.byte()&1 != 0 {
			o = s.object()
		}
		again, err := s.tree.Insert(o)
		must(err)
		s.add(again, o)
	case 10:
		from := int(s.byte()) * len(s.ids) / 256
		gone := slices.Clone(s.ids[from:min(from+int(s.byte()%8), len(s.ids))])
		must(s.tree.RemoveBatch(gone))
		for _, id := range gone {
			s.remove(id)
		}
	case 11:
		id, mask := s.pick(), uint32(s.byte()&31)
		must(s.tree.SetMask(id, mask))
		s.set(id, func(o *being) { o.Mask = mask })
	case 12, 13:
		id, static := s.pick(), s.byte()&1 != 0
		must(s.tree.SetStatic(id, static))
		s.set(id, func(o *being) { o.Static = static })
	case 14, 15:
		s.apply(t)
	case 16:
		must(s.tree.Rebuild(nil, linear.RebuildOptions{Frozen: s.byte()&1 != 0}))
	case 17:
		must(s.tree.Flush())
	case 18:
		if s.byte() < 64 {
			s.tree.Clear()
			clear(s.live)
			s.ids = s.ids[:0]
		}
	case 19:
		if s.byte() < 64 { // a tracker follows one tree
			s.tree = s.tree.Clone()
			for id, o := range s.live {
				s.births++
				o.born = s.births
				s.live[id] = o
			}
		}
	case 20, 21:
		objects := make([]soa.Object, 1+s.byte()%20)
		for i := range objects {
			objects[i] = s.object()
		}
		ids, err := s.tree.InsertBatch(nil, objects)
		must(err)
		for i, id := range ids {
			s.add(id, objects[i])
		}
	case 22:
		o := s.object()
		id, err := s.tree.Insert(o)
		must(err)
		s.add(id, o)
	case 23:
		if b := s.byte(); b&1 != 0 {
			s.tracker.Filter.Exact = !s.tracker.Filter.Exact
		} else {
			exact := s.tracker.Filter.Exact
			s.tracker.Filter = pairFilters[int(b/2)%len(pairFilters)]
			s.tracker.Filter.Exact = exact
		}
		s.every.Filter = s.tracker.Filter
	case 24, 25, 26:
		must(s.tree.Tick())
	case 29:
		id := s.pick()
		ball := testkit.BallIn(s.live[id].Box)
		if s.byte()&1 != 0 {
			must(s.tree.SetSphere(id, ball))
		} else {
			must(s.tree.SetBounds([]uint32{id}, linear.Bodies{Spheres: [][4]float32{ball}}))
		}
		s.set(id, func(o *being) { o.ball = &ball })
	default:
		must(s.tree.Tick())
		fallthrough
	case 27, 28:
		s.update(t)
	}
}

// apply runs a recorded batch.
func (s *trackScript) apply(t testing.TB) {
	var b linear.Batch
	var added []soa.Object
	for range s.byte() % 8 {
		switch kind := s.byte() % 4; {
		case kind == 0 || len(s.ids) == 0:
			added = append(added, s.object())
			b.Insert(added[len(added)-1])
		case kind == 1:
			id := s.pick()
			b.Remove(id)
			s.remove(id)
		default:
			id, box := s.pick(), s.box()
			b.Move(id, box)
			s.move(id, box)
		}
	}
	ids, err := s.tree.Apply(&b)
	testkit.Must(t, err)
	for i, id := range ids {
		s.add(id, added[i])
	}
}

// pairs returns the current pairs, and the births of their objects.
func (s *trackScript) pairs() map[collide.Pair][2]int {
	all := map[collide.Pair][2]int{}
	objects := make([]soa.Object, len(s.ids))
	for i, id := range s.ids {
		objects[i] = s.live[id].Object
	}
	for _, p := range testkit.ReferencePairs(objects) {
		a, b := s.live[s.ids[p.A]], s.live[s.ids[p.B]]
		meet := !s.tracker.Filter.Exact ||
			testkit.Meet(&testkit.Solid{Box: a.Box, Ball: a.ball}, &testkit.Solid{Box: b.Box, Ball: b.ball}, 1+0x1p-40)
		if meet && passes(s.tracker.Filter, &a.Object, &b.Object) {
			all[collide.Pair{A: s.ids[p.A], B: s.ids[p.B]}] = [2]int{a.born, b.born}
		}
	}
	return all
}

func comparePairs(p, q collide.Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) }

// update updates both trackers and compares all their results.
func (s *trackScript) update(t testing.TB) {
	t.Helper()
	s.updates++
	now := s.pairs()
	among := func(other map[collide.Pair][2]int) func(p collide.Pair, who [2]int) bool {
		return func(p collide.Pair, who [2]int) bool { return other[p] == who }
	}
	apart := func(other map[collide.Pair][2]int) func(p collide.Pair, who [2]int) bool {
		return func(p collide.Pair, who [2]int) bool { return other[p] != who }
	}
	began := testkit.KeysOf(now, apart(s.was), comparePairs)
	ended := testkit.KeysOf(s.was, apart(now), comparePairs)
	stayed := testkit.KeysOf(now, among(s.was), comparePairs)
	v := s.tree.View()
	for i, tr := range []*collide.Tracker{&s.tracker, &s.every} {
		if s.updates%3 == 0 {
			tr.Trim()
		}
		if i == 1 {
			tr.FindAll()
		}
		testkit.Must(t, tr.Update(v))
		if s.updates%7 == 0 {
			tr.Trim()
		}
		if !slices.Equal(tr.Began(), began) {
			t.Fatalf("update %d, tracker %d: began %v, want %v", s.updates, i, tr.Began(), began)
		}
		if !slices.Equal(tr.Ended(), ended) {
			t.Fatalf("update %d, tracker %d: ended %v, want %v", s.updates, i, tr.Ended(), ended)
		}
		if got := slices.SortedFunc(tr.Stayed(), comparePairs); !slices.Equal(got, stayed) {
			t.Fatalf("update %d, tracker %d: stayed %v, want %v", s.updates, i, got, stayed)
		}
		if tr.Len() != len(now) {
			t.Fatalf("update %d, tracker %d: %d pairs, want %d", s.updates, i, tr.Len(), len(now))
		}
	}
	// Both are in the same state, on either path.
	if !slices.Equal(slices.Collect(s.tracker.Pairs()), slices.Collect(s.every.Pairs())) {
		t.Fatalf("update %d: the order of pairs depends on the way they were found", s.updates)
	}
	for _, id := range s.ids {
		var partners []uint32
		for p := range now {
			if p.A == id {
				partners = append(partners, p.B)
			} else if p.B == id {
				partners = append(partners, p.A)
			}
		}
		slices.Sort(partners)
		got := slices.Collect(s.tracker.Of(id))
		if !slices.Equal(got, slices.Collect(s.every.Of(id))) {
			t.Fatalf("update %d: the order of the partners of %d depends on the way they were found", s.updates, id)
		}
		if slices.Sort(got); !slices.Equal(got, partners) {
			t.Fatalf("update %d: partners of %d %v, want %v", s.updates, id, got, partners)
		}
	}
	s.was = now
}

// run performs the operations that the bytes stand for.
func (s *trackScript) run(t testing.TB, steps int) {
	t.Helper()
	cfg := linear.Config{Workers: 1, Log: true, PendingMin: 1 + int(s.byte()%32), PendingShare: 1 << 20}
	cfg.Policy = linear.Policy(s.byte() % 3)
	tree := trees.New(t, cfg)
	s.tree, s.live = tree, map[uint32]being{}
	for range steps {
		if len(s.data) == 0 || len(s.ids) > 300 {
			break
		}
		s.step(t)
	}
	s.update(t)
}
