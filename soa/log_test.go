package soa_test

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// none encodes the absence of a sphere.
var none = [4]float32{3: -1}

// object returns a different object for each k.
func object(k int) (o soa.Object) {
	o.Box.Min[0], o.Box.Max[0] = float32(k), float32(k)
	return o
}

// The log holds the open frame and the one before it, numbered without gaps.
func TestLogFrames(t *testing.T) {
	l := soa.NewLog()
	var all []soa.Change
	for frame := range 5 {
		start := len(all)
		for k := range 3 + frame {
			l.Set(uint32(k), object(len(all)), none, false, 10)
			all = append(all, soa.Change{Object: object(len(all)), Sphere: none, ID: uint32(k)})
		}
		l.Remove(7, 10)
		all = append(all, soa.Change{ID: 7, Removed: true})
		l.Tick()
		if l.First != uint64(start) || l.Next() != uint64(len(all)) {
			t.Fatalf("frame %d: the log holds %d to %d, want %d to %d", frame, l.First, l.Next(), start, len(all))
		}
		for n := range len(all) + 2 {
			got, ok := l.Since(uint64(n))
			if want := n >= start && n <= len(all); ok != want {
				t.Fatalf("frame %d: changes since %d are there: %v", frame, n, ok)
			} else if ok && !slices.Equal(got, all[n:]) {
				t.Fatalf("frame %d: changes since %d: %v, want %v", frame, n, got, all[n:])
			}
		}
	}
}

// A log drops a frame of too many changes, with the previous one, until the next tick.
func TestLogFull(t *testing.T) {
	for _, live := range []int{0, 8 * 1024, 8 * 3000} {
		l := soa.NewLog()
		most := max(1024, live/8)
		l.Set(0, object(0), none, false, live)
		l.Tick()
		for k := range most {
			l.Set(1, object(k), none, false, live)
		}
		if _, ok := l.Since(0); !ok || len(l.Changes) != most+1 {
			t.Fatalf("live %d: %d changes are held", live, len(l.Changes))
		}
		for k := range uint64(10) {
			l.Set(1, object(0), none, false, live)
			if next := uint64(most) + 2 + k; len(l.Changes) != 0 || l.First != next || l.Next() != next {
				t.Fatalf("live %d: %d changes are held, next is %d, want %d", live, len(l.Changes), l.Next(), next)
			}
		}
		l.Tick()
		at := l.Next()
		l.Remove(3, live)
		if got, ok := l.Since(at); !ok || len(got) != 1 || got[0].ID != 3 {
			t.Errorf("live %d: after a tick: %v, %v", live, got, ok)
		}
	}
}

// A batch is taken as a whole or not at all.
func TestLogTakes(t *testing.T) {
	l := soa.NewLog()
	for k := range 24 {
		l.Set(uint32(k), object(k), none, false, 100)
	}
	if !l.Takes(1000, 100) || l.Next() != 24 {
		t.Errorf("no room for 1,000 beside 24, next %d", l.Next())
	}
	if l.Takes(1001, 100) || l.First != 25 || l.Next() != 25 {
		t.Errorf("room for 1,001 beside 24, next %d", l.Next())
	}
	if l.Takes(1, 100) || l.Next() != 26 {
		t.Errorf("a full log takes one, next %d", l.Next())
	}
	if l.Tick(); !l.Takes(1024, 100) || !l.Takes(2000, 16_000) || l.Takes(2001, 16_000) {
		t.Error("room after a tick is not that of a frame")
	}
}

// Clear and Fill cannot be recorded change by change; insertions record their time.
func TestLogBorn(t *testing.T) {
	l := soa.NewLog()
	l.Fill(3)
	if _, ok := l.Since(0); ok || l.Births != 1 {
		t.Errorf("after Fill: since 0 %v, births %d", ok, l.Births)
	}
	l.Remove(1, 2)
	at := l.Next()
	l.Insert(1, object(1), none, 3)
	l.Insert(5, object(2), none, 4)
	if !slices.Equal(l.Born, []uint64{0, at, 0, 0, 0, at + 1}) || l.Births != at+2 {
		t.Errorf("born %v, births %d", l.Born, l.Births)
	}
	at = l.Next()
	l.Clear()
	if _, ok := l.Since(at); ok || l.Next() != at+1 {
		t.Errorf("after Clear: since %v, next %d", ok, l.Next())
	}
}

// A follower equals the log after any number of changes, ticks and gaps, and so does a clone except for its number.
func TestLogFollow(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	l := soa.NewLog()
	var f soa.Log
	for range 2000 {
		switch id := rng.Uint32N(50); rng.IntN(12) {
		case 0, 1:
			l.Insert(id, object(int(id)), none, 50)
		case 2:
			l.Remove(id, 50)
		case 3, 4:
			l.Tick()
		case 5:
			for range rng.IntN(30) / 29 * 1100 {
				l.Set(id, object(1), none, false, 50)
			}
		case 6:
			if rng.IntN(10) == 0 {
				l.Fill(int(id))
			}
		case 7:
			if rng.IntN(10) == 0 {
				l.Clear()
			}
		case 8, 9:
			f.Follow(l)
			c := l.Clone()
			if c.Number == l.Number || f.Number != l.Number {
				t.Fatalf("numbers: log %d, follower %d, clone %d", l.Number, f.Number, c.Number)
			}
			for _, g := range []*soa.Log{&f, c} {
				if !slices.Equal(g.Changes, l.Changes) || !slices.Equal(g.Born, l.Born) ||
					g.First != l.First || g.Frame != l.Frame || g.Births != l.Births {
					t.Fatalf("a copy of %+v is %+v", l, g)
				}
			}
			c.Set(1, object(9), none, false, 50) // is independent
		default:
			l.Set(id, object(int(id)), [4]float32{1, 2, 3, 4}, false, 50)
		}
	}
	var store soa.Store
	store.Log = l
	if c := store.Clone(); c.Log == l || c.Log.Next() != l.Next() {
		t.Error("a cloned store shares the log")
	}
}

// Trim keeps changes and live IDs and nothing else.
func TestLogTrim(t *testing.T) {
	l := soa.NewLog()
	for id := range uint32(100) {
		l.Insert(id, object(int(id)), none, 100)
	}
	g := l.Clone()
	at := l.Next()
	l.Remove(99, 99)
	want, _ := l.Since(at)
	want = slices.Clone(want)
	l.Trim(99)
	if got, ok := l.Since(at); !ok || !slices.Equal(got, want) || len(l.Born) != 99 {
		t.Errorf("%v, %v and %d IDs after Trim, want %v and 99", got, ok, len(l.Born), want)
	}
	l.Tick()
	l.Tick()
	l.Trim(0)
	if cap(l.Changes) != 0 || cap(l.Born) != 0 {
		t.Errorf("room for %d changes and %d IDs after Trim of all", cap(l.Changes), cap(l.Born))
	}
	l.Insert(5, object(5), none, 1)
	if len(l.Born) != 6 || l.Born[5] != l.Next()-1 {
		t.Errorf("%v after Trim", l.Born)
	}
	g.Follow(l) // into the memory of 100 IDs
	if g.Insert(9, object(9), none, 1); !slices.Equal(g.Born, []uint64{5: l.Born[5], 9: g.Next() - 1}) {
		t.Errorf("%v after following a log of fewer IDs", g.Born)
	}
}

// A nil log accepts all changes of a tree.
func TestNilLog(t *testing.T) {
	var l *soa.Log
	l.Insert(3, object(3), none, 1)
	l.Remove(3, 0)
	l.Fill(7)
	l.Clear()
	l.Trim(0)
}
