package collide

import (
	"iter"

	"github.com/zoctree/zoctree/linear"
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

// Append appends the pairs of an object A of view a and an object B of view b that
// overlap and pass the filter to dst, each once, and returns it. The zero b asks for
// the pairs within a: each pair of two objects once, its smaller ID first. Where a
// and b are of the same tree instead, every such pair is there twice, and each object
// is paired with itself.
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
// query one view. A view that has ended is a panic, and so is the zero a.
func Append(dst []Pair, a, b linear.View, flt Filter) []Pair {
	w := takeSearch(a, b, flt)
	dst = w.append(dst)
	w.release()
	return dst
}

// Count returns the number of pairs that [Append] appends, without reading IDs. It
// does not allocate.
func Count(a, b linear.View, flt Filter) int {
	w := takeSearch(a, b, flt)
	n := w.count()
	w.release()
	return n
}

// All returns an iterator over the pairs of [Append], in that order. It tests up to
// 128 pairs of packets at a time, so an iteration that stops early costs little, and
// one that does not needs no room for the answer. Changing a tree during the
// iteration makes it panic. It allocates nothing.
func All(a, b linear.View, flt Filter) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		w := takeSearch(a, b, flt)
		w.each(a, b, yield)
		w.release()
	}
}

// isWithin reports whether a question of a view and b is one of that view alone. No
// view of a tree is the zero one, also when it has ended.
func isWithin(b linear.View) bool { return b == linear.View{} }
