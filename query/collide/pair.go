package collide

import (
	"iter"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Pair is two objects whose closed boxes share a point:
//
//	a.min <= b.max && b.min <= a.max    on each axis
//
// which is exact: boxes that touch are a pair, and no others than those that
// overlap; with [Filter.Exact] their bounds meet, too. Pairs of one tree
// have A < B, each once. Pairs between two trees have A in the first and B in the
// second.
type Pair struct {
	A, B uint32
}

// Views say which objects are paired: those within one view, or those of one with those of
// another. [Within] and [Between] make them. A query of the zero Views panics.
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

// Between pairs each object A of view a with each object B of view b. Where both are of the
// same tree, each pair of two objects is found twice, and each object with itself. It does not
// read the views.
func Between(a, b linear.View) Views { return Views{a: a, b: b, kind: between} }

// stores returns the trees of the views, which are one tree within a view. It panics when a view has ended, or
// is the zero one.
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

// Append appends the pairs of an object A and an object B that overlap and pass the filter
// to dst, each once, and returns it: within one view, or between two.
//
// The order is a function of the calls that made the trees: the same on every CPU,
// and with any number of workers in [Batch].
//
// Cost: the trees are walked against each other, nodes whose boxes overlap, then one
// object against 16, so it is proportional to the pairs of packets that touch.
// Between two it is that of the smaller view and its surroundings in the other;
// which comes first does not matter. Within one where one object of 32 moves or
// fewer, those that move are looked up one by one. What is static costs nothing by
// its number, so an object in a tree that never changes should be Static.
//
// It allocates only when dst lacks room for the answer. Any number of goroutines may
// query one view. A view that has ended is a panic, and so is the zero one.
func Append(dst []Pair, of Views, flt Filter) []Pair {
	w := takeSearch(of, flt)
	dst = w.append(dst)
	w.release()
	return dst
}

// Count returns the number of pairs that [Append] appends, without reading IDs. It
// does not allocate.
func Count(of Views, flt Filter) int {
	w := takeSearch(of, flt)
	n := w.count()
	w.release()
	return n
}

// All returns an iterator over the pairs of [Append], in that order. It tests up to
// 128 pairs of packets at a time, so an iteration that stops early costs little, and
// one that does not needs no room for the answer. Changing a tree during the
// iteration makes it panic. It allocates nothing.
func All(of Views, flt Filter) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		w := takeSearch(of, flt)
		w.each(&of, yield)
		w.release()
	}
}
