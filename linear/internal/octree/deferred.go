package octree

import (
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/soa"
)

// Deferred holds moves that will be made together, in the order of the calls: an object that moves twice gets the
// last body.
type Deferred struct {
	To    Bodies
	ids   [3][]uint32 // of the objects that get boxes, spheres, oriented boxes
	runs  []moveRun   // the moves in the order of the calls
	whole []uint32    // scratch: all IDs, in the order of the bodies
	Batch bool        // there are moves of batches: many may be bulk motion
}

// moveRun is a run of moves to bodies of one kind.
type moveRun struct{ kind, n int }

// Len returns the number of moves, 0 for nil.
func (d *Deferred) Len() int {
	if d == nil {
		return 0
	}
	return d.To.Len()
}

// Bytes returns the memory of the lists in bytes, 0 for nil.
func (d *Deferred) Bytes() int {
	if d == nil {
		return 0
	}
	return d.To.Bytes() + mem.Bytes(d.ids[0]) + mem.Bytes(d.ids[1]) + mem.Bytes(d.ids[2]) + mem.Bytes(d.runs) + mem.Bytes(d.whole)
}

// Reset empties the lists, and keeps their memory.
func (d *Deferred) Reset() {
	d.To.Reset()
	for kind := range d.ids {
		d.ids[kind] = d.ids[kind][:0]
	}
	d.runs, d.Batch = d.runs[:0], false
}

// add adds n moves to bodies of one kind.
func (d *Deferred) add(kind, n int) {
	if k := len(d.runs) - 1; k >= 0 && d.runs[k].kind == kind {
		d.runs[k].n += n
	} else if n > 0 {
		d.runs = append(d.runs, moveRun{kind, n})
	}
}

// AddBox adds a move to a box.
func (d *Deferred) AddBox(id uint32, box *soa.AABB) {
	d.ids[0] = append(d.ids[0], id) // two statements: without growth each stores no pointer
	d.To.Boxes = append(d.To.Boxes, *box)
	d.add(0, 1)
}

// AddSphere adds a move to a sphere.
func (d *Deferred) AddSphere(id uint32, sphere *[4]float32) {
	d.ids[1], d.To.Spheres = append(d.ids[1], id), append(d.To.Spheres, *sphere)
	d.add(1, 1)
}

// AddOriented adds a move to an oriented box.
func (d *Deferred) AddOriented(id uint32, box *soa.OrientedBox) {
	d.ids[2], d.To.Oriented = append(d.ids[2], id), append(d.To.Oriented, *box)
	d.add(2, 1)
}

// AddBatch adds the moves of a batch.
func (d *Deferred) AddBatch(ids []uint32, to *Bodies) {
	n, m := len(to.Boxes), len(to.Boxes)+len(to.Spheres)
	d.ids[0], d.To.Boxes = append(d.ids[0], ids[:n]...), append(d.To.Boxes, to.Boxes...)
	d.ids[1], d.To.Spheres = append(d.ids[1], ids[n:m]...), append(d.To.Spheres, to.Spheres...)
	d.ids[2], d.To.Oriented = append(d.ids[2], ids[m:]...), append(d.To.Oriented, to.Oriented...)
	d.add(0, n)
	d.add(1, m-n)
	d.add(2, len(ids)-m)
	d.Batch = true
}

// all returns the IDs in the order of the bodies, valid until the next call.
func (d *Deferred) all() []uint32 {
	if len(d.ids[0]) == d.Len() {
		return d.ids[0]
	}
	d.whole = append(append(append(d.whole[:0], d.ids[0]...), d.ids[1]...), d.ids[2]...)
	return d.whole
}

// each calls f with the first and the last index, exclusive, of each run in the order of the bodies.
func (d *Deferred) each(f func(i, end int)) {
	at := [3]int{0, len(d.ids[0]), len(d.ids[0]) + len(d.ids[1])}
	for _, r := range d.runs {
		f(at[r.kind], at[r.kind]+r.n)
		at[r.kind] += r.n
	}
}
