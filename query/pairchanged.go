package query

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// pairList is a list of pairs to be put in order.
type pairList struct {
	keys   []uint64 // A<<32 | B
	places []uint32 // numbers of the pairs in pairLinks, if they are there
	sort   radix.Scratch
}

// noPair is larger than the key of every pair: IDs are below 2^31.
const noPair = ^uint64(0)

// pairsMax is the most pairs that the numbers in lists can tell apart.
const pairsMax = 1<<31 - 2

func packPair(a, b uint32) uint64 { return uint64(a)<<32 | uint64(b) }

func unpackPair(key uint64) Pair { return Pair{uint32(key >> 32), uint32(key)} }

func (l *pairList) reset() { l.keys, l.places = l.keys[:0], l.places[:0] }

// add lists pair number k.
func (l *pairList) add(p *linkedPair, k uint32) {
	l.keys = append(l.keys, packPair(p.id[0], p.id[1]))
	l.places = append(l.places, k)
}

// order returns items that name the pairs, ascending.
func (l *pairList) order() []uint64 {
	items, _ := l.sort.Order(l.keys, radix.Options{}) // fails only when it is cancelled
	return items
}

// findAll lists all pairs of a view.
func (l *pairList) findAll(v linear.View, flt PairFilter) {
	flt.Exact = false
	w := takePairs(v, v, flt, true)
	for w.next() {
		l.keys = slices.Grow(l.keys, countHits(w.walk.Hits))
		for _, h := range w.walk.Hits {
			a, row := w.x.Packets.IDs[h.A>>4][h.A&(asm.Lanes-1)], &w.y.Packets.IDs[h.B]
			for m := h.Mask; m != 0; m &= m - 1 {
				b := row[bits.TrailingZeros32(m)&(asm.Lanes-1)]
				l.keys = append(l.keys, packPair(min(a, b), max(a, b)))
			}
		}
	}
	w.release()
}

// findChanged lists the pairs of changed objects in a store, those of two once.
func (l *pairList) findChanged(s *soa.Store, c *changedObjects, flt *PairFilter) {
	w := c.against(s, flt)
	for w.next() {
		l.keys = slices.Grow(l.keys, countHits(w.walk.Hits))
		for _, h := range w.walk.Hits {
			a, row := c.store.Packets.IDs[h.A>>4][h.A&(asm.Lanes-1)], &s.Packets.IDs[h.B]
			for m := h.Mask; m != 0; m &= m - 1 {
				b := row[bits.TrailingZeros32(m)&(asm.Lanes-1)]
				if b > a || b < a && !c.has(b) {
					l.keys = append(l.keys, packPair(min(a, b), max(a, b)))
				}
			}
		}
	}
	w.leave()
}
