package collide

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/internal/mem"
)

// links stores pairs in linked adjacency lists: it finds the pairs of an object, and removes each
// in constant time. A pair is in the lists of both of its objects, which are linked through the
// pairs. Pair 0 is the null pair: values written to it are never read.
//
//	half    pair<<1 | side, side 0 for A and 1 for B
//	first   by object: the first half of its list, 0: none
//	next    of a half: the next half in the list of that object, 0: none
//	prev    of a half: the previous one, 0: it is the first
//	since   by object that has pairs: the generation of its ID,
//	        the number of the change that inserted it
//
// Free pairs have A == B and are linked through next[0].
type links struct {
	pairs []link
	first []uint32
	since []uint64
	free  uint32 // first free pair, 0: none
	live  int

	turn      uint64   // updates and resets: iterations are valid until the next
	lists     []uint32 // for appendOf: the next halves
	readAhead uint32   // sum of the values read ahead: keeps the reads
}

type link struct {
	id         [2]uint32 // A, B
	next, prev [2]uint32
	generation uint64 // update in which it began
}

// maxPairs is the largest number of pairs that halves can index.
const maxPairs = 1<<31 - 1

// Pairs are removed and added in steps of linkStep, after their cache lines have been prefetched
// by independent reads. Reads that follow links would wait for each other.
const linkStep = 128

// removeAll frees pairs.
func (l *links) removeAll(pairs []uint32) {
	for len(pairs) > 0 {
		step := pairs[:min(linkStep, len(pairs))]
		pairs = pairs[len(step):]
		sum := uint32(0)
		for _, k := range step {
			p := &l.pairs[k]
			sum += l.pairs[p.next[0]>>1].id[0] + l.pairs[p.next[1]>>1].id[0] + l.first[p.id[0]] +
				l.pairs[p.prev[0]>>1].id[0] + l.pairs[p.prev[1]>>1].id[0] + l.first[p.id[1]]
		}
		l.readAhead = sum // or the compiler would remove the reads
		for _, k := range step {
			l.remove(k)
		}
	}
}

func (l *links) remove(k uint32) {
	p := &l.pairs[k]
	for side, id := range p.id {
		next, prev := p.next[side], p.prev[side]
		l.pairs[next>>1].prev[next&1] = prev
		if prev != 0 {
			l.pairs[prev>>1].next[prev&1] = next
		} else {
			l.first[id] = next
		}
	}
	*p = link{next: [2]uint32{l.free}}
	l.free = k
	l.live--
}

// addAll inserts pairs that begin in an update; born holds the changes that inserted their
// objects, by ID.
func (l *links) addAll(pairs []Pair, update uint64, born []uint64) {
	l.reserve(pairs)
	for len(pairs) > 0 {
		step := pairs[:min(linkStep, len(pairs))]
		pairs = pairs[len(step):]
		sum := uint32(0)
		for _, p := range step {
			sum += l.pairs[l.first[p.A]>>1].id[0] + l.pairs[l.first[p.B]>>1].id[0]
		}
		l.readAhead = sum
		for _, p := range step {
			l.add(p, update)
			l.since[p.A], l.since[p.B] = born[p.A], born[p.B]
		}
	}
}

// reserve makes room for pairs.
func (l *links) reserve(pairs []Pair) {
	if len(l.pairs) == 0 {
		l.pairs = append(mem.Fresh(l.pairs, len(pairs)+1)[:0], link{}) // the null pair
	}
	n := len(l.pairs)
	l.pairs = mem.Resize(l.pairs, max(l.live+1+len(pairs), n))[:n]
	ids := len(l.first)
	for _, p := range pairs {
		ids = max(ids, int(p.B)+1)
	}
	known := len(l.first)
	l.first = mem.Resize(l.first, ids)
	clear(l.first[known:])
	l.since = mem.Resize(l.since, ids)
}

func (l *links) add(p Pair, update uint64) {
	k := l.free
	if k != 0 {
		l.free = l.pairs[k].next[0]
	} else {
		k = uint32(len(l.pairs))
		l.pairs = append(l.pairs, link{})
	}
	a, b := l.first[p.A], l.first[p.B]
	l.pairs[k] = link{id: [2]uint32{p.A, p.B}, next: [2]uint32{a, b}, generation: update}
	l.pairs[a>>1].prev[a&1] = k << 1
	l.pairs[b>>1].prev[b&1] = k<<1 | 1
	l.first[p.A], l.first[p.B] = k<<1, k<<1|1
	l.live++
}

// Up to pairsKept pairs, or pairsSpare times the live ones, stay allocated.
const (
	pairsKept  = 1 << 12
	pairsSpare = 8
)

// shrink moves the pairs to new memory if most of it is unused, and reports whether it did. Their
// order stays.
func (l *links) shrink() bool {
	if len(l.pairs) <= max(pairsKept, pairsSpare*l.live) {
		return false
	}
	clear(l.first)
	l.pack(2*l.live + 1)
	return true
}

// pack moves the pairs to new memory with room for that many, without free ones between them. The
// lists must be empty.
func (l *links) pack(room int) {
	old := l.pairs
	l.pairs, l.free, l.live = append(mem.Fresh[link](nil, room)[:0], link{}), 0, 0
	for i := range old {
		if p := &old[i]; p.id[0] != p.id[1] {
			l.add(Pair{p.id[0], p.id[1]}, p.generation)
		}
	}
}

