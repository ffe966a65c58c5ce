package scene

import (
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// An instance whose box lies fully inside the volume is taken with all its contents: neither its
// transform nor its part is read. Outgrown boxes of instances are not used for this.

// wholly marks a box that is surely inside the volume.
const wholly = cull.AllSides

// listInstances appends the instances of a range to the list of the current level.
func (w *volumeWalk) listInstances(r query.Range) bool {
	l, f := &w.levels[w.at], &w.inside
	s := f.Store()
	f.Scan(r.First, r.Count)
	for slot := r.First; slot < r.First+r.Count; slot++ {
		from := len(l.hits)
		if l.hits = f.List(l.hits, slot, lanes(s, slot, r.Mask)); from < fetchAhead {
			l.fetch(l.hits[from:min(len(l.hits), fetchAhead)])
		}
	}
	return true
}

// takeInstance takes the whole contents of an instance of a level.
func (w *volumeWalk) takeInstance(depth int, id uint32) bool {
	if w.repeatParts(depth, []cull.Sided{{ID: id, Sides: wholly}}) > 0 {
		return true
	}
	outer, l := &w.levels[depth], &w.levels[depth+1]
	l.view, l.part, l.transform = instanceOf(outer.view, id)
	l.id, l.row, l.form, l.ballLevel = id, noInstance, outer.form, outer.ballLevel
	return w.takePart(depth + 1)
}

// repeatParts takes the whole contents of the first instances of a list that are inside the volume and whose parts the
// walk has taken before, without instances, and returns their number.
func (w *volumeWalk) repeatParts(depth int, hits []cull.Sided) (done int) {
	outer, a := &w.levels[depth], w.answer
	for ; done < len(hits) && hits[done].Sides == wholly; done++ {
		_, part, transform := instanceOf(outer.view, hits[done].ID)
		if uint64(part) >= uint64(len(w.copies)) || w.copies[part].walk != w.number || !w.copies[part].alone {
			break
		}
		c := &w.copies[part]
		from, n := len(a.IDs), c.to-c.from
		if n == 0 {
			continue
		}
		a.IDs = append(a.IDs, a.IDs[c.from:c.to]...)
		c.from, c.to = from, from+n
		a.Runs = append(a.Runs, Run{a.add(instance{w.row(depth), hits[done].ID, part, transform}), from + n})
	}
	return done
}

// copied is the location of the objects of a part in the answer, if a walk has taken all of them.
type copied struct {
	walk     uint64 // number of that walk
	from, to int
	alone    bool // the part has no instances
}

// takePart takes the whole contents of a part, at any depth.
func (w *volumeWalk) takePart(depth int) bool {
	l := &w.levels[depth]
	switch {
	case !w.every || w.ask > askCount && w.ask != askExplain:
		l.treeQuery = everything
		if v := l.view.Objects(); v.Len() > 0 && !w.queryTree(depth, everything, v) {
			return false
		}
	case w.ask == askCount:
		w.add(l.view.Total())
		return true
	case w.ask == askExplain:
		if l.view.Objects().Len() > 0 {
			w.counters.Ranges++
		}
	default:
		w.copy(depth)
	}
	instances := l.view.Instances()
	if instances.Len() == 0 {
		return true
	}
	l.ids = everything.Begin(instances.Store()).Append(l.ids[:0], &w.gate)
	for _, id := range l.ids {
		w.counters.Instances++
		if !w.takeInstance(depth, id) {
			return false
		}
	}
	return true
}

// copy adds all objects of a part to the answer, as a copy of earlier results of the walk if
// there are any.
func (w *volumeWalk) copy(depth int) {
	l := &w.levels[depth]
	for uint64(len(w.copies)) <= uint64(l.part) {
		w.copies = append(w.copies, copied{})
	}
	c, from := &w.copies[l.part], len(w.answer.IDs)
	if c.walk == w.number {
		w.answer.IDs = append(w.answer.IDs, w.answer.IDs[c.from:c.to]...)
	} else if v := l.view.Objects(); v.Len() > 0 {
		w.answer.IDs = w.emit(v)
	}
	w.end(depth, uint64(from))
	*c = copied{w.number, from, len(w.answer.IDs), l.view.Instances().Len() == 0}
}

// emit adds all objects of a part to the answer, in the order in which a query returns fully
// contained nodes.
func (w *volumeWalk) emit(v linear.View) []uint32 {
	s := v.Store()
	r, ok := allOf(s)
	if !ok {
		return everything.Begin(s).Append(w.answer.IDs, &walk.Everything)
	}
	w.ranges = append(w.ranges[:0], r)
	return cull.EmitIDs(w.answer.IDs, s.Packets.IDs, s.Packets.Counts, w.ranges)
}
