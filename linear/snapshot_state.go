package linear

import (
	"fmt"
	"math"
	"reflect"

	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// scalars are the numbers of a tree, a word each, in one order for both ways.
type scalars struct {
	words   []uint64
	at      int
	loading bool
	err     error
}

// of visits all numbers of a tree that are saved. The world and what follows from it come
// first; last is what tells nothing of the layout. What is not here or in lists is not
// saved: buffers, what waits, which a look has done, versions for readers, and limits,
// which only tests set.
func (s *scalars) of(t *Tree) {
	s.fields(&t.cfg, "Workers") // a tree that is loaded uses the machine that it is on
	s.world(t)
	s.box(&t.centres)
	s.box(&t.door.boxes)
	s.box(&t.door.centres)
	s.value(&t.frozen, &t.pending, &t.arrived, &t.base, &t.peak, &t.dead)
	s.value(&t.mended, &t.settled, &t.tick, &t.built, &t.moves)
	s.fields(&t.work)
	s.fields(&t.done)
	s.value(&t.drifting, &t.area, &t.outside, &t.arrangement, &t.waits.singles)

	ids := t.ids.State()
	s.value(&ids.Free, &ids.Floor, &ids.Live)
	c := t.store
	nodes, packets := c.Nodes.FreeList(), c.Packets.FreeList()
	s.value(&nodes.First, &nodes.Unused, &packets.First, &packets.Unused)
	if s.loading { // others may read a tree that is saved
		t.ids.SetState(ids)
		c.Nodes.SetFreeList(nodes)
		c.Packets.SetFreeList(packets)
	}
	for a := range 3 {
		s.value(&c.Near[a], &c.Extent[a])
	}
	s.value(&c.Count, &c.Counted)
	s.log(t)
	calm := t.ticked == c.Version // nothing has changed since the last tick
	s.value(&calm)
	s.value(&c.Version)
	if s.loading && calm {
		t.ticked = c.Version
	}
}

// unlaid is the number of words at the end that tell nothing of the layout: the version.
const unlaid = 1

func (s *scalars) world(t *Tree) {
	exp, origin := t.world.Exp(), t.world.Origin()
	s.value(&exp, &origin[0], &origin[1], &origin[2])
	far := t.code.far
	s.value(&far)
	if !s.loading || s.err != nil {
		return
	}
	if s.err = t.cfg.complete(); s.err != nil {
		return
	}
	w, err := morton.NewWorld(exp, origin)
	if err == nil && t.cfg.World != (soa.AABB{}) {
		var given morton.World
		given, err = morton.Fit(t.cfg.World.Min, t.cfg.World.Max)
		if err == nil && (t.cfg.Fixed && w != given || !w.Inside(t.cfg.World.Min) || !w.Inside(t.cfg.World.Max)) {
			err = fmt.Errorf("the world %v, which is to hold %v to %v, fixed: %v", w, t.cfg.World.Min, t.cfg.World.Max, t.cfg.Fixed)
		}
	}
	s.err = err
	t.world, t.code = w, newCoder(w, t.cfg.MinCell)
	t.code.far = far
}

// log visits that of a tree, if it has one.
func (s *scalars) log(t *Tree) {
	if s.loading && t.cfg.Log && t.store.Log == nil {
		t.store.Log = soa.NewLog()
	}
	l := t.store.Log
	if l == nil {
		l = &soa.Log{}
	}
	full := l.Full()
	s.value(&l.First, &l.Frame, &l.Births, &full)
	if s.loading {
		l.SetFull(full)
	}
}

func (s *scalars) box(b *soa.AABB) {
	for a := range 3 {
		s.value(&b.Min[a], &b.Max[a])
	}
}

// fields visits the numbers of a struct, but for the named one.
func (s *scalars) fields(of any, but ...string) {
	v := reflect.ValueOf(of).Elem()
	for i := range v.NumField() {
		if len(but) == 0 || v.Type().Field(i).Name != but[0] {
			s.reflected(v.Field(i))
		}
	}
}

func (s *scalars) reflected(v reflect.Value) {
	switch v.Kind() {
	case reflect.Array:
		for i := range v.Len() {
			s.reflected(v.Index(i))
		}
	case reflect.Struct:
		s.fields(v.Addr().Interface())
	case reflect.Uint8:
		x := uint32(v.Uint())
		switch s.value(&x); {
		case !s.loading: // others may read a tree that is saved
		case x <= math.MaxUint8:
			v.SetUint(uint64(x))
		default:
			s.fail(uint64(x))
		}
	default:
		s.value(v.Addr().Interface())
	}
}

// value visits numbers.
func (s *scalars) value(to ...any) {
	for _, to := range to {
		if !s.loading {
			s.words = append(s.words, wordOf(to))
			continue
		}
		if s.at >= len(s.words) {
			s.at++
			continue // told at the end
		}
		w := s.words[s.at]
		s.at++
		if !setWord(to, w) {
			s.fail(w)
		}
	}
}

func (s *scalars) fail(w uint64) {
	if s.err == nil {
		s.err = fmt.Errorf("number %d is %#x", s.at-1, w)
	}
}

// wordOf returns a number as a word.
func wordOf(of any) uint64 {
	switch x := of.(type) {
	case *bool:
		if *x {
			return 1
		}
		return 0
	case *int:
		return uint64(*x)
	case *int32:
		return uint64(*x)
	case *uint32:
		return uint64(*x)
	case *uint64:
		return *x
	case *float32:
		return uint64(math.Float32bits(*x))
	case *float64:
		return math.Float64bits(*x)
	}
	panic(fmt.Sprintf("linear: a %T is no number of a snapshot", of))
}

// setWord makes a number that of a word, and reports whether there is such a number.
func setWord(to any, w uint64) bool {
	switch x := to.(type) {
	case *bool:
		*x = w == 1
	case *int:
		*x = int(w)
	case *int32:
		*x = int32(w)
	case *uint32:
		*x = uint32(w)
	case *uint64:
		*x = w
	case *float32:
		*x = math.Float32frombits(uint32(w))
	case *float64:
		*x = math.Float64frombits(w)
	}
	return wordOf(to) == w
}

// load gives a tree the numbers of a state.
func (s *scalars) load(t *Tree, words []uint64) error {
	s.words, s.loading = words, true
	s.of(t)
	if s.err == nil && s.at != len(words) {
		s.err = fmt.Errorf("%d numbers, not %d", len(words), s.at)
	}
	return s.err
}
