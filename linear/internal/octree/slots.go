package octree

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// Slots of packets. A node of packets owns the slots of its packets, and if these are contiguous all slots of its span.
// A build makes all spans contiguous. A node that outgrows its span takes the slots after it, if these are free, or
// single slots nearby: its span is then empty. All slots that are neither owned nor pending are free. So the set of
// free slots follows from the columns, and is not saved.

// SlotSet is a set of slots, searched from any slot on. The zero SlotSet is empty.
type SlotSet struct{ bits *slotBits } // nil before the first slot: many trees are small

type slotBits struct {
	words []uint64 // one bit per slot
	some  []uint64 // one bit per word that is not 0
	full  []uint64 // one bit per word whose slots are all in the set
	n     int      // number of slots
}

// Len returns the number of slots.
func (f *SlotSet) Len() int {
	if f.bits == nil {
		return 0
	}
	return f.bits.n
}

// Add adds a slot that is not in the set.
func (f *SlotSet) Add(slot uint32) {
	if f.bits == nil {
		f.bits = new(slotBits)
	}
	b, w := f.bits, int(slot>>6)
	if w >= len(b.words) {
		b.words = append(b.words, make([]uint64, w+1-len(b.words))...)
		b.some = append(b.some, make([]uint64, w>>6+1-len(b.some))...)
		b.full = append(b.full, make([]uint64, w>>6+1-len(b.full))...)
	}
	b.words[w] |= 1 << (slot & 63)
	b.some[w>>6] |= 1 << (w & 63)
	if b.words[w] == ^uint64(0) {
		b.full[w>>6] |= 1 << (w & 63)
	}
	b.n++
}

// Remove removes a slot that is in the set.
func (f *SlotSet) Remove(slot uint32) {
	b, w := f.bits, slot>>6
	b.full[w>>6] &^= 1 << (w & 63)
	if b.words[w] &^= 1 << (slot & 63); b.words[w] == 0 {
		b.some[w>>6] &^= 1 << (w & 63)
	}
	b.n--
}

// Has reports whether a slot is in the set.
func (f *SlotSet) Has(slot uint32) bool {
	b := f.bits
	return b != nil && int(slot>>6) < len(b.words) && b.words[slot>>6]>>(slot&63)&1 != 0
}

// Next returns the first slot of the set that is not below from; ok is false if there is none.
func (f *SlotSet) Next(from uint32) (slot uint32, ok bool) {
	b, w := f.bits, int(from>>6)
	if b == nil || w >= len(b.words) {
		return 0, false
	}
	if m := b.words[w] >> (from & 63); m != 0 {
		return from + uint32(bits.TrailingZeros64(m)), true
	}
	w++
	for k, shift := w>>6, w&63; k < len(b.some); k, shift = k+1, 0 {
		if m := b.some[k] >> shift << shift; m != 0 {
			w = k<<6 + bits.TrailingZeros64(m)
			return uint32(w<<6 + bits.TrailingZeros64(b.words[w])), true
		}
	}
	return 0, false
}

// runTries is the number of runs of free slots that are compared with the wanted length.
const runTries = 64

// run returns the first of n contiguous slots of the set: one of the next few runs of slots from near on, and then from
// the beginning on. If all of these are shorter, it returns the start of a run of 64 slots or more, such as subtrees
// leave that have been removed.
func (f *SlotSet) run(near uint32, n int) (first uint32, ok bool) {
	if n > f.Len() {
		return 0, false
	}
	words, rest := f.bits.words, uint64(0) // the slots of a word that are left
	for tries := runTries; tries > 0; tries-- {
		if rest == 0 {
			if first, ok = f.Next(near); !ok {
				if first, ok = f.Next(0); !ok {
					return 0, false
				}
			}
			rest = words[first>>6] >> (first & 63) << (first & 63)
			if areShort(rest, n) {
				near = first&^63 + 64
				tries -= bits.OnesCount64(rest&^(rest<<1)) - 1
				rest = 0
				continue
			}
		} else {
			first = first&^63 + uint32(bits.TrailingZeros64(rest))
		}
		length := bits.TrailingZeros64(^(rest >> (first & 63)))
		near = first + uint32(length)
		if rest = rest >> (near & 63) << (near & 63); near&63 == 0 {
			rest = 0
			for w := int(near >> 6); length < n && w < len(words); w++ { // it goes on in the next word
				more := bits.TrailingZeros64(^words[w])
				length += more
				if near += uint32(more); more < 64 {
					break
				}
			}
		}
		if length >= n {
			return first, true
		}
	}
	w, ok := f.fullWord(int(near >> 6))
	if !ok {
		w, ok = f.fullWord(0)
	}
	if !ok || n > 64 {
		return 0, false
	}
	if first = uint32(w << 6); w > 0 {
		first -= uint32(bits.LeadingZeros64(^words[w-1]))
	}
	return first, true
}

