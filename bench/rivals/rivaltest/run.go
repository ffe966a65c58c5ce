package rivaltest

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// Run tests an index. Each call of empty returns a new one.
func Run(t *testing.T, empty func() index.Index) {
	seed := testkit.Seed(t)
	n, steps := 300, 400
	if testing.Short() || testkit.RaceEnabled {
		n, steps = 120, 100
	}
	t.Run("scenes", func(t *testing.T) {
		for _, s := range testkit.Scenes() {
			t.Run(s.Name, func(t *testing.T) {
				ix := empty()
				for _, n := range []int{n, 0, 1, 2, 17, n / 2} {
					objects := s.Make(n, seed)
					m := newModel(ix, objects)
					q := queriesOf(objects, 6, seed)
					m.compare(t, &q)
					m.scatter(t, seed, &q)
				}
			})
		}
	})
	t.Run("changes", func(t *testing.T) {
		for _, kind := range testkit.BoxKinds() {
			t.Run(kind.String(), func(t *testing.T) { changes(t, empty(), kind, seed, steps) })
		}
	})
	t.Run("families", func(t *testing.T) { families(t, empty, seed) })
}

// compare validates the index and compares all queries.
func (m *model) compare(t testing.TB, q *queries) {
	t.Helper()
	m.validate(t)
	m.ask(t, q)
	m.pairs(t)
	m.validate(t) // a query may have changed the structure
}

// scatter moves a third of the objects, some to the locations of others, and ends some frames.
func (m *model) scatter(t testing.TB, seed uint64, q *queries) {
	t.Helper()
	r := testkit.Rand(seed + 1)
	all := m.objects
	if len(all) == 0 {
		return
	}
	for range len(all)/3 + 1 {
		m.change(byte(4+2*r.IntN(2)), r.IntN, func() soa.AABB { return all[r.IntN(len(all))].Box })
	}
	m.compare(t, q)
	for range 3 {
		m.change(7, r.IntN, nil)
	}
	m.compare(t, q)
}

// changes makes random changes and compares after each.
func changes(t *testing.T, ix index.Index, kind testkit.BoxKind, seed uint64, steps int) {
	r := testkit.Rand(seed)
	box := func() soa.AABB { return testkit.RandomBoxes(r, 1, kind)[0] }
	m := newModel(ix, nil)
	grow := true
	for i := range steps {
		ids, _ := m.stored()
		if len(ids) > 150 {
			grow = false
		} else if len(ids) < 5 {
			grow = true
		}
		op := byte(r.IntN(256))
		if kind := op % changeKinds; grow && kind == 2 {
			op -= 2
		} else if !grow && kind == 1 {
			op++
		}
		m.change(op, r.IntN, box)
		m.validate(t)
		q := randomQueries(r, kind)
		m.ask(t, &q)
		if i%20 == 0 {
			m.pairs(t)
		}
		if i%100 == 99 {
			_, objects := m.stored()
			q := queriesOf(objects, 4, seed+uint64(i))
			m.compare(t, &q)
		}
	}
}

// Fuzz runs changes decoded from bytes and compares every few changes.
func Fuzz(f *testing.F, empty func() index.Index) {
	f.Add([]byte("\x00\x01"))
	f.Add([]byte("\x80\x00\x00\x80\x3f\x00\x00\x80\x3f\x00 boxes of letters, near 1e20 \x07\x07 and \x04\x02\x06\x06"))
	f.Fuzz(func(t *testing.T, data []byte) {
		next := func() (v byte) {
			if len(data) > 0 {
				v, data = data[0], data[1:]
			}
			return v
		}
		pick := func(n int) int { return int(next()) % n }
		number := func() float32 {
			var w [4]byte
			data = data[copy(w[:], data):]
			x := math.Float32frombits(binary.LittleEndian.Uint32(w[:]))
			if x-x != 0 { // NaN or infinite
				return float32(w[0])
			}
			return x
		}
		box := func() (b soa.AABB) {
			point := next()&1 != 0
			for a := range 3 {
				lo := number()
				hi := lo
				if !point {
					hi = number()
				}
				b.Min[a], b.Max[a] = min(lo, hi), max(lo, hi)
			}
			return b
		}
		m := newModel(empty(), nil)
		r := testkit.Rand(1)
		for ops := 0; len(data) > 0 && ops < 150; ops++ {
			m.change(next(), pick, box)
			m.validate(t)
			if ops%8 == 7 {
				q := randomQueries(r, testkit.BoxKinds()[ops/8%4])
				m.ask(t, &q)
			}
		}
		_, objects := m.stored()
		q := queriesOf(objects, 2, 1)
		m.compare(t, &q)
	})
}
