package query

// pairLinks holds pairs so that those of an object are found, and each is
// removed in constant time. A pair is in the lists of both of its objects, which
// are linked through the pairs:
//
//	half    pair<<1 | side, side 0 for A and 1 for B
//	first   by object: 1 + the half that is first in its list, 0: none
//	next    of a half: 1 + the next half in the list of that object, 0: none
//	prev    of a half: 1 + the one before it, 0: it is the first
//
// Free pairs have A == B and are linked through next[0].
type pairLinks struct {
	pairs []linkedPair
	first []uint32
	free  uint32 // 1 + first free pair, 0: none
	live  int
}

type linkedPair struct {
	id         [2]uint32 // A, B
	next, prev [2]uint32
	born       uint64 // update with which it began
}

// add inserts a pair and returns its number.
func (l *pairLinks) add(p Pair, born uint64) {
	k := l.free
	if k != 0 {
		k--
		l.free = l.pairs[k].next[0]
	} else {
		k = uint32(len(l.pairs))
		l.pairs = append(l.pairs, linkedPair{})
	}
	for uint64(p.B) >= uint64(len(l.first)) {
		l.first = append(l.first, 0)
	}
	l.pairs[k] = linkedPair{id: [2]uint32{p.A, p.B}, born: born}
	for side, id := range l.pairs[k].id {
		half := k<<1 | uint32(side)
		next := l.first[id]
		l.pairs[k].next[side] = next
		if next != 0 {
			l.setPrev(next-1, half+1)
		}
		l.first[id] = half + 1
	}
	l.live++
}

func (l *pairLinks) setPrev(half, to uint32) { l.pairs[half>>1].prev[half&1] = to }

// remove frees a pair.
func (l *pairLinks) remove(k uint32) {
	p := &l.pairs[k]
	for side, id := range p.id {
		next, prev := p.next[side], p.prev[side]
		if next != 0 {
			l.setPrev(next-1, prev)
		}
		if prev != 0 {
			h := prev - 1
			l.pairs[h>>1].next[h&1] = next
		} else {
			l.first[id] = next
		}
	}
	*p = linkedPair{}
	p.next[0] = l.free
	l.free = k + 1
	l.live--
}

// reset removes all pairs and keeps the memory.
func (l *pairLinks) reset() {
	clear(l.first)
	l.pairs, l.free, l.live = l.pairs[:0], 0, 0
}

// each yields the pairs but those born with an update.
func (l *pairLinks) each(yield func(Pair) bool, but uint64) {
	for i := range l.pairs {
		if p := &l.pairs[i]; p.id[0] != p.id[1] && p.born != but && !yield(Pair{p.id[0], p.id[1]}) {
			return
		}
	}
}

// eachOf yields the partners of an object.
func (l *pairLinks) eachOf(id uint32, yield func(uint32) bool) {
	if uint64(id) >= uint64(len(l.first)) {
		return
	}
	for half := l.first[id]; half != 0; {
		p, side := &l.pairs[(half-1)>>1], (half-1)&1
		if !yield(p.id[side^1]) {
			return
		}
		half = p.next[side]
	}
}

// appendAll lists all pairs.
func (l *pairLinks) appendAll(to *pairList) {
	for i := range l.pairs {
		if p := &l.pairs[i]; p.id[0] != p.id[1] {
			to.add(p, uint32(i))
		}
	}
}

// appendOf lists the pairs of changed objects, those of two once.
func (l *pairLinks) appendOf(to *pairList, c *changedObjects) {
	for _, id := range c.ids {
		if uint64(id) >= uint64(len(l.first)) {
			continue
		}
		for half := l.first[id]; half != 0; {
			k, side := (half-1)>>1, (half-1)&1
			p := &l.pairs[k]
			if other := p.id[side^1]; other > id || !c.has(other) {
				to.add(p, k)
			}
			half = p.next[side]
		}
	}
}
