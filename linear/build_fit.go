package linear

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/nth"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// The world of a build leaves out a few objects that are far away, or it would
// have too few cells left for the others: those beyond the middle of the centres
// on an axis, where one in share is cut off at each end, if the middle spans less
// than 1/ratio of the cube that holds all. More are left out where they are so far
// away that planes would be widened by their coordinates for all.
var trims = [...]struct {
	share int
	ratio float64
}{{64, 1 << 6}, {8, 1 << 8}}

// A later trim leaves out more objects than the first that applies. It wins only if its world is smaller by
// so many powers of two, as where the first trim leaves a part of a long tail in: the world then does not
// depend on how much of the tail the first share happens to cut off.
const muchSmaller = 6

// sampleSize is how many centres are looked at, and less than twice as many.
const sampleSize = 1024

// fit returns the world of a build.
func (j *job) fit() (morton.World, error) {
	w, err := j.t.fitWorld(j.centres)
	if err != nil {
		return w, err
	}
	sample := &j.t.buffers().sample
	for a := range sample {
		sample[a] = j.sample(sample[a], a)
		if !gathered(sample[a], w.Side()) {
			return w, nil
		}
	}
	fitted := w
	for _, trim := range trims {
		trimmed, ok := j.trim(sample, trim.share, w.Side()/trim.ratio)
		if ok && (fitted == w && trimmed.Exp() < w.Exp() || trimmed.Exp()+muchSmaller <= fitted.Exp()) {
			fitted = trimmed
		}
	}
	return fitted, nil
}

// gather returns a box that holds the centres of all objects, for a build in a world that
// is not fixed. It leaves out centres outside the given union of all boxes: their objects
// have moved or are gone.
func (t *Tree) gather(box soa.AABB) (centres soa.AABB) {
	switch {
	case t.cfg.Fixed:
		return t.centres
	case t.Len() == 0:
		return soa.Empty()
	case t.outside > 0:
		box = t.tightUnion()
	}
	centres = t.centres
	for a := range 3 {
		centres.Min[a] = max(centres.Min[a], box.Min[a])
		centres.Max[a] = max(min(centres.Max[a], box.Max[a]), centres.Min[a])
	}
	return centres
}

// tightUnion returns the smallest box that holds all boxes, which [Tree.union] is after a
// refit. It descends only into lanes that can widen what it has found.
func (t *Tree) tightUnion() soa.AABB {
	s := t.store
	union := soa.Empty()
	packet := func(slot uint32) {
		for l := range int(s.Packets.Counts[slot]) {
			union = union.Union(s.Packets.Box(slot, l))
		}
	}
	var node func(i uint32)
	node = func(i uint32) {
		n := &s.Nodes.Hot[i]
		for l := range int(s.Nodes.Used[i]) {
			switch box, ref := laneBox(n, l), n.Child[l]; {
			case box == soa.Empty() || union.Contains(box):
			case ref.IsPacket():
				packet(ref.Index())
			default:
				node(ref.Index())
			}
		}
	}
	if len(s.Nodes.Hot) > 0 {
		node(0)
	}
	for _, slot := range s.Pending {
		packet(slot)
	}
	return union
}

// trim returns the world of what lies in the middle of a sample and as much again to
// each side. ok is false unless the middle spans something, and at most that
// much.
func (j *job) trim(sample *[3][]float32, share int, most float64) (w morton.World, ok bool) {
	n := len(sample[0])
	cut := max(n/share, 1)
	if n <= 2*cut {
		return w, false
	}
	var box soa.AABB
	side := 0.0
	for a, x := range sample {
		box.Min[a], box.Max[a] = nth.Element(x, cut), nth.Element(x, n-1-cut)
		side = max(side, float64(box.Max[a])-float64(box.Min[a]))
	}
	if side == 0 || side > most {
		return w, false
	}
	for a := range 3 {
		box.Min[a] = float32(max(float64(box.Min[a])-side, -math.MaxFloat32))
		box.Max[a] = float32(min(float64(box.Max[a])+side, math.MaxFloat32))
	}
	w, err := j.t.fitWorld(j.centresIn(box))
	return w, err == nil
}

// centresIn returns the smallest box that holds the centres in a box: the world is
// that of these objects, as if there were no others.
func (j *job) centresIn(box soa.AABB) soa.AABB {
	in := soa.Empty()
	add := func(b soa.AABB) {
		if c := b.Center(); box.Contains(soa.AABB{Min: c, Max: c}) {
			in = in.Union(soa.AABB{Min: c, Max: c})
		}
	}
	for i := range j.objects {
		add(j.objects[i].Box)
	}
	if p := j.from; p != nil {
		for slot, n := range p.Counts {
			for l := range int(n) {
				add(p.Box(uint32(slot), l))
			}
		}
	}
	return in
}

// gathered reports whether most of a sample on an axis lies in two neighbours of 16
// bins of a cube of that side. Where trims apply it does on every axis.
func gathered(x []float32, side float64) bool {
	const bins = 16
	if len(x) < 3 {
		return false
	}
	lo, scale := float64(slices.Min(x)), bins/side
	var count [bins + 1]int
	for _, c := range x {
		count[min(int((float64(c)-lo)*scale), bins-1)]++
	}
	most := 0
	for i := range bins {
		most = max(most, count[i]+count[i+1])
	}
	return most >= len(x)-2*max(len(x)/trims[len(trims)-1].share, 1)
}

// sample puts into x the coordinates of some centres on an axis: of all where they
// are few.
func (j *job) sample(x []float32, axis int) []float32 {
	if j.from == nil {
		step := max(1, j.n/sampleSize)
		x = slices.Grow(x[:0], (j.n+step-1)/step)
		for i := 0; i < j.n; i += step {
			b := &j.objects[i].Box
			x = append(x, asm.Centre(b.Min[axis], b.Max[axis]))
		}
		return x
	}
	p := j.from
	every := 1
	if j.n >= sampleSize {
		every = soa.Lanes / 2
	}
	x = x[:0]
	for slot := 0; slot < len(p.Counts); slot += max(1, len(p.Counts)/sampleSize) {
		for l := 0; l < int(p.Counts[slot]); l += every {
			x = append(x, asm.Centre(p.Bounds[slot][2*axis][l], p.Bounds[slot][2*axis+1][l]))
		}
	}
	return x
}
