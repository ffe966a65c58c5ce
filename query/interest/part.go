package interest

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// part is the state of one worker: scratch lists, and the events of the viewers that it has processed.
type part struct {
	number int
	bits   []uint64 // a set of IDs, empty between two viewers
	events []uint32

	outer, inner   []uint32 // query results for the volumes to leave by and to enter by
	old            []uint32 // objects that were in view and still exist
	removed, added []uint32 // IDs of the view before and now that pair has not matched
	entered        []uint32
	left           []uint32
	touched        []uint32

	cullers []areaSight // cullers for areas of visible objects
	seen    []uint32    // visible objects, by viewer

	scenePart
}

// room returns a list of n elements with unspecified contents.
func room(list []uint32, n int) []uint32 {
	if n > cap(list) {
		return make([]uint32, n+n/8+soa.Lanes)
	}
	return list[:n]
}

// updateViewer updates a viewer to the state of the frame.
func (p *part) updateViewer(f *frame, w *viewer) {
	p.entered, p.left, p.touched = p.entered[:0], p.left[:0], p.touched[:0]
	if f.renewed { // all of them are of another tree
		p.left = append(p.left, w.view...)
		w.view = w.view[:0]
	}
	if w.asked && f.few && w.area.kind != sights && (w.area.kind != frusta || !f.rescaled) {
		p.follow(f, w)
	} else {
		p.ask(f, w)
	}
	w.asked = true
	p.emitEvents(f, w)
}

// ask queries the tree for all objects in view.
func (p *part) ask(f *frame, w *viewer) {
	p.outer = p.appendObjects(p.outer[:0], f, f.store, w, leave)
	old := w.view
	if f.delta.ends > 0 {
		p.old = room(p.old, len(old))
		old = p.old[:p.split(f.delta.ended, old)]
	}
	dirty := f.delta.dirty
	if f.delta.count == 0 {
		dirty = nil
	}
	if w.area.margin {
		p.askMargin(f, f.store, w)
		p.compareMargin(old, dirty)
		w.replace(p.outer)
		return
	}
	p.compare(old, dirty)
	if len(p.entered)+len(p.left) > 0 {
		w.replace(p.outer)
	}
}

// appendObjects appends the objects of a store that intersect one of the volumes of a viewer. For areas of visible
// objects it copies the result of [Tracker.seeAll], which covers the whole tree.
func (p *part) appendObjects(dst []uint32, f *frame, s *soa.Store, w *viewer, which int) []uint32 {
	if w.area.kind == sights {
		seen := &w.seen[which]
		return append(dst, seen.by.seen[seen.from:seen.to]...)
	}
	return w.area.append(dst, s, which, &f.keep)
}

// split moves the IDs in a set to left, and the others to old. It returns the number of the others.
func (p *part) split(set []uint64, ids []uint32) (n int) {
	for _, id := range ids {
		p.old[n] = id
		in := int(set[id>>6] >> (id & 63) & 1)
		if n += 1 - in; in != 0 {
			p.left = append(p.left, id)
		}
	}
	return n
}

// compare lists entered and left from the view before, old, and the view now, p.outer. It lists the remaining
// IDs that are dirty as touched.
func (p *part) compare(old []uint32, dirty []uint64) {
	p.pair(old, p.outer)
	bits := p.bits
	for _, id := range p.removed {
		bits[id>>6] |= 1 << (id & 63)
	}
	// Membership of an ID is practically random: avoid branches.
	n := 0
	entered := room(p.entered, len(p.added))
	for _, id := range p.added {
		at, shift := id>>6, id&63
		word := bits[at]
		bits[at] = word &^ (1 << shift)
		entered[n] = id
		n += 1 - int(word>>shift&1)
	}
	p.entered = entered[:n]
	if removed := len(p.removed) - (len(p.added) - n); removed > 0 {
		p.leave(p.removed, removed)
	}
	if dirty != nil {
		p.touch(dirty)
	}
}

// ahead is the distance within which pair searches the next equal IDs, and apart the number of its failed
// searches.
const (
	ahead = 8
	apart = 32
)

