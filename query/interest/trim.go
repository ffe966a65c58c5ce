package interest

import "slices"

// Trim gives memory back: that of removed viewers, whose numbers are given out again when there
// are no greater ones in use, that of objects by ID behind the last one, and the buffers of
// updates, which the next one allocates anew. What the last update has told, and what is in view,
// stays. What the next ones tell does not depend on it. It takes time proportional to the
// viewers, to what is in their views, and to the IDs.
func (t *Tracker) Trim() {
	t.arrange()
	n := 0
	if t.live > 0 {
		n = int(t.order[len(t.order)-1]) + 1
	}
	t.viewers, t.order, t.changed = slices.Clone(t.viewers[:n]), slices.Clone(t.order), slices.Clone(t.changed)
	t.free = slices.Clone(slices.DeleteFunc(t.free, func(k uint32) bool { return int(k) >= n }))
	for k, w := range t.viewers {
		if w == nil || !w.known {
			t.viewers[k] = nil
		} else {
			w.view = slices.Clone(w.view)
		}
	}
	for _, p := range t.parts {
		*p = part{number: p.number, events: slices.Clone(p.events)}
	}
	t.past.trim()
	t.delta = delta{}
}

// trim leaves rows up to the last object.
func (p *past) trim() {
	n, kinds := len(p.records), uint32(0)
	for n > 0 && p.records[n-1].flags&isLive == 0 {
		n--
	}
	for i := range p.records[:n] {
		kinds |= p.records[i].flags
	}
	p.records = slices.Clone(p.records[:n])
	p.spheres, p.turned = used(p.spheres, n, kinds&isRound != 0), used(p.turned, n, kinds&isTurned != 0)
}

// used returns a copy of the rows of a column below n, nil if no object uses it.
func used[T any](col []T, n int, some bool) []T {
	if !some {
		return nil
	}
	return slices.Clone(col[:n])
}
