package lab

import (
	"slices"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// AllPairs is the search for all overlapping pairs: a batch of one query.
type AllPairs struct{ pairs []collide.Pair }

func (b *AllPairs) Len() int { return 1 }

// find returns all pairs, including pairs of static objects.
func (b *AllPairs) find(v linear.View) []collide.Pair {
	b.pairs = collide.Append(b.pairs[:0], collide.Within(v), collide.Filter{StaticPairs: true})
	return b.pairs
}

func (b *AllPairs) Answer(a *Answer, v linear.View, _ int) {
	*a = Answer{IDs: a.IDs[:0], Pairs: append(a.Pairs[:0], b.find(v)...)}
}

func (b *AllPairs) Pass(v linear.View) uint64 { return uint64(len(b.find(v))) }

// pairSample is the number of objects whose partners are compared with the oracle.
const pairSample = 256

// Verify compares the partners of objects across the scene with the result of a plain loop.
func (b *AllPairs) Verify(v linear.View, boxes []soa.AABB, _ int) bool {
	partners := make(map[uint32][]int)
	count := min(len(boxes), pairSample)
	for k := range count {
		partners[uint32(k*len(boxes)/count)] = nil
	}
	for _, p := range b.find(v) {
		for _, of := range [2]collide.Pair{p, {A: p.B, B: p.A}} {
			if list, ok := partners[of.A]; ok {
				partners[of.A] = append(list, int(of.B))
			}
		}
	}
	for id, got := range partners {
		want := testkit.ReferenceBox(boxes, boxes[id])
		want = slices.DeleteFunc(want, func(i int) bool { return i == int(id) })
		slices.Sort(got)
		if !slices.Equal(got, want) {
			return false
		}
	}
	return true
}