// pair lists the IDs of two lists that it has not matched: those in old in removed, those in now in added. The
// results of two frames visit the same nodes, so they mostly consist of equal runs with a few IDs between
// them. IDs that it fails to match are in both lists: compare finds them in the set.
func (p *part) pair(old, now []uint32) {
	removed, added := p.removed[:0], p.added[:0]
	tries := apart
	for len(old) > 0 && len(now) > 0 && tries > 0 {
		n := 0
		for end := min(len(old), len(now)); n < end && old[n] == now[n]; {
			n++
		}
		if old, now = old[n:], now[n:]; len(old) == 0 || len(now) == 0 {
			break
		}
		a, b := firstOf(old, ahead), firstOf(now, ahead)
		i, k := 1, 1
		for d := 1; ; d++ {
			if d < len(b) && b[d] == a[0] {
				i, k = 0, d
				break
			}
			if d < len(a) && a[d] == b[0] {
				i, k = d, 0
				break
			}
			if d >= ahead {
				tries--
				break
			}
		}
		removed, added = append(removed, old[:i]...), append(added, now[:k]...)
		old, now = old[i:], now[k:]
	}
	p.removed, p.added = append(removed, old...), append(added, now...)
}

// firstOf returns up to n elements of a list.
func firstOf(list []uint32, n int) []uint32 { return list[:min(n, len(list))] }

// touch lists the IDs in a set that are in view and were before.
func (p *part) touch(set []uint64) {
	p.touched = among(p.touched[:0], p.outer, set)
	if len(p.touched) > 0 && len(p.entered) > 0 {
		p.touched = p.without(p.touched, p.entered)
	}
}

// without removes the IDs of out from ids.
func (p *part) without(ids, out []uint32) []uint32 {
	for _, id := range out {
		p.bits[id>>6] |= 1 << (id & 63)
	}
	n := 0
	for _, id := range ids {
		ids[n] = id
		n += 1 - int(p.bits[id>>6]>>(id&63)&1)
	}
	for _, id := range out {
		p.bits[id>>6] = 0
	}
	return ids[:n]
}

// leave lists the IDs of old that are still in the set, removed of them, and empties the set.
func (p *part) leave(old []uint32, removed int) {
	k := len(p.left)
	left := slices.Grow(p.left, len(old))[:k+len(old)]
	for _, id := range old {
		left[k] = id
		k += int(p.bits[id>>6] >> (id & 63) & 1)
	}
	from := k - removed
	p.left = left[:k]
	for _, id := range p.left[from:] {
		p.bits[id>>6] = 0
	}
}

// askMargin sets inner to the objects that intersect both volumes of an area.
func (p *part) askMargin(f *frame, s *soa.Store, w *viewer) {
	p.inner = p.appendObjects(p.inner[:0], f, s, w, enter)
	for _, id := range p.outer {
		p.bits[id>>6] |= 1 << (id & 63)
	}
	n := 0
	for _, id := range p.inner {
		p.inner[n] = id
		n += int(p.bits[id>>6] >> (id & 63) & 1)
	}
	p.inner = p.inner[:n]
	for _, id := range p.outer {
		p.bits[id>>6] = 0
	}
}

// compareMargin is compare where only inner can enter. It sets outer to the objects in view.
func (p *part) compareMargin(old []uint32, dirty []uint64) {
	bits := p.bits
	for _, id := range old {
		bits[id>>6] |= 1 << (id & 63)
	}
	for _, id := range p.inner {
		if bits[id>>6]>>(id&63)&1 == 0 {
			p.entered = append(p.entered, id)
		}
	}
	n := 0
	for _, id := range p.outer {
		at, shift := id>>6, id&63
		word := bits[at]
		bits[at] = word &^ (1 << shift)
		p.outer[n] = id
		if word>>shift&1 != 0 {
			n++
			if dirty != nil && dirty[at]>>shift&1 != 0 {
				p.touched = append(p.touched, id)
			}
		}
	}
	if removed := len(old) - n; removed > 0 {
		p.leave(old, removed)
	}
	p.outer = append(p.outer[:n], p.entered...)
}

