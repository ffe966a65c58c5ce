package scene

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/internal/follow"
)

// liveSet is a set of objects of a scene: own objects, and all objects in instances of the scene.
type liveSet struct {
	on             bool // otherwise all objects are live
	own, instances []uint64
}

func liveSetOf(own, instances []uint64) liveSet {
	return liveSet{own != nil || instances != nil, own, instances}
}

// has reports whether an object is live; its path begins in the scene.
func (s *liveSet) has(o *Object) bool {
	if !s.on {
		return true
	}
	if o.Path.n == 0 {
		return follow.Has(s.own, o.ID)
	}
	return follow.Has(s.instances, o.Path.ids[0])
}

// hasInstance reports whether the objects in an instance are live.
func (s *liveSet) hasInstance(id uint32) bool { return !s.on || follow.Has(s.instances, id) }

// bitmap returns a set in the form of a filter of one tree.
func (s *liveSet) bitmap(set []uint64) []uint64 {
	if s.on && set == nil {
		return []uint64{}
	}
	return set
}

// none reports whether a set is on and has no member.
func (s *liveSet) none(set []uint64) bool {
	return s.on && !slices.ContainsFunc(set, func(word uint64) bool { return word != 0 })
}

// live holds the sets of a filter.
type live struct{ one, both liveSet }

func (l *live) on() bool { return l.one.on || l.both.on }

// enters reports whether the pairs inside of an instance can pass.
func (l *live) enters(id uint32) bool { return l.one.hasInstance(id) && l.both.hasInstance(id) }

// passes reports whether a pair passes.
func (l *live) passes(p *Pair) bool {
	return (l.one.has(&p.A) || l.one.has(&p.B)) && l.both.has(&p.A) && l.both.has(&p.B)
}

// keepLive removes the pairs from index from on that do not pass Live and LiveBoth.
func (w *join) keepLive(from int) {
	kept := slices.DeleteFunc(w.out[from:], func(p Pair) bool { return !w.live.passes(&p) })
	w.out = w.out[:from+len(kept)]
}

// ownFilter returns a filter for pairs of own objects of the scene, and whether any can pass.
func (l *live) ownFilter(f collide.Filter, own linear.View) (_ collide.Filter, some bool) {
	some = own.Len() > 0
	if l.on() {
		f.Live, f.LiveBoth = l.one.bitmap(l.one.own), l.both.bitmap(l.both.own)
		some = some && !l.one.none(l.one.own) && !l.both.none(l.both.own)
	}
	return f, some
}

// liveInstances is withInstances for a filter with sets: it enters only instances that can have live pairs. It may add
// pairs that do not pass.
func (w *join) liveInstances(own, instances linear.View, outgrown []uint32) {
	one, both := &w.live.one, &w.live.both
	if own.Len() > 0 && !both.none(both.own) {
		from := len(w.ids)
		w.liveBeside(own, instances)
		for i := from; i < len(w.ids); i++ {
			if id := w.ids[i]; both.hasInstance(id) && !contains(outgrown, id) {
				w.beside(id)
			}
		}
		w.ids = w.ids[:from]
	}
	if few := bitsIn(one.instances); one.on && few < instances.Len()/liveFew {
		w.around(instances, outgrown)
	} else {
		boxes := w.instanceFilter()
		boxes.Live, boxes.LiveBoth = one.bitmap(one.instances), both.bitmap(both.instances)
		w.pairs = collide.Append(w.pairs[:0], collide.Within(instances), boxes)
		w.instancePairs(outgrown)
	}
	if len(outgrown) > 0 {
		w.grownPairs(own, instances, outgrown)
	}
}

// liveFew is the number of instances for each live one from which each live one is searched by itself.
const liveFew = 16

// membersOf returns an iterator over the members of a set, ascending.
func membersOf(set []uint64) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i, word := range set {
			for ; word != 0; word &= word - 1 {
				if !yield(uint32(64*i + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// bitsIn returns the number of members of a set.
func bitsIn(set []uint64) (n int) {
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}

// liveBeside appends the instances to ids that may have a pair with an own object, each once: live instances, and those
// that overlap live own objects.
func (w *join) liveBeside(own, instances linear.View) {
	one, bounds := &w.live.one, w.near(own.Bounds())
	if !one.on {
		w.ids = boxQuery(&bounds).Append(w.ids, instances, w.gate)
		return
	}
	for id := range membersOf(one.instances) {
		if o, ok := instances.Object(id); ok && w.passesGate(&o) && o.Box.Overlaps(bounds) {
			w.ids = append(w.ids, id)
		}
	}
	if one.none(one.own) {
		return
	}
	from := len(w.ids)
	f := w.instanceFilter()
	f.Live = one.own
	for p := range collide.All(collide.Between(own, instances), f) {
		if !follow.Has(one.instances, p.B) {
			w.ids = append(w.ids, p.B)
		}
	}
	slices.Sort(w.ids[from:])
	w.ids = w.ids[:from+len(slices.Compact(w.ids[from:]))]
}

// passesGate reports whether the mask of an instance passes the filter.
func (w *join) passesGate(o *linear.Object) bool {
	return w.gate.Mask == 0 || o.Mask&w.gate.Mask != 0
}

// around finds the pairs of live instances and others, each pair once.
func (w *join) around(instances linear.View, outgrown []uint32) {
	for id := range membersOf(w.live.one.instances) {
		o, ok := instances.Object(id)
		if !ok || contains(outgrown, id) || !w.live.both.hasInstance(id) || !w.passesGate(&o) {
			continue
		}
		from, box := len(w.ids), w.near(o.Box)
		w.ids = boxQuery(&box).Append(w.ids, instances, w.gate)
		for k := from; k < len(w.ids); k++ {
			other := w.ids[k]
			twice := other <= id && w.live.one.hasInstance(other) // or itself
			if !twice && w.live.both.hasInstance(other) && !contains(outgrown, other) {
				w.two(min(id, other), max(id, other))
			}
		}
		w.ids = w.ids[:from]
	}
}
