package interest

import "slices"

// Trim frees memory: removed viewers, copies of objects by ID behind the last object, and the buffers of
// updates, which the next update allocates again. The events of the last update and the views remain, and
// later events do not depend on it. Numbers of removed viewers above all numbers in use count as never used:
// Add returns them again in ascending order.
//
// It takes time proportional to the viewers, to the objects in their views, and to the IDs.
func (t *Tracker) Trim() {
	t.registry.trim()
	t.objects.trim()
}

// trim frees the memory of objects.
func (o *objects) trim() {
	o.previous.trim()
	o.delta = delta{}
}

// trim frees the memory of viewers, and of the buffers of workers.
func (t *registry) trim() {
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
			w.view, w.runs = slices.Clone(w.view), slices.Clone(w.runs)
		}
	}
	for _, p := range t.parts {
		*p = part{number: p.number, events: slices.Clone(p.events), scenePart: scenePart{objects: slices.Clone(p.objects)}}
	}
}

// trim drops the rows behind the last object.
func (p *previous) trim() {
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