// areShort reports whether all runs of slots of a word are shorter than n, and none goes on in the next word.
func areShort(word uint64, n int) bool {
	if word>>63 != 0 {
		return false
	}
	for length := 1; length < n && word != 0; { // the slots where runs of so many begin
		more := min(length, n-length)
		word &= word >> more
		length += more
	}
	return word == 0
}

// fullWord returns the first word from w on whose slots are all in the set.
func (f *SlotSet) fullWord(w int) (next int, ok bool) {
	for k, shift := w>>6, w&63; k < len(f.bits.full); k, shift = k+1, 0 {
		if m := f.bits.full[k] >> shift << shift; m != 0 {
			return k<<6 + bits.TrailingZeros64(m), true
		}
	}
	return 0, false
}

// Clear empties the set and keeps its memory.
func (f *SlotSet) Clear() {
	if b := f.bits; b != nil {
		b.words, b.some, b.full, b.n = b.words[:0], b.some[:0], b.full[:0], 0
	}
}

// Clone returns a copy of the set.
func (f *SlotSet) Clone() SlotSet {
	if f.Len() == 0 {
		return SlotSet{}
	}
	return SlotSet{&slotBits{slices.Clone(f.bits.words), slices.Clone(f.bits.some), slices.Clone(f.bits.full), f.bits.n}}
}

// spareSlots returns the number of slots that can be allocated.
func (t *Tree) spareSlots() int {
	p := &t.Store.Packets
	return t.Free.Len() + p.Limit() - len(p.Counts)
}

// forgetFree empties the set of free slots, and forgets reserved ones, when all packets are replaced.
func (t *Tree) forgetFree() {
	t.Free.Clear()
	if t.records != nil {
		t.records.slots = t.records.slots[:0]
	}
}

// allocSlot returns an empty slot: the first free one from near on, else the first one of all, else a new one.
func (t *Tree) allocSlot(near uint32) uint32 {
	slot, ok := t.Free.Next(near)
	if !ok {
		slot, ok = t.Free.Next(0)
	}
	if !ok {
		return t.addSlots(1)
	}
	t.Free.Remove(slot)
	return slot
}

// freeOneIn is the smallest share of free slots, one in so many, with which a node gets single slots.
const freeOneIn = 64

// allocSpan allocates n contiguous slots near a slot: free ones, or new ones if few are free. Otherwise ok is false.
func (t *Tree) allocSpan(n int, near uint32) (span soa.Span, ok bool) {
	first, ok := t.Free.run(near, n)
	switch {
	case ok:
		for slot := first; slot < first+uint32(n); slot++ {
			t.Free.Remove(slot)
		}
	case t.Free.Len() < n || t.Free.Len() < len(t.Store.Packets.Counts)/freeOneIn:
		first = t.addSlots(n)
	default:
		return span, false
	}
	return soa.Span{First: first, End: first + uint32(n)}, true
}

// makeContiguous prepares a node for n packets in contiguous slots. If its span and the free slots after it are too
// few, the node drops its packets and gets a new span, if there is one. The caller has copied the objects.
func (t *Tree) makeContiguous(node uint32, n int, near uint32) {
	s := t.Store.Nodes.Slots[node]
	if s.End != 0 {
		for int(s.End-s.First) < n && t.Free.Has(s.End) {
			s.End++
		}
		if int(s.End-s.First) >= n {
			return
		}
	}
	if span, ok := t.allocSpan(n, near); ok {
		t.dropPackets(node, 0)
		t.releaseSlots(node)
		t.setSlots(node, span)
		t.scatter(t.Store.Nodes.Parents[node])
	}
}

// addPackets appends empty packets to a node until it has n. The slots of its first ones are near a slot.
func (t *Tree) addPackets(node uint32, n int, near uint32) {
	nodes := &t.Store.Nodes
	if nodes.Used[node] == 0 && nodes.Slots[node].End == 0 {
		if span, ok := t.allocSpan(n, near); ok {
			t.setSlots(node, span)
		}
	}
	for l := int(nodes.Used[node]); l < n; l++ {
		slot := uint32(0)
		if l == 0 && nodes.Slots[node].End == 0 {
			slot = t.allocSlot(near)
		} else {
			slot = t.slotFor(node)
		}
		t.insertLane(node, l, soa.PacketRef(slot), soa.NoKey)
	}
}

