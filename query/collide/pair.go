package collide

import (
	"iter"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Pair is an overlapping pair: two objects whose closed boxes share a point:
//
//	a.min <= b.max && b.min <= a.max    on each axis
//
// The test is exact, and touching boxes are a pair. With [Filter.Distance] the boxes are at most
// that far apart instead. With [Filter.Exact] their bounds overlap, or are near enough, too. Pairs of
// one tree have A < B, each once. Pairs between two trees have A in the first and B in the second.
type Pair struct {
	A, B uint32
}

// Views selects the objects to pair: within one view, or between two. [Within] and [Between] make
// Views. A query of the zero Views panics.
type Views struct {
	a, b linear.View
	kind kind
}

type kind uint8

const (
	within kind = 1 + iota
	between
)

// Within pairs the objects of a view with each other: each pair of two objects is found once,
// with its smaller ID first. It does not read the view.
func Within(v linear.View) Views { return Views{a: v, kind: within} }

// Between pairs each object A of view a with each object B of view b. If both views are of the
// same tree, each pair of two objects is found twice, and each object with itself. It does not
// read the views.
func Between(a, b linear.View) Views { return Views{a: a, b: b, kind: between} }

// stores returns the trees of the views, the same tree twice within one view. It panics if a view
// has ended, or is the zero View.
func (of *Views) stores() (x, y *soa.Store) {
	if of.kind == 0 {
		panic("collide: the zero Views was used: make it with Within or Between")
	}
	x = of.a.Store()
	if of.kind == within {
		return x, x
	}
	return x, of.b.Store()
}

// Append performs a broad phase, or with [Filter.Distance] a join by distance (fixed-radius
// near-neighbour search): it appends the pairs of an object A and an object B that overlap, or are near
// enough, and pass the filter to dst, each once, and returns it. It searches within one view, or
// between two.
//
// The order is a function of the calls that made the trees, and of the filter: the same on every
// CPU, and with any number of workers in [Batch].
//
// A dual-tree traversal descends into nodes whose boxes overlap and tests one object against 16,
// so the cost is proportional to the pairs of packets that touch. Between two views it is that of
// the smaller view and its surroundings in the other; the order of the views has no effect.
// Within one view, if one object of 32 moves or fewer, each moving object is searched by itself,
// and so is each of a few objects in Filter.Live.
// Static objects add no cost by their number, so an object in a tree that never changes should be
// Static.
//
// It allocates only when dst lacks room for the result. Any number of goroutines may query one
// view. It panics if a view has ended, or is the zero View, or if the filter is out of range
// ([Filter.Check]).
func Append(dst []Pair, views Views, flt Filter) []Pair {
	w := takeSearch(views, flt)
	dst = w.append(dst)
	w.release()
	return dst
}

// Count returns the number of pairs that [Append] appends, without reading IDs. It
// does not allocate.
func Count(views Views, flt Filter) int {
	w := takeSearch(views, flt)
	n := w.count()
	w.release()
	return n
}

// All returns an iterator over the pairs of [Append], in that order. It tests up to 128 pairs of
// packets at a time, so an iteration that stops early costs little, and a full one needs no
// memory for the result. Changing a tree during the iteration makes it panic. It allocates
// nothing.
func All(views Views, flt Filter) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		w := takeSearch(views, flt)
		w.each(&views, yield)
		w.release()
	}
}
