// Package index defines the interfaces of a spatial index in the benchmark harness, and the geometric tests
// that all indexes share. With these tests, the tests of packages query and asm evaluated box by box, all
// indexes give the same results.
//
// An index implements [Index], and further small interfaces for its capabilities. IDs are dense and assigned
// by the caller: the object at position i of Build has ID i.
//
// Objects must have valid boxes ([soa.AABB.Check]). Removed and moved IDs must be stored, inserted IDs must
// not be. An index panics with the ID otherwise. A query may modify an index internally, so only one
// goroutine at a time may use it, unless its documentation says otherwise.
package index

import "github.com/zoctree/zoctree/soa"

// Index stores objects.
type Index interface {
	// Build replaces the contents by these objects. It does not retain the slice.
	Build(objects []soa.Object)
}

// Sizer returns the memory of an index, capacity included.
type Sizer interface{ Bytes() int }

// Inserter inserts single objects.
type Inserter interface{ Insert(id uint32, o soa.Object) }

// Remover removes single objects.
type Remover interface{ Remove(id uint32) }

// Mover changes the box of a stored object.
type Mover interface{ Move(id uint32, box soa.AABB) }

// Ticker runs the end-of-frame work.
type Ticker interface{ Tick() }

// Settler runs the work that an index would defer to queries or ticks. It does not change any result.
type Settler interface{ Settle() }

// Volumes appends the IDs of the objects that intersect a volume to dst, in any order.
type Volumes interface {
	Append(dst []uint32, v *Volume) []uint32
}

// Rays casts rays.
type Rays interface {
	// AppendHits appends all hits to dst, by time, then ID.
	AppendHits(dst []Hit, r *Ray) []Hit

	// First returns the first hit.
	First(r *Ray) (h Hit, ok bool)
}

// Nearest is k-nearest-neighbour search: it appends the k objects nearest to a point, sorted by the squared
// distance of [Dist2] and then by ID.
type Nearest interface {
	AppendNearest(dst []Neighbor, point [3]float32, k int) []Neighbor
}

// Pairs is the search for all pairs: it calls yield once for each two objects whose closed boxes share a
// point, in any order, except for two static objects.
type Pairs interface{ Pairs(yield func(a, b uint32)) }

// Stats describes the shape of a tree.
type Stats struct {
	Objects int
	Nodes   int // including leaves
	Depth   int // nodes on the path from the root to the deepest leaf
	Inner   int // objects in nodes with children: most straddle a border
}

// Shaper returns the shape of a tree, without pending objects.
type Shaper interface{ Stats() Stats }

// Add counts a node at a depth; the root has depth 1.
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

// Octree is the common interface of the classic octrees.
type Octree interface {
	Index
	Sizer
	Inserter
	Remover
	Mover
	Volumes
	Rays
	Pairs
	Shaper
	Validator
}
