package scene

import (
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// minRun is the number of instances that the volume intersects from which on runs are set up.
const minRun = 5

// instanceRun is a run of instances of one part that a kernel searches in one call.
type instanceRun struct {
	cull.Run
	of      linear.SceneView // part that the run is set for
	packets *soa.PacketColumns
	aligned xform.Kind // transforms up to this kind have no kernel
	maps    [cull.MaxRun]*xform.Transform
}

// setRuns sets the volume of runs, and reports whether the instances of a level may be searched in runs.
func (w *volumeWalk) setRuns(l *level) bool {
	r := &w.runs
	if w.ask != askAppend || !w.every || w.filter.Exact || !cull.HasRuns() {
		return false
	}
	switch {
	case l.form == w.planesOf:
		r.Planes, r.aligned = &w.planes, xform.Identity
	case l.form.Kind == walk.KindBox:
		r.Planes, r.Box, r.aligned = nil, l.form.Box(), xform.Aligned
	default:
		return false
	}
	return true
}

// setPart sets the part of a run to the part that was entered last, which is small.
func (r *instanceRun) setPart(e *entered) {
	s := e.view.Objects().Store()
	r.of, r.packets, r.Part, r.Node, r.From, r.To = e.view, &s.Packets, e.bounds.Numbers(), nil, 0, 0
	n := len(s.Packets.Counts)
	if n > walk.ScanSlots {
		r.Node = &s.Nodes.Hot[0]
		n = int(s.Nodes.Used[0])
		for i, ref := range r.Node.Child[:n] {
			r.Slots[i] = ref.Index()
		}
	} else {
		copy(r.Slots[:], firstSlots[:])
	}
	r.Lanes = 1<<n - 1
}

// appendRun appends the objects in the first instances of a list, as [volumeWalk.enter] and
// [volumeWalk.takeInstance] do, and returns their number. They are of the part that was entered last, and the kernel
// leaves the next one.
func (w *volumeWalk) appendRun(depth int, hits []cull.Sided) (done int) {
	outer, r, e := &w.levels[depth], &w.runs, &w.entered
	if r.of != e.view {
		r.setPart(e)
	}
	var number uint32
	n := 0
	for n < min(len(hits), cull.MaxRun) {
		p := hits[n]
		view, part, transform := instanceOf(outer.view, p.ID)
		if view != e.view || p.Sides != wholly && transform.AtMost(r.aligned) {
			break
		}
		r.maps[n], r.Maps[n], r.Clear[n], number = transform, transform.All(), p.Sides, part
		n++
	}
	if n == 0 {
		return 0
	}
	a := w.answer
	if uint64(number) < uint64(len(w.copies)) && w.copies[number].walk == w.number {
		r.From, r.To = w.copies[number].from, w.copies[number].to
	}
	from := len(a.IDs)
	a.IDs, done = r.Append(a.IDs, r.packets, n)
	last := from
	for i := range done {
		if end := from + int(r.Ends[i]); end > last {
			a.Runs = append(a.Runs, Run{a.add(instance{w.row(depth), hits[i].ID, number, r.maps[i]}), end})
			last = end
		}
	}
	return done
}

// release drops pointers to the caller's memory.
func (r *instanceRun) release() {
	r.of, r.packets, r.Node = linear.SceneView{}, nil, nil
	clear(r.maps[:])
	clear(r.Maps[:])
}
