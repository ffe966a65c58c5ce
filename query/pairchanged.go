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

// findChanged lists the pairs of changed objects in a view, those of two once.
func (l *pairList) findChanged(v linear.View, c *changedObjects, flt PairFilter) {
	w := takePairs(c.view(), v, flt, false)
	for w.next() {
		l.keys = slices.Grow(l.keys, countHits(w.walk.Hits))
		for _, h := range w.walk.Hits {
			a, row := c.live[w.x.Packets.IDs[h.A>>4][h.A&(asm.Lanes-1)]], &w.y.Packets.IDs[h.B]
			for m := h.Mask; m != 0; m &= m - 1 {
				b := row[bits.TrailingZeros32(m)&(asm.Lanes-1)]
				if b > a || b < a && !c.has(b) {
					l.keys = append(l.keys, packPair(min(a, b), max(a, b)))
				}
			}
		}
	}
	w.release()
}

// changedObjects are the objects that changed between two updates.
type changedObjects struct {
	ids     []uint32 // each once
	bits    []uint64 // their set
	live    []uint32 // those that are there now
	objects []soa.Object
	tree    *linear.Tree // of the live ones, under their index
	index   []uint32
}

// read takes over the changes, of each object the last. It reports whether they
// are few.
func (c *changedObjects) read(changes []soa.Change, live int) bool {
	for _, id := range c.ids {
		c.bits[id>>6] = 0
	}
	c.ids, c.live, c.objects = c.ids[:0], c.live[:0], c.objects[:0]
	for i := len(changes) - 1; i >= 0; i-- {
		o := &changes[i]
		for int(o.ID>>6) >= len(c.bits) {
			c.bits = append(c.bits, 0)
		}
		if c.has(o.ID) {
			continue
		}
		c.bits[o.ID>>6] |= 1 << (o.ID & 63)
		c.ids = append(c.ids, o.ID)
		if !o.Gone {
			c.live = append(c.live, o.ID)
			c.objects = append(c.objects, o.Object)
		}
	}
	return len(c.ids) <= max(changedMin, live/changedShare)
}

// Up to changedMin changed objects, or one of changedShare of all, it is faster
// to look for their pairs than for all.
const (
	changedMin   = 16
	changedShare = 8
)

// has reports whether an object changed.
func (c *changedObjects) has(id uint32) bool {
	w := int(id >> 6)
	return w < len(c.bits) && c.bits[w]>>(id&63)&1 != 0
}

// view returns a frozen tree of the live objects.
func (c *changedObjects) view() linear.View {
	if c.tree == nil {
		// The configuration is valid.
		c.tree, _ = linear.New(linear.Config{Frozen: true, Workers: 1})
	}
	c.tree.Clear()
	// The boxes have been in a tree, which refuses what this one would.
	c.index, _ = c.tree.InsertBatch(c.index[:0], c.objects)
	return c.tree.View()
}
