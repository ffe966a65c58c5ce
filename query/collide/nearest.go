package collide

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// Neighbor is a result of [Nearest]: object B is one of the nearest neighbours of object A. Dist2 is the squared
// distance of their boxes, 0 if they overlap, in the formula and with the rounding bound of query.Neighbor:
//
//	d     = max(max(B.min - A.max, A.min - B.max), 0)    on each axis
//	Dist2 = (dx*dx + dy*dy) + dz*dz
//
// For a point A it is the Dist2 of a query.Neighbor of that point, to the bit.
type Neighbor struct {
	A, B  uint32
	Dist2 float32
}

// Nearest performs a k-nearest-neighbour join (all k nearest neighbours, k-NN graph): for each object A of view a, in
// ascending ID, it appends the k objects B of view b whose boxes are nearest to the box of A to dst, nearest first,
// and returns it. If b is the zero View, these are the other objects of a.
//
// Objects at the same Dist2 are ordered by ID. Pairs pass the filter as those of [Between], or of [Within] if b is the
// zero View: an object without k partners that pass has fewer. Filter.Distance, unless 0, is the largest distance of
// a partner, in exact arithmetic.
//
// A negative k, a filter that is out of range, or Filter.Exact, for distances are those of boxes, is an error that
// names it; dst is then returned unchanged. It panics if a view has ended, or if a is the zero View.
//
// Each object of a is searched by itself, in the order of the tree, so that each search finds the nodes of the one
// before it in the cache. The cost of a point is that of query.AppendNearest; a box visits the packets that the
// sphere through its corners, larger by the distance of its k-th neighbour, intersects. Ties beyond the k-th
// neighbour are visited, too. It allocates only when dst lacks room, and until its buffers, 12 bytes for each
// result and 32 for each object of a, have grown. Any number of goroutines may query one view.
func Nearest(dst []Neighbor, a, b linear.View, k int, flt Filter) ([]Neighbor, error) {
	x := a.Store()
	y, self := x, b == (linear.View{})
	if !self {
		y = b.Store()
	}
	switch err := flt.Check(); {
	case err != nil:
		return dst, err
	case k < 0:
		return dst, fmt.Errorf("collide: the %d nearest objects, want 0 or more", k)
	case flt.Exact:
		return dst, errExact
	}
	defer phase.Enter(phase.Nearest).Leave()
	j := nearJoins.Get().(*nearJoin)
	if j.begin(x, y, self, k, &flt) {
		j.filter.exclude(a, flt.Exclude)
		j.run()
		dst = j.appendTo(dst)
	}
	j.end()
	nearJoins.Put(j)
	return dst, nil
}

var errExact = errors.New("collide: Nearest with Filter.Exact, but its distances are those of boxes")

// nearJoin is the state of one call of Nearest.
type nearJoin struct {
	x, y     *soa.Store
	self     bool // x is y, and no object is its own neighbour
	k        int
	filter   laneFilter
	nodes    asm.NodeFilter
	static   bool    // pairs of static objects pass
	distance float32 // 0: any
	bound    float32 // of Dist2
	sure     float64 // a Dist2 up to which an object is within the distance; below 0 if none is

	// The object of x that is searched from.
	id       uint32
	mask     uint32 // its type mask
	accepted uint32 // layers that accept it
	moving   bool
	box      soa.AABB

	search *walk.Nearest
	list   []Neighbor // in the order of the tree
	ids    []uint64   // objects of x in that order
	ends   []int      // of their neighbours
	sort   radix.Scratch
}

// nearReserved is the number of neighbours up to which room for as many of each object is reserved.
const nearReserved = 16

var nearJoins = sync.Pool{New: func() any { return new(nearJoin) }}

// begin reads the arguments and reports whether any pair can pass.
func (j *nearJoin) begin(x, y *soa.Store, self bool, k int, flt *Filter) (any bool) {
	j.x, j.y, j.self, j.k = x, y, self, k
	if j.nodes, any = j.filter.prepare(flt); any {
		any = j.filter.resolve(&j.nodes, &x.Packets, &y.Packets)
	}
	j.static, j.distance, j.bound = flt.StaticPairs, flt.Distance, float32(math.Inf(1))
	if d := float64(flt.Distance); d > 0 {
		j.bound = trace.NearBound(flt.Distance)
		// Dist2 is at least (1 - 5u) of the exact square, less 2^-148.
		j.sure = float64(d*d*(1-8*0x1p-24)) - 0x1p-146
	}
	j.list, j.ids, j.ends = j.list[:0], j.ids[:0], j.ends[:0]
	if few := min(k, y.Count); few <= nearReserved {
		j.list = slices.Grow(j.list, few*x.Count)
	}
	return any && k > 0
}