// follow updates the view of an unmoved area from the dirty objects only. The dirty objects that were in view
// are found by the old boxes, or in the view if there is a margin.
func (p *part) follow(f *frame, w *viewer) {
	d := f.delta
	if d.count == 0 {
		return
	}
	p.outer = w.area.append(p.outer[:0], &d.now.store, leave, &f.keep)
	dirty := d.dirty
	if w.area.margin {
		p.old = among(p.old[:0], w.view, dirty)
	} else { // the tests were the same then
		p.old = w.area.append(p.old[:0], &d.then.store, leave, &f.keep)
	}
	if len(p.outer)+len(p.old) == 0 {
		return
	}
	if d.ends > 0 {
		p.old = p.old[:p.split(d.ended, p.old)]
	}
	if w.area.margin {
		p.askMargin(f, &d.now.store, w)
		p.compareMargin(p.old, dirty)
	} else {
		p.compare(p.old, dirty)
	}
	if len(p.left) > 0 {
		w.view = p.without(w.view, p.left)
	}
	if n := len(w.view) + len(p.entered); len(p.entered) > 0 {
		w.view = append(fitting(w.view, n), p.entered...)
		w.sorted = false
	}
}

// among appends the IDs that are in a set. It tests four at a time: most are not in a sparse set.
func among(dst, ids []uint32, set []uint64) []uint32 {
	for len(ids) >= 4 {
		a, b, c, d := ids[0], ids[1], ids[2], ids[3]
		if (set[a>>6]>>(a&63)|set[b>>6]>>(b&63)|set[c>>6]>>(c&63)|set[d>>6]>>(d&63))&1 != 0 {
			dst = amongFew(dst, ids[:4], set)
		}
		ids = ids[4:]
	}
	return amongFew(dst, ids, set)
}

// amongFew is among without branches.
func amongFew(dst, ids []uint32, set []uint64) []uint32 {
	n := len(dst)
	dst = slices.Grow(dst, len(ids))[:n+len(ids)]
	for _, id := range ids {
		dst[n] = id
		n += int(set[id>>6] >> (id & 63) & 1)
	}
	return dst[:n]
}

// emitEvents stores the events of a viewer, in ascending order.
func (p *part) emitEvents(f *frame, w *viewer) {
	w.update, w.part, w.events = f.update, p.number, viewerEvents{first: len(p.events)}
	p.events = append(p.events, p.entered...)
	w.events.left = len(p.events)
	p.events = append(p.events, p.left...)
	w.events.touched = len(p.events)
	p.events = append(p.events, p.touched...)
	w.events.end = len(p.events)
	ascend(p.events[w.events.first:w.events.left], p.bits)
	ascend(p.events[w.events.left:w.events.touched], p.bits)
	ascend(p.events[w.events.touched:w.events.end], p.bits)
}

// wordsEach is the number of words of a set up to which, for each ID of a list, it is faster to add the IDs to the set
// and to read it than to sort them (go test ./query/interest -run '^$' -bench InterestAll).
const wordsEach = 8

// fewIDs is the number of IDs up to which they are inserted into a sorted list.
const fewIDs = 24

// ascend sorts IDs that are all different, usually a few. The set has a bit for each, and is empty before and after.
func ascend(ids []uint32, set []uint64) {
	if len(ids) > fewIDs {
		if len(set) > wordsEach*len(ids) {
			slices.Sort(ids)
		} else {
			ascendBySet(ids, set)
		}
		return
	}
	for i := 1; i < len(ids); i++ {
		id, k := ids[i], i
		for ; k > 0 && ids[k-1] > id; k-- {
			ids[k] = ids[k-1]
		}
		ids[k] = id
	}
}

func ascendBySet(ids []uint32, set []uint64) {
	least, most := ids[0]>>6, ids[0]>>6
	for _, id := range ids {
		least, most = min(least, id>>6), max(most, id>>6)
		set[id>>6] |= 1 << (id & 63)
	}
	n := 0
	for at := least; at <= most; at++ {
		for word := set[at]; word != 0; word &= word - 1 {
			ids[n] = at<<6 | uint32(bits.TrailingZeros64(word))
			n++
		}
		set[at] = 0
	}
}
