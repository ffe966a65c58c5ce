package scene

import (
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
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

// The queue of instances returns each lane that was added once, with its distance, the nearest first up to the bits
// that hold the lane. Its bound is never above a distance in it. Some lanes are put back, with larger distances.
func TestCandidates(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	putBack, stayed := 0, 0
	for range testkit.Budget(t, 2_000, 20_000) {
		var list candidates
		list.reset()
		in := map[[2]uint32]float32{} // by slot and lane
		returned := map[[2]uint32]bool{}
		check := func() {
			for at, d2 := range in {
				if list.empty() || math.Float32frombits(list.least()) > d2 {
					t.Fatalf("%v is at %v; empty: %v", at, d2, list.empty())
				}
			}
			if len(in) == 0 && !list.empty() {
				t.Fatal("an empty queue is not empty")
			}
		}
		near := math.Float32bits(rng.Float32())
		for slot := range uint32(1 + rng.IntN(12)) {
			var dist [soa.Lanes]float32
			lanes := uint32(1 + rng.IntN(1<<soa.Lanes-1))
			for l := range dist {
				dist[l] = math.Float32frombits(near + uint32(rng.IntN(64)))
				switch rng.IntN(8) {
				case 0:
					dist[l] = 0
				case 1:
					dist[l] = float32(math.Inf(1))
				}
				if lanes>>l&1 != 0 {
					in[[2]uint32{slot, uint32(l)}] = dist[l]
				}
			}
			list.add(slot, lanes, &dist)
			check()
			for rng.IntN(4) != 0 && len(in) > 0 {
				slot, lane, d2, again := list.take()
				at := [2]uint32{slot, lane}
				if want, ok := in[at]; !ok || d2 != want || again != returned[at] {
					t.Fatalf("%v at %v, returned: %v; want %v, %v", at, d2, again, want, returned[at])
				}
				delete(in, at)
				for other, x := range in {
					if math.Float32bits(x)|(soa.Lanes-1) < math.Float32bits(d2)|(soa.Lanes-1) {
						t.Fatalf("%v at %v is before %v at %v", at, d2, other, x)
					}
				}
				if far := math.Float32frombits(math.Float32bits(d2) + uint32(rng.IntN(64))); d2 < 1 && list.putBack(far) {
					in[at], returned[at] = far, true
					putBack++
				} else {
					list.settle()
					stayed++
				}
				check()
			}
		}
	}
	if putBack == 0 || stayed == 0 {
		t.Errorf("%d were put back, %d were not", putBack, stayed)
	}
}

// The test without branches agrees with the comparisons for all boxes of a few numbers, zeros of both signs among them.
func TestOverlap(t *testing.T) {
	negative := float32(math.Copysign(0, -1))
	numbers := []float32{-math.MaxFloat32, -1, -math.SmallestNonzeroFloat32, negative, 0, math.SmallestNonzeroFloat32, 1, math.MaxFloat32}
	var sides [][2]float32
	for i, low := range numbers {
		for _, high := range numbers[i:] {
			sides = append(sides, [2]float32{low, high})
		}
	}
	sides = append(sides, [2]float32{0, negative})
	for axis := range 3 {
		for _, p := range sides {
			for _, q := range sides {
				a, b := soa.AABB{Max: [3]float32{1, 1, 1}}, soa.AABB{Max: [3]float32{1, 1, 1}}
				a.Min[axis], a.Max[axis], b.Min[axis], b.Max[axis] = p[0], p[1], q[0], q[1]
				if got, want := overlap(&a, &b), a.Overlaps(b); got != want {
					t.Fatalf("%v and %v: %v, want %v", a, b, got, want)
				}
			}
		}
	}
}
