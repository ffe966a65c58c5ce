package index

import (
	"cmp"
	"math"
	"slices"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/soa"
)

// Hit is an object and the time at which the ray enters its box, in lengths of the direction; 0 if the ray
// starts inside.
type Hit struct {
	ID   uint32
	Dist float32
}

// Ray is a ray tested by the formula of [query.Ray]. Like the tests of a [Volume], the test is monotone: the
// ray enters a box that contains another box no later than it enters the contained one.
type Ray struct {
	Origin, Dir [3]float32 // as given

	ray  trace.Ray
	back float64 // factor from times of the test to times in lengths of the direction
	most float64 // largest Dist
	down [3]bool // the direction is negative on this axis: it enters at the maximum
}

// NewRay returns a ray that ends after maxDist, in lengths of the direction. Origin and direction are finite,
// and the direction is not zero. +Inf and the largest float32 mean no limit.
func NewRay(origin, dir [3]float32, maxDist float32) (r Ray) {
	if maxDist == math.MaxFloat32 {
		maxDist = float32(math.Inf(1))
	}
	var exp int
	r.ray, exp = trace.MakeRay(origin, origin, dir, maxDist)
	r.back, r.most = math.Ldexp(1, -exp), min(float64(maxDist), math.MaxFloat32)
	r.Origin, r.Dir = origin, dir
	for a := range 3 {
		r.down[a] = dir[a] < 0
	}
	return r
}

// Enter returns the time at which the ray enters the box: the Dist of its hit, at least 0.
func (r *Ray) Enter(b *soa.AABB) (t float32, hit bool) {
	x0, y0, z0 := b.Min[0], b.Min[1], b.Min[2]
	x1, y1, z1 := b.Max[0], b.Max[1], b.Max[2]
	if r.down[0] {
		x0, x1 = x1, x0
	}
	if r.down[1] {
		y0, y1 = y1, y0
	}
	if r.down[2] {
		z0, z1 = z1, z0
	}
	// A NaN, from exact contact, fails each comparison.
	q := &r.ray
	end := q.Max
	if e := float32((x0 - q.Near[0]) * q.InvNear[0]); e > t {
		t = e
	}
	if e := float32((y0 - q.Near[1]) * q.InvNear[1]); e > t {
		t = e
	}
	if e := float32((z0 - q.Near[2]) * q.InvNear[2]); e > t {
		t = e
	}
	if e := float32((x1 - q.Far[0]) * q.InvFar[0]); e < end {
		end = e
	}
	if e := float32((y1 - q.Far[1]) * q.InvFar[1]); e < end {
		end = e
	}
	if e := float32((z1 - q.Far[2]) * q.InvFar[2]); e < end {
		end = e
	}
	if !(t <= end) {
		return 0, false
	}
	return float32(min(float64(t)*r.back, r.most)), true
}

// First is the search for the first hit. The zero value has no hit.
type First struct {
	time float32
	id   uint32
	ok   bool
}

// Later reports whether a box entered at t is beyond the best hit so far, so that it cannot contain a better
// one.
func (f *First) Later(t float32) bool { return f.ok && t > f.time }

// Take updates the best hit: the smallest time, and of equal times the smallest ID.
func (f *First) Take(id uint32, t float32) {
	if !f.ok || t < f.time || t == f.time && id < f.id {
		*f = First{t, id, true}
	}
}

// Hit returns the best hit; ok is false if there is none.
func (f *First) Hit() (h Hit, ok bool) { return Hit{f.id, f.time}, f.ok }

// Found collects hits.
type Found struct{ keys []uint64 }

// Reset empties the list and keeps its memory.
func (f *Found) Reset() { f.keys = f.keys[:0] }

// Take adds a hit.
func (f *Found) Take(id uint32, t float32) {
	// Times are not negative, so their bits have the same order.
	f.keys = append(f.keys, uint64(math.Float32bits(t))<<32|uint64(id))
}

// Append appends the hits to dst by time, then ID, and empties the list.
func (f *Found) Append(dst []Hit) []Hit {
	slices.SortFunc(f.keys, cmp.Compare)
	for _, k := range f.keys {
		dst = append(dst, Hit{uint32(k), math.Float32frombits(uint32(k >> 32))})
	}
	f.keys = f.keys[:0]
	return dst
}

// Order is a list of up to 27 children of a node, sorted by the time at which a ray enters them. The zero
// value is empty.
type Order struct {
	At   [27]float32
	Lane [27]uint8
	Len  int
}

// Put inserts a child after the children that are entered no later.
func (o *Order) Put(at float32, lane int) {
	i := o.Len
	for ; i > 0 && o.At[i-1] > at; i-- {
		o.At[i], o.Lane[i] = o.At[i-1], o.Lane[i-1]
	}
	o.At[i], o.Lane[i] = at, uint8(lane)
	o.Len++
}
