package collide

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// list is a list of pairs to be sorted.
type list struct {
	keys    []uint64 // A<<32 | B
	indices []uint32 // indices of the pairs in links; or empty

	table []uint32 // open addressing: 1 + index in keys, 0: none
	shift uint     // 64 - log2 of the length of the table

	sort         radix.Scratch
	sortedKeys   []uint64
	sortedPlaces []uint32
}

func pack(a, b uint32) uint64 { return uint64(a)<<32 | uint64(b) }

func unpack(key uint64) Pair { return Pair{uint32(key >> 32), uint32(key)} }

func (l *list) reset() { l.keys, l.indices = l.keys[:0], l.indices[:0] }

// grow reserves room for n more.
func (l *list) grow(n int) {
	l.keys, l.indices = slices.Grow(l.keys, n), slices.Grow(l.indices, n)
}

// order sorts the pairs in ascending order.
func (l *list) order() {
	items, _ := l.sort.Order(l.keys, radix.Options{}) // fails only if it is cancelled
	n := len(items)
	sorted := slices.Grow(l.sortedKeys[:0], n)[:n]
	for i, item := range items {
		sorted[i] = l.keys[radix.Index(item)]
	}
	l.keys, l.sortedKeys = sorted, l.keys
	if len(l.indices) > 0 {
		sorted := slices.Grow(l.sortedPlaces[:0], n)[:n]
		for i, item := range items {
			sorted[i] = l.indices[radix.Index(item)]
		}
		l.indices, l.sortedPlaces = sorted, l.indices
	}
}

// addPairs adds pairs without their indices.
func (l *list) addPairs(pairs []Pair) {
	for _, p := range pairs {
		l.keys = append(l.keys, pack(p.A, p.B))
	}
}

// appendPairs appends the pairs.
func (l *list) appendPairs(dst []Pair) []Pair {
	for _, key := range l.keys {
		dst = append(dst, unpack(key))
	}
	return dst
}

// slot returns the first slot to probe for a pair in the table.
func (l *list) slot(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> l.shift }

// index fills the hash table.
func (l *list) index() {
	log := bits.Len(uint(2*len(l.keys) + 1)) // at most half full
	l.shift = uint(64 - log)
	l.table = slices.Grow(l.table[:0], 1<<log)[:1<<log]
	clear(l.table)
	last := uint64(len(l.table) - 1)
	for i, key := range l.keys {
		k := l.slot(key)
		for l.table[k] != 0 {
			k = (k + 1) & last
		}
		l.table[k] = uint32(i) + 1
	}
}

// find returns the index of a pair in an indexed list, or -1.
func (l *list) find(key uint64) int {
	last := uint64(len(l.table) - 1)
	k := l.slot(key)
	for l.table[k] != 0 && l.keys[l.table[k]-1] != key {
		k = (k + 1) & last
	}
	return int(l.table[k]) - 1
}

// matched replaces a key that has been found. No pair has this key.
const matched = ^uint64(0)

// subtract removes the pairs that an indexed list also holds, and replaces them by met there.
// Renewed pairs stay in both.
func (l *list) subtract(other *list, r *renewal) {
	n := 0
	for _, key := range l.keys {
		l.keys[n] = key
		if i := other.find(key); i >= 0 && !r.of(key) {
			other.keys[i] = matched
			continue
		}
		n++
	}
	l.keys = l.keys[:n]
}

// dropMet removes the keys that subtract replaced by met.
func (l *list) dropMet() {
	n := 0
	if len(l.indices) == 0 {
		l.keys = slices.DeleteFunc(l.keys, func(key uint64) bool { return key == matched })
		return
	}
	for i, key := range l.keys {
		l.keys[n], l.indices[n] = key, l.indices[i]
		if key != matched {
			n++
		}
	}
	l.keys, l.indices = l.keys[:n], l.indices[:n]
}

// findChanged lists the pairs of changed objects in a view, pairs of two changed ones once.
func (l *list) findChanged(v linear.View, c *changedObjects, flt *Filter) {
	w, s := c.against(v, flt), v.Store()
	c.ids.Cover(len(s.Log.Born))
	for w.next() {
		n := len(l.keys)
		l.keys = slices.Grow(l.keys, pair.CountHits(w.walk.Hits))
		keys := l.keys[:cap(l.keys)]
		for i := range w.walk.Hits {
			h := &w.walk.Hits[i]
			a, row := c.along[h.A], &s.Packets.IDs[h.B]
			for m := h.Mask; m != 0; m &= m - 1 {
				b := row[bits.TrailingZeros32(m)&(soa.Lanes-1)]
				keys[n] = pack(min(a, b), max(a, b))
				n += int(c.once(a, b))
			}
		}
		l.keys = keys[:n]
	}
	w.leave()
}
