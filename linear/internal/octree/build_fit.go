package octree

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/nth"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// trims lists the rules by which the world of a build leaves out distant outliers, which would
// leave too few cells for the other objects. On each axis, one centre in share is cut off at each
// end. The rule applies if the middle that remains spans less than 1/ratio of the cube around all
// centres. More objects are left out where they are so far away that their coordinates would widen
// planes for all objects.
var trims = [...]struct {
	share int
	ratio float64
}{{64, 1 << 6}, {8, 1 << 8}}

// muchSmaller is the number of powers of two by which the world of a later trim, which leaves out
// more objects, must be smaller to replace that of an earlier one. An example is a first trim that
// keeps a part of a long tail: with the later trim, the world does not depend on how much of the
// tail the first share happens to cut off.
const muchSmaller = 6

// sampleSize is the minimum number of sampled centres; a sample has less than twice as many.
const sampleSize = 1024

// fit returns the world of a build.
func (j *job) fit() (morton.World, error) {
	w, err := j.t.fitWorld(j.centres)
	if err != nil || isRoomy(w, &j.centres) {
		return w, err
	}
	sample := &j.t.Buffers().sample
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

// isRoomy reports whether centres extend over less than a quarter of a world that has been fitted to them. Then they do
// not make it so large, but the configured world does, or far from the origin the number of its cells: no trim makes it
// smaller (go test ./linear -run '^$' -bench BuildFar).
func isRoomy(w morton.World, centres *soa.AABB) bool {
	for a := range 3 {
		if !(float64(centres.Max[a])-float64(centres.Min[a]) < w.Side()/4) {
			return false
		}
	}
	return true
}

// gather returns a box that contains the centres of all objects, for a build in a world that is not
// fixed. box is the union of all boxes. Centres outside it belong to objects that have since moved
// or been removed, and are left out.
func (t *Tree) gather(box soa.AABB) (centres soa.AABB) {
	switch {
	case t.Config.Fixed:
		return t.Centres
	case t.IDs.Len() == 0:
		return soa.Empty()
	case t.Outside > 0:
		box = t.tightUnion()
	}
	return centresIn(t, box)
}

// centresIn returns a box that contains the centres of all objects in a box.
func centresIn(t *Tree, box soa.AABB) (centres soa.AABB) {
	centres = t.Centres
	for a := range 3 {
		centres.Min[a] = max(centres.Min[a], box.Min[a])
		centres.Max[a] = max(min(centres.Max[a], box.Max[a]), centres.Min[a])
	}
	return centres
}

// tightUnion returns the smallest box that contains all boxes; [Tree.union] is equal to it only
// after a refit. It descends only into lanes that can widen the result.
func (t *Tree) tightUnion() soa.AABB {
	s := t.Store
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
			switch box, ref := LaneBox(n, l), n.Child[l]; {
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

// trim returns the world of the middle of a sample, widened by its span on each side. ok is false
// if the middle spans 0, or more than most.
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

// centresIn returns the smallest box that contains the centres inside a box. The world is fitted to
// these objects, as if there were no others.
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

// gathered reports whether most of a sample on an axis lies in two adjacent bins out of 16 of a
// cube with that side. It holds on every axis if a trim applies.
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

// sample sets x to the coordinates of some centres on an axis: of all if there are few. That of pending records is
// the sample of the packets that they would fill: a read that packs them must not affect the build.
func (j *job) sample(x []float32, axis int) []float32 {
	if j.from == nil && j.ids == nil {
		step := max(1, j.n/sampleSize)
		x = slices.Grow(x[:0], (j.n+step-1)/step)
		for i := 0; i < j.n; i += step {
			b := &j.objects[i].Box
			x = append(x, build.Centre(b.Min[axis], b.Max[axis]))
		}
		return x
	}
	p, every := j.from, 1
	if j.n >= sampleSize {
		every = soa.Lanes / 2
	}
	x = x[:0]
	if p == nil {
		slots := packetsFor(j.n)
		for i := 0; i < j.n; i += soa.Lanes * max(1, slots/sampleSize) {
			for l := i; l < min(i+soa.Lanes, j.n); l += every {
				b := &j.objects[l].Box
				x = append(x, build.Centre(b.Min[axis], b.Max[axis]))
			}
		}
		return x
	}
	for slot := 0; slot < len(p.Counts); slot += max(1, len(p.Counts)/sampleSize) {
		for l := 0; l < int(p.Counts[slot]); l += every {
			x = append(x, build.Centre(p.Bounds[slot][2*axis][l], p.Bounds[slot][2*axis+1][l]))
		}
	}
	return x
}
