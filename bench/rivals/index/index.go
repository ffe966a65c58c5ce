// Package index is what the harness asks of a spatial index, and the tests that
// every index uses, so that all give the same answers: those of packages query
// and asm, evaluated box by box.
//
// An index is an [Index]; what more it can do shows in the small interfaces
// that it has. IDs are dense and given by the caller: the object at position i
// of Build has ID i.
//
// Objects must have valid boxes ([soa.AABB.Check]). IDs that are to be removed
// or moved must be stored, those that are inserted must not be. An index panics
// with the ID otherwise. An index may tidy up during a query: one goroutine at
// a time, unless it says more.
package index

import "github.com/zoctree/zoctree/soa"

// Index stores objects.
type Index interface {
	// Build replaces everything stored by these objects. It does not keep
	// the slice.
	Build(objects []soa.Object)

	// Bytes returns the memory that the index holds, capacity included.
	Bytes() int
}

// Inserter takes objects one by one.
type Inserter interface{ Insert(id uint32, o soa.Object) }

// Remover gives objects up.
type Remover interface{ Remove(id uint32) }

// Mover gives a stored object another box.
type Mover interface{ Move(id uint32, box soa.AABB) }

// Ticker does what is to be done at the end of a frame.
type Ticker interface{ Tick() }

// Settler does at once what an index would put off until it is asked. It changes
// no answer.
type Settler interface{ Settle() }

// Volumes appends the IDs of the objects that meet a volume to dst, in any
// order.
type Volumes interface {
	Append(dst []uint32, v *Volume) []uint32
}

// Rays finds what a ray meets.
type Rays interface {
	// AppendHits appends all hits to dst, by time, then ID.
	AppendHits(dst []Hit, r *Ray) []Hit

	// First returns the first of them.
	First(r *Ray) (h Hit, ok bool)
}

// Nearest appends the k objects nearest to a point, nearest first, equally near
// ones by ID, by the squared distance that [Dist2] gives.
type Nearest interface {
	AppendNearest(dst []Neighbor, point [3]float32, k int) []Neighbor
}

// Pairs calls yield once for each two objects whose closed boxes share a point,
// in any order, but not for two static ones.
type Pairs interface{ Pairs(yield func(a, b uint32)) }

// Stats is the shape of a tree.
type Stats struct {
	Objects int
	Nodes   int // leaves too
	Depth   int // nodes from the root to the deepest leaf
	Inner   int // objects that lie in a node with children: most straddle a border
}

// Shaper tells the shape of a tree. What waits outside of it does not count.
type Shaper interface{ Stats() Stats }

// Add counts a node at a depth, 1 for the root.
func (s *Stats) Add(depth, objects int, leaf bool) {
	s.Objects += objects
	s.Nodes++
	s.Depth = max(s.Depth, depth)
	if !leaf {
		s.Inner += objects
	}
}

// Validator checks the invariants of an index.
type Validator interface{ Validate() error }

// Octree is what each of the classic octrees can do.
type Octree interface {
	Index
	Inserter
	Remover
	Mover
	Ticker
	Round
	Volumes
	Rays
	Pairs
	Shaper
	Validator
}