// trim frees memory: room remains for the current pairs and their objects.
func (l *links) trim() {
	ids := 0
	for i := range l.pairs {
		ids = max(ids, int(l.pairs[i].id[1])+1)
	}
	if l.turn++; l.live == 0 {
		*l = links{turn: l.turn}
		return
	}
	l.first = make([]uint32, ids)
	l.since = slices.Clone(l.since[:ids])
	l.lists = nil
	l.pack(l.live + 1)
}

// reset removes all pairs and keeps the memory.
func (l *links) reset() {
	clear(l.first)
	l.pairs, l.free, l.live = l.pairs[:0], 0, 0
	l.turn++
}

// during panics if the pairs have changed since a turn.
func (l *links) during(turn uint64) {
	if l.turn != turn {
		panic(fmt.Sprintf("collide: a Tracker was updated, reset or trimmed during an iteration, %d times", l.turn-turn))
	}
}

// each yields the pairs except those born in an update.
func (l *links) each(yield func(Pair) bool, but uint64) {
	turn := l.turn
	for i := range l.pairs {
		p := &l.pairs[i]
		if p.id[0] == p.id[1] || p.generation == but {
			continue
		}
		if !yield(Pair{p.id[0], p.id[1]}) {
			return
		}
		l.during(turn)
	}
}

// eachOf yields the partners of an object.
func (l *links) eachOf(id uint32, yield func(uint32) bool) {
	if uint64(id) >= uint64(len(l.first)) {
		return
	}
	turn := l.turn
	for half := l.first[id]; half != 0; {
		p, side := &l.pairs[half>>1], half&1
		if !yield(p.id[side^1]) {
			return
		}
		l.during(turn)
		half = p.next[side]
	}
}

// appendAll lists all pairs.
func (l *links) appendAll(to *list) {
	to.grow(l.live)
	for i := range l.pairs {
		if p := &l.pairs[i]; p.id[0] != p.id[1] {
			to.keys = append(to.keys, pack(p.id[0], p.id[1]))
			to.indices = append(to.indices, uint32(i))
		}
	}
}

// walkShare is the share of all pairs, one in so many, up to which the steps of walks through lists, which miss the
// cache, cost less than a search for each pair in the order of memory. The first walks show how long they are.
// (go test ./query/collide -run '^$' -bench TrackerDense)
const walkShare, firstWalks = 8, 64

// findAll fills in the indices of pairs that exist and are listed without them. It walks the lists of their objects.
// If that would take too many steps, because the objects have many pairs each, it reads all pairs instead.
func (l *links) findAll(to *list) {
	if len(to.indices) == len(to.keys) {
		return
	}
	most, steps := len(l.pairs)/walkShare, 0
	for i, key := range to.keys {
		k, walked := l.find(unpack(key), most-steps)
		if steps += walked; steps == most || i == firstWalks && steps*(len(to.keys)/firstWalks) > most {
			l.searchAll(to)
			return
		}
		to.indices = append(to.indices, k)
	}
}

// searchAll is findAll by a search for each existing pair in the list.
func (l *links) searchAll(to *list) {
	found := 0
	to.index()
	to.indices = slices.Grow(to.indices[:0], len(to.keys))[:len(to.keys)]
	for k := range l.pairs {
		if p := &l.pairs[k]; p.id[0] != p.id[1] {
			if i := to.find(pack(p.id[0], p.id[1])); i >= 0 {
				to.indices[i] = uint32(k)
				found++
			}
		}
	}
	if found != len(to.keys) {
		panic(fmt.Sprintf("collide: %d pairs of %d exist", found, len(to.keys)))
	}
}

// find returns the index of an existing pair, and the number of steps. It walks the lists of both objects in parallel,
// so the shorter one determines the cost. After most steps it ends without a result.
func (l *links) find(p Pair, most int) (k uint32, steps int) {
	id := [2]uint32{p.A, p.B}
	for a, b := l.first[p.A], l.first[p.B]; a != 0 && b != 0; a, b = l.pairs[a>>1].next[a&1], l.pairs[b>>1].next[b&1] {
		if steps == most {
			return 0, steps
		}
		if l.pairs[a>>1].id == id {
			return a >> 1, steps
		}
		if l.pairs[b>>1].id == id {
			return b >> 1, steps
		}
		steps++
	}
	panic(fmt.Sprintf("collide: no pair of %d and %d", p.A, p.B))
}

// appendOf lists the pairs of changed objects, pairs of two changed ones once. It walks the lists of all objects in
// parallel, so that cache misses overlap. The set of changed IDs has room for the lower ID of each pair, because one of
// the two has changed.
func (l *links) appendOf(to *list, c *changedObjects) {
	lists := l.lists[:0]
	for _, id := range c.ids.List {
		if uint64(id) < uint64(len(l.first)) {
			lists = append(lists, l.first[id])
		}
	}
	l.lists = lists
	for lists = endLists(lists); len(lists) > 0; lists = endLists(lists) {
		n := len(to.keys)
		to.grow(len(lists))
		keys, places := to.keys[:n+len(lists)], to.indices[:n+len(lists)]
		for i, half := range lists {
			k, side := half>>1, half&1
			p := &l.pairs[k]
			keys[n], places[n] = pack(p.id[0], p.id[1]), k
			n += int(1 - side&c.ids.Bit(p.id[0])) // found from A instead, if A has changed
			lists[i] = p.next[side]
		}
		to.keys, to.indices = keys[:n], places[:n]
	}
}

// endLists removes exhausted lists.
func endLists(lists []uint32) []uint32 {
	n := 0
	for _, half := range lists {
		lists[n] = half
		if half != 0 {
			n++
		}
	}
	return lists[:n]
}
