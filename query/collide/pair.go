package collide

import (
	"fmt"
	"iter"

	"github.com/zoctree/zoctree/linear"
)

// Pair is two objects whose closed boxes share a point:
//
//	a.min <= b.max && b.min <= a.max    on each axis
//
// which is exact: boxes that touch are a pair, and no others than those that
// overlap; with [PairFilter.Exact] their bounding spheres meet, too. Pairs of one tree have A < B, each once. Pairs between two trees have
// A in the first and B in the second.
type Pair struct {
	A, B uint32
}

// PairFilter restricts pairs, as the filters of physics engines do. The zero
// value keeps every pair but those of two static objects.
//
// Static objects and masks are looked at on the way down, so that what is
// excluded costs nothing: static objects next to each other are never tested.
type PairFilter struct {
	// Mask keeps the pairs of which both objects have a type mask with a bit
	// in common with it. 0 keeps all.
	Mask uint32

	// Layers, unless nil, says which of the 32 bits of a type mask collide.
	Layers *Layers

	// StaticPairs keeps pairs of two static objects, too.
	StaticPairs bool

	// Exact tests the bounding sphere of an object that has one (package
	// linear, Tree.SetSphere) beside its box, as the Exact of query.Filter does: of two
	// objects whose boxes overlap, at least one with a sphere, it keeps those
	// whose spheres, or sphere and box, share a point. In float64, of the
	// float32 numbers of the tree:
	//
	//	sphere, sphere    |a - b| <= (ra + rb) * (1 + 2^-40)
	//	sphere, box       |a - nearest point of the box| <= ra * (1 + 2^-40)
	//
	// What is added exceeds the rounding errors: no pair that meets is lost,
	// and those kept would meet if the radii were larger by a relative 2^-39.
	// The answer is the same on every CPU. Without Exact the boxes decide.
	Exact bool
}

// Layers says what collides with what, bit by bit of the type masks. Bit d of
// Layers[c] says that layer c accepts layer d. A pair is kept when one object
// has a layer and the other has one such that each accepts the other.
//
// When every object has one layer, the type mask is what Box2D calls category
// bits and Bullet the collision filter group, and Layers[c] is their mask of the
// objects in layer c:
//
//	a.category & b.mask != 0 && b.category & a.mask != 0
//
// An object without a layer (type mask 0) collides with nothing. The zero value
// lets nothing collide; [AllLayers] everything.
type Layers [32]uint32

// AllLayers returns layers that all accept each other.
func AllLayers() (l Layers) {
	for c := range l {
		l[c] = ^uint32(0)
	}
	return l
}

// Set lets two layers, 0 to 31, accept each other or not. It panics when a layer
// is out of range.
func (l *Layers) Set(c, d int, collide bool) {
	if uint(c) >= 32 || uint(d) >= 32 {
		panic(fmt.Sprintf("query: layers %d and %d are not 0 to 31", c, d))
	}
	l[c] &^= 1 << d
	l[d] &^= 1 << c
	if collide {
		l[c] |= 1 << d
		l[d] |= 1 << c
	}
}

// AppendPairs appends all pairs of overlapping objects that pass the filter to
// dst and returns it. Each pair is there once, its smaller ID first. The order
// is a function of the calls that made the tree: the same on every CPU, and with
// any number of workers in [PairBatch].
//
// Cost: the tree is walked against itself, nodes whose boxes overlap against
// each other, then one object against 16, so it is proportional to the pairs of
// packets that touch. Where one object of 32 moves or fewer, those that move are
// looked up one by one: what is static costs nothing by its number. It allocates only when dst lacks room for the answer. Any
// number of goroutines may query one view.
func AppendPairs(dst []Pair, v linear.View, flt PairFilter) []Pair {
	w := takePairs(v, v, flt, true)
	dst = w.append(dst)
	w.release()
	return dst
}

// CountPairs returns the number of pairs that [AppendPairs] appends, without
// reading IDs.
func CountPairs(v linear.View, flt PairFilter) int {
	w := takePairs(v, v, flt, true)
	n := w.count()
	w.release()
	return n
}

// Pairs returns an iterator over the pairs, in the order of [AppendPairs]. It
// tests up to 256 pairs of packets at a time, so an iteration that stops early
// costs little, and one that does not needs no room for the answer. Changing the
// tree during the iteration makes it panic. It allocates nothing.
func Pairs(v linear.View, flt PairFilter) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		w := takePairs(v, v, flt, true)
		w.each(v, v, yield)
		w.release()
	}
}

// AppendPairsBetween appends the pairs of an object A of the first view and an
// object B of the second that overlap and pass the filter, each once, and
// returns dst. The views may be of the same tree: then every pair of two objects
// is there twice, and each object is paired with itself. Order, cost and
// allocation are as for [AppendPairs].
//
// The cost is that of the smaller view and its surroundings in the other, which
// comes first does not matter. An object that does not move in a tree that never
// changes should be Static: then those of the other tree that are static, too,
// cost nothing.
func AppendPairsBetween(dst []Pair, a, b linear.View, flt PairFilter) []Pair {
	w := takePairs(a, b, flt, false)
	dst = w.append(dst)
	w.release()
	return dst
}

// CountPairsBetween returns the number of pairs that [AppendPairsBetween]
// appends, without reading IDs.
func CountPairsBetween(a, b linear.View, flt PairFilter) int {
	w := takePairs(a, b, flt, false)
	n := w.count()
	w.release()
	return n
}

// PairsBetween returns an iterator over the pairs of [AppendPairsBetween], in
// that order, as [Pairs] does.
func PairsBetween(a, b linear.View, flt PairFilter) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		w := takePairs(a, b, flt, false)
		w.each(a, b, yield)
		w.release()
	}
}
