package interest

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/query"
)

// form is an implementation of interest management: it finds the objects entering and leaving each viewer's
// area in a frame.
type form struct {
	name    string
	reports bool // reports changes; otherwise it only queries
	update  func(m *simulation)
}

var forms = []form{
	{"tracker", true, (*simulation).track},
	{"query", false, func(m *simulation) { m.ask(func(*lists, int) {}) }},
	{"sort", true, func(m *simulation) { m.ask(merge) }},
	{"map", true, func(m *simulation) { m.ask(m.maps.compare) }},
	{"naive", true, func(m *simulation) { m.ask(compare) }},
	{"roaring", true, func(m *simulation) { m.ask(m.bitmaps.compare) }},
}

// lists holds the results by viewer, and the changes that a form has found.
type lists struct{ was, now, entered, left [][]uint32 }

func newLists(viewers int) lists {
	fresh := func() [][]uint32 { return make([][]uint32, viewers) }
	return lists{fresh(), fresh(), fresh(), fresh()}
}

// track runs the tracker.
func (m *simulation) track() {
	for _, i := range m.walked {
		must.Do(m.tracker.Move(uint32(i), m.area(i)))
	}
	must.Do(m.tracker.Update(m.tree.View()))
}

// ask runs a query for each viewer and compares the result with the viewer's previous one.
func (m *simulation) ask(compare func(l *lists, i int)) {
	l, v := &m.lists, m.tree.View()
	for i, at := range m.at {
		b := cube(at, m.half)
		q := must.Get(query.NewBox(b.Min, b.Max))
		l.was[i], l.now[i] = l.now[i], q.Append(l.was[i][:0], v, query.Filter{})
		l.entered[i], l.left[i] = l.entered[i][:0], l.left[i][:0]
		compare(l, i)
	}
}

// merge compares sorted lists.
func merge(l *lists, i int) {
	slices.Sort(l.now[i])
	now, was := l.now[i], l.was[i]
	for len(now) > 0 && len(was) > 0 {
		switch {
		case now[0] == was[0]:
			now, was = now[1:], was[1:]
		case now[0] < was[0]:
			l.entered[i] = append(l.entered[i], now[0])
			now = now[1:]
		default:
			l.left[i] = append(l.left[i], was[0])
			was = was[1:]
		}
	}
	l.entered[i], l.left[i] = append(l.entered[i], now...), append(l.left[i], was...)
}

// compare searches each ID in the other list.
func compare(l *lists, i int) {
	for _, id := range l.now[i] {
		if !slices.Contains(l.was[i], id) {
			l.entered[i] = append(l.entered[i], id)
		}
	}
	for _, id := range l.was[i] {
		if !slices.Contains(l.now[i], id) {
			l.left[i] = append(l.left[i], id)
		}
	}
}

// sets is a set of IDs.
type sets map[uint32]struct{}

func (s sets) compare(l *lists, i int) {
	clear(s)
	for _, id := range l.was[i] {
		s[id] = struct{}{}
	}
	for _, id := range l.now[i] {
		if _, ok := s[id]; ok {
			delete(s, id)
		} else {
			l.entered[i] = append(l.entered[i], id)
		}
	}
	for id := range s {
		l.left[i] = append(l.left[i], id)
	}
}

// bitmaps holds the results as roaring bitmaps, by viewer.
type bitmaps struct{ was, now []*roaring.Bitmap }

func (x *bitmaps) init(viewers int) {
	for range viewers {
		x.was, x.now = append(x.was, roaring.New()), append(x.now, roaring.New())
	}
}

func (x *bitmaps) compare(l *lists, i int) {
	x.was[i], x.now[i] = x.now[i], x.was[i]
	now, was := x.now[i], x.was[i]
	now.Clear()
	now.AddMany(l.now[i])
	l.entered[i], l.left[i] = roaring.AndNot(now, was).ToArray(), roaring.AndNot(was, now).ToArray()
}

// digest is an order-independent digest of the changes of a frame.
type digest struct {
	entered, left int
	sum           uint64
}

// digest returns the digest of the changes that the form has reported.
func (m *simulation) digest() (d digest) {
	for i := range m.at {
		entered, left := m.lists.entered[i], m.lists.left[i]
		if m.form.name == "tracker" {
			entered, left = m.tracker.Entered(uint32(i)), m.tracker.Left(uint32(i))
		}
		d.entered += len(entered)
		d.left += len(left)
		for _, id := range entered {
			d.sum += mix(uint64(i)<<33 | uint64(id)<<1)
		}
		for _, id := range left {
			d.sum += mix(uint64(i)<<33 | uint64(id)<<1 | 1)
		}
	}
	return d
}

// mix is the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
