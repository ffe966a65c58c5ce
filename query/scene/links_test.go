package scene

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// A set of links has the pairs that were added and not removed, in order, in blocks that are not empty nor mostly
// unused.
func TestLinkSet(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	object := func() Object {
		o := Object{ID: uint32(rng.IntN(40))}
		for range rng.IntN(3) {
			o.Path.push(uint32(rng.IntN(4)))
		}
		return o
	}
	var s linkSet
	var pairs []Pair
	for round := range testkit.Budget(t, 12, 60) {
		for range 3000 {
			p := Pair{A: object(), B: object()}
			switch i, known := slices.BinarySearchFunc(pairs, p, comparePairs); {
			case p.A.Compare(p.B) >= 0:
			case !known && rng.IntN(3) != round%3:
				s.add(&p)
				pairs = slices.Insert(pairs, i, p)
			case len(pairs) > 0 && round%3 != 1:
				if !known {
					i %= len(pairs)
				}
				s.remove(&pairs[i])
				pairs = slices.Delete(pairs, i, i+1)
			}
		}
		switch rng.IntN(6) {
		case 0:
			s.trim()
			if cap(s.free) > 0 || len(s.blocks) != (2*len(pairs)+blockLinks-1)/blockLinks {
				t.Errorf("%d blocks and %d free ones of %d pairs", len(s.blocks), cap(s.free), len(pairs))
			}
		case 1:
			s.reset()
			pairs = pairs[:0]
		}
		if got := s.appendAll(nil); !slices.Equal(got, pairs) || s.n != 2*len(pairs) {
			t.Fatalf("%d pairs in %d links, want %d", len(got), s.n, len(pairs))
		}
		var c sceneChanges
		for range rng.IntN(8) {
			c.Own.Add(uint32(rng.IntN(40)))
			c.Instances.Add(uint32(rng.IntN(5)))
		}
		got, want := s.appendChanged(nil, &c), []Pair(nil)
		for _, p := range pairs {
			if c.has(&p.A) || c.has(&p.B) {
				want = append(want, p)
			}
		}
		if slices.SortFunc(got, comparePairs); !slices.Equal(got, want) {
			t.Fatalf("%d pairs of changed objects, want %d", len(got), len(want))
		}
		for i, b := range s.blocks {
			if len(b) == 0 || len(b) > blockLinks || i > 0 && len(b)+len(s.blocks[i-1]) <= blockLinks/2 {
				t.Fatalf("block %d of %d has %d links", i, len(s.blocks), len(b))
			}
		}
	}
}
