package interest

// Forget makes the next update read all objects and query for all viewers.
func Forget(t *Tracker) {
	t.log.Next = 1<<64 - 1
	for _, n := range t.order {
		t.viewers[n].asked = false
	}
}

// Bytes returns the memory that the tracker holds for objects, for objects in view, and for each worker.
func Bytes(t *Tracker) (objects, views, bits int) {
	objects = cap(t.previous.records)*40 + cap(t.previous.spheres)*16 + cap(t.previous.turned)*48
	d := &t.delta
	for _, h := range []*batch{&d.then, &d.now} {
		objects += cap(h.list)*48 + cap(h.spheres)*16 + cap(h.turned)*48 + h.store.Bytes()
	}
	objects += cap(d.read.List)*4 + cap(d.read.Bits)*8 + cap(d.builder.curve.Keys)*8 + d.builder.curve.Sort.Bytes()
	objects += cap(d.ids)*4 + (cap(d.dirty)+cap(d.ended))*8 + cap(d.builder.boxes)*24
	for _, w := range t.viewers {
		if w != nil {
			views += 4 * cap(w.view)
		}
	}
	return objects, views, 8 * cap(t.parts[0].bits)
}

// Pair returns the elements of each of two lists that it has not found in both.
func Pair(old, now []uint32) (gone, came []uint32) {
	var p part
	p.pair(old, now)
	return p.removed, p.added
}

// Apart is the number of failed searches that it allows.
const Apart = apart