// slotFor returns an empty slot for another packet of a node that has some packets or slots. The node owns it as soon
// as a lane refers to it.
func (t *Tree) slotFor(node uint32) (slot uint32) {
	n, owners := &t.Store.Nodes, t.Store.Packets.Parents
	span := n.Slots[node]
	if span.End == 0 {
		return t.allocSlot(n.Hot[node].Child[n.Used[node]-1].Index())
	}
	if t.freeSlots(node) > 0 {
		for slot = span.First; owners[slot] != soa.NoParent; {
			slot++
		}
		return slot
	}
	if slot = t.allocSlot(span.End); slot == span.End {
		t.setSlots(node, soa.Span{First: span.First, End: slot + 1})
	} else {
		t.setSlots(node, soa.Span{})
	}
	t.scatter(n.Parents[node])
	return slot
}

// freeSlots returns the number of slots of a node of packets that no lane refers to.
func (t *Tree) freeSlots(node uint32) int {
	n := &t.Store.Nodes
	if span := n.Slots[node]; span.End != 0 {
		return int(span.End-span.First) - int(n.Used[node])
	}
	return 0
}

// keptSlots is the largest number of slots without a packet that a node keeps for later ones.
const keptSlots = 2

// dropSlot empties a slot of a node that no lane refers to any more.
func (t *Tree) dropSlot(node, slot uint32) {
	t.clearSlot(slot)
	if t.Store.Nodes.Slots[node].End == 0 {
		t.Free.Add(slot)
	} else if t.freeSlots(node) > keptSlots {
		t.releaseSlots(node)
	}
}

// releaseSlots frees the slots of a node that no lane refers to.
func (t *Tree) releaseSlots(node uint32) {
	n, owners := &t.Store.Nodes, t.Store.Packets.Parents
	span := n.Slots[node]
	if t.freeSlots(node) == 0 {
		return
	}
	kept := soa.Span{First: soa.None}
	for slot := span.First; slot < span.End; slot++ {
		if owners[slot] == soa.NoParent {
			t.Free.Add(slot)
			continue
		}
		kept.First, kept.End = min(kept.First, slot), slot+1
	}
	if int(kept.End)-int(kept.First) != int(n.Used[node]) || kept.End == 0 {
		kept = soa.Span{}
	}
	t.setSlots(node, kept)
	t.scatter(n.Parents[node])
}

// joinSlots gives the slots of a node of packets to another one. The caller moves the lanes first, and frees the node.
func (t *Tree) joinSlots(to, from uint32) {
	n := &t.Store.Nodes
	a, b := n.Slots[to], n.Slots[from]
	switch {
	case a.End == 0 || b.End == 0 || a.End != b.First && b.End != a.First:
		for _, span := range [...]soa.Span{a, b} {
			for slot := span.First; slot < span.End; slot++ {
				if t.Store.Packets.Parents[slot] == soa.NoParent {
					t.Free.Add(slot)
				}
			}
		}
		t.setSlots(to, soa.Span{})
		t.scatter(n.Parents[to])
	default:
		t.setSlots(to, soa.Span{First: min(a.First, b.First), End: max(a.End, b.End)})
		if t.freeSlots(to) > keptSlots {
			t.releaseSlots(to)
		}
	}
}

// FindFree computes the set of free slots of a tree that has been loaded. Spans beyond the columns are cut off. The
// time is linear in nodes and slots, whatever the spans.
func (t *Tree) FindFree() {
	n, p := &t.Store.Nodes, &t.Store.Packets
	slots := uint32(len(p.Counts))
	begun := make([]int32, slots+1) // at a slot, the spans that begin there minus those that end
	own := func(s soa.Span) {
		if s.First < min(s.End, slots) {
			begun[s.First]++
			begun[min(s.End, slots)]--
		}
	}
	for _, slot := range t.Store.Pending {
		if slot < slots {
			own(soa.Span{First: slot, End: slot + 1})
		}
	}
	for i, used := range n.Used {
		if used > 0 && n.Height[i] == 0 {
			own(n.Slots[i])
		}
	}
	t.Free.Clear()
	owners := int32(0)
	for slot, up := range p.Parents {
		if owners += begun[slot]; owners == 0 && up == soa.NoParent {
			t.Free.Add(uint32(slot))
		}
	}
}
