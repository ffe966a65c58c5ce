package linear

import (
	"math"
	"slices"

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

// sampleSize is how many centres are looked at, and less than twice as many.
const sampleSize = 1024

// fit returns the world of a build.
func (j *job) fit() (morton.World, error) {
	w, err := j.t.fitWorld(j.t.centres)
	if err != nil {
		return w, err
	}
	sample := j.sample()
	if !gathered(sample, w.Side()) {
		return w, nil
	}
	for a := range sample {
		slices.Sort(sample[a])
	}
	for _, trim := range trims {
		if trimmed, ok := j.trim(sample, trim.share, w.Side()/trim.ratio); ok && trimmed.Exp() < w.Exp() {
			return trimmed, nil
		}
	}
	return w, nil
}

// trim returns the world of what lies in the middle of a sorted sample and as much
// again to each side. ok is false unless the middle spans something, and at most that
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
		box.Min[a], box.Max[a] = x[cut], x[n-1-cut]
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

// gathered reports whether most of a sample may lie in a small part of a cube of
// that side, as it must where trims apply: on each axis in two neighbours of 16
// bins.
func gathered(sample *[3][]float32, side float64) bool {
	const bins = 16
	share := trims[len(trims)-1].share
	for _, x := range sample {
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
		if most < len(x)-2*max(len(x)/share, 1) {
			return false
		}
	}
	return true
}

// sample returns the coordinates of some centres, axis by axis: of all where
// they are few.
func (j *job) sample() *[3][]float32 {
	x := &j.t.scratch.sample
	for a := range x {
		x[a] = x[a][:0]
	}
	add := func(b soa.AABB) {
		for a, c := range b.Center() {
			x[a] = append(x[a], c)
		}
	}
	if j.from == nil {
		for i := 0; i < j.n; i += max(1, j.n/sampleSize) {
			add(j.objects[i].Box)
		}
		return x
	}
	p := j.from
	every := 1
	if j.n >= sampleSize {
		every = soa.Lanes / 2
	}
	for slot := 0; slot < len(p.Counts); slot += max(1, len(p.Counts)/sampleSize) {
		for l := 0; l < int(p.Counts[slot]); l += every {
			add(p.Box(uint32(slot), l))
		}
	}
	return x
}