// end drops references to the caller's data.
func (j *nearJoin) end() {
	j.x, j.y = nil, nil
	j.filter.one, j.filter.both = nil, nil
}

// run searches from all objects of x.
func (j *nearJoin) run() {
	j.search = walk.TakeNearest()
	p := &j.x.Packets
	for slot := range p.Counts {
		for lane := range int(p.Counts[slot]) {
			if j.take(uint32(slot), lane) {
				j.find()
			}
			j.ids, j.ends = append(j.ids, uint64(p.IDs[slot][lane])), append(j.ends, len(j.list))
		}
	}
	j.search.Release()
	j.search = nil
}

// take makes the object in a lane the one to search from, and reports whether it can have a neighbour.
func (j *nearJoin) take(slot uint32, lane int) bool {
	p, f := &j.x.Packets, &j.filter
	j.id, j.mask, j.moving, j.box = p.IDs[slot][lane], p.MaskAt(slot, lane), p.Moving[slot]>>lane&1 != 0, p.Box(slot, lane)
	if f.isExcluded(j.id) || f.mask != 0 && j.mask&f.mask == 0 {
		return false
	}
	if f.layered {
		j.accepted = f.partners(j.mask)
		j.nodes.Mask = j.accepted
		if j.accepted == 0 {
			return false
		}
	}
	j.nodes.Flags = soa.RefFlags
	if !j.static && !j.moving {
		j.nodes.Flags = soa.RefMoving
	}
	return true
}

// find appends the neighbours of the object.
func (j *nearJoin) find() {
	q, own := j.search, 0
	if j.self {
		own = 1 // it finds itself
	}
	if j.box.Min == j.box.Max && !j.filter.on && !j.filter.byID() && (j.static || j.moving) && j.distance == 0 {
		q.Search(j.y, &j.box.Min, j.k+min(own, math.MaxInt-j.k), j.bound, &walk.Everything)
	} else {
		q.SearchBox(j.y, &j.box, j.k, j.bound, j.nodes, j)
	}
	found := q.Found()
	left := j.k
	for _, key := range found {
		n := q.Neighbor(key)
		if left == 0 {
			break
		}
		if own != 0 && n.ID == j.id {
			continue
		}
		j.list = append(j.list, Neighbor{j.id, n.ID, n.Dist2})
		left--
	}
}

// Keep implements [walk.Candidates].
func (j *nearJoin) Keep(slot, m uint32) uint32 {
	p, f := &j.y.Packets, &j.filter
	if f.mask != 0 {
		m &= asm.PacketMaskLanes(p, slot, f.mask)
	}
	if f.layered {
		m &= asm.PacketMaskLanes(p, slot, j.accepted)
	}
	if !j.static && !j.moving {
		m &= uint32(p.Moving[slot])
	}
	if !j.self && !f.byID() {
		return m
	}
	ids := &p.IDs[slot]
	for left := m; left != 0; left &= left - 1 {
		l := bits.TrailingZeros32(left) & (soa.Lanes - 1)
		if j.self && ids[l] == j.id || !f.passes(j.id, ids[l], j.self) {
			m &^= 1 << l
		}
	}
	return m
}

// Within implements [walk.Candidates].
func (j *nearJoin) Within(slot uint32, lane int, d2 float32) bool {
	if j.distance == 0 || j.y.Extent[0] >= 0x1p-40 && float64(d2) <= j.sure {
		return true
	}
	a := [6]float32{j.box.Min[0], j.box.Max[0], j.box.Min[1], j.box.Max[1], j.box.Min[2], j.box.Max[2]}
	b := laneOf(&j.y.Packets.Bounds[slot], lane)
	return exact.BoxesNear(&a, &b, j.distance)
}

// appendTo appends the neighbours of all objects, in ascending ID.
func (j *nearJoin) appendTo(dst []Neighbor) []Neighbor {
	dst = slices.Grow(dst, len(j.list))
	items, _ := j.sort.Order(j.ids, radix.Options{}) // fails only when it is cancelled
	for _, item := range items {
		i, first := radix.Index(item), 0
		if i > 0 {
			first = j.ends[i-1]
		}
		dst = append(dst, j.list[first:j.ends[i]]...)
	}
	return dst
}
