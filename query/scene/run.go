package scene

import (
	"math/bits"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// minRun is the number of instances that the volume intersects from which on runs are set up.
const minRun = 5

// runParts is the number of parts that a query keeps ready for runs. A part replaces another one with the same number
// modulo runParts.
const runParts = 32

// instanceRun is a run of instances of small parts that a kernel searches in one call.
type instanceRun struct {
	cull.Run
	aligned xform.Kind // transforms up to this kind have no kernel
	used    uint32     // bits of parts that are set
	parts   [runParts]runPart
	maps    [cull.MaxRun]*xform.Transform
	numbers [cull.MaxRun]uint32 // of the parts of the instances
}

// runPart is a part, and its bounds.
type runPart struct {
	bounded
	cull.RunPart // Room is 0 if no run may search it
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

// setPart sets a part of runs. It returns false, and leaves the old one, for a part of too many packets.
func (r *instanceRun) setPart(i uint32, v linear.SceneView) bool {
	s := v.Objects().Store()
	if len(s.Packets.Counts) > soa.Fan {
		return false
	}
	p := &r.parts[i]
	r.used |= 1 << i
	p.Room = 0
	if p.bounded.set(v, false); p.turns && s.Count > 0 {
		p.Set(s, p.bounds.Numbers(), walk.ScanSlots, walk.MostPackets(s))
	}
	return true
}

// appendRun appends the objects in the first instances of a list, as [volumeWalk.enter] and
// [volumeWalk.takeInstance] do, and returns their number. The kernel leaves the next one.
func (w *volumeWalk) appendRun(depth int, hits []cull.Sided) (done int) {
	outer, r, a := &w.levels[depth], &w.runs, w.answer
	n := 0
	for n < min(len(hits), cull.MaxRun) {
		p := hits[n]
		view, number, transform := instanceOf(outer.view, p.ID)
		at := number % runParts
		part := &r.parts[at]
		if part.view != view {
			if n > 0 && r.used>>at&1 != 0 || !r.setPart(at, view) {
				break // the run may have the part that would be replaced
			}
		}
		if part.Room == 0 || p.Sides != wholly && transform.AtMost(r.aligned) {
			break
		}
		r.Parts[n], r.Maps[n], r.Clear[n] = &part.RunPart, transform.All(), p.Sides
		r.maps[n], r.numbers[n] = transform, number
		n++
	}
	from := len(a.IDs)
	if a.IDs, done = r.Append(a.IDs, n); len(a.IDs) == from {
		return done
	}
	in, last := w.row(depth), from
	for i := range done {
		if end := from + int(r.Ends[i]); end > last {
			a.Runs = append(a.Runs, Run{a.add(instance{in, hits[i].ID, r.numbers[i], r.maps[i]}), end})
			last = end
		}
	}
	return done
}

// release drops pointers to the caller's memory.
func (r *instanceRun) release() {
	for ; r.used != 0; r.used &= r.used - 1 {
		p := &r.parts[bits.TrailingZeros32(r.used)]
		p.view, p.Node, p.Packets, p.IDs, p.Counts = linear.SceneView{}, nil, nil, nil, nil
	}
	clear(r.maps[:])
	clear(r.Maps[:])
}
