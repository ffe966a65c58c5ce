package scene

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/linear"
)

// digits are the numbers by which a list is sorted, the most significant first: one of its own, and six of each of two
// objects. An object has the ID of each instance of its path plus 1, 0 beyond the path, and its own ID: objects
// ascend as these do ([Object.Compare]).
//
//	0     1  2  3  4  5   6    7  8  9  10 11  12
//	own   path of A       A    path of B       B
type digits [1 + 2*objectDigits]uint32

const objectDigits = linear.MaxDepth + 1

// setPair sets the digits of two objects.
func (d *digits) setPair(a, b *Object) {
	for i, o := range [2]*Object{a, b} {
		to := d[1+i*objectDigits:][:objectDigits]
		for k, id := range o.Path.ids {
			if to[k] = 0; k < int(o.Path.n) {
				to[k] = id + 1
			}
		}
		to[objectDigits-1] = o.ID
	}
}

// sorter sorts lists of T by radix. The zero value is ready to use.
type sorter[T any] struct {
	former []T
	keys   []uint64
	order  []uint32
	radix  radix.Scratch
	digits digits // of an element
}

// fewSorted is the length up to which a sort by comparison takes about as long.
const fewSorted = 32

// sort sorts a list in ascending order of the digits that set writes, which is the order of compare.
//
// Digits take as many bits as the largest of them, so the digits of a shallow scene mostly fit one key. Else keys
// of up to 63 bits are sorted one after the other, the least significant first.
func (s *sorter[T]) sort(list []T, compare func(x, y T) int, set func(d *digits, x *T)) {
	n := len(list)
	if n <= fewSorted || n > radix.MaxLen {
		slices.SortFunc(list, compare)
		return
	}
	d, used := &s.digits, digits{}
	for i := range list {
		set(d, &list[i])
		for k := range d {
			used[k] |= d[k]
		}
	}
	s.keys = slices.Grow(s.keys[:0], n)[:n]
	s.order = s.order[:0] // empty: the order of the list
	for end := len(used); end > 0; {
		first, width := end, 0
		for first > 0 && width+bits.Len32(used[first-1]) <= 63 {
			first--
			width += bits.Len32(used[first])
		}
		s.pass(list, set, &used, first, end)
		end = first
	}
	s.former = append(s.former[:0], list...)
	for i, at := range s.order {
		list[i] = s.former[at]
	}
}

// pass sorts the order by some digits.
func (s *sorter[T]) pass(list []T, set func(d *digits, x *T), used *digits, first, end int) {
	d := &s.digits
	for i := range s.keys {
		at := i
		if len(s.order) > 0 {
			at = int(s.order[i])
		}
		set(d, &list[at])
		key := uint64(0)
		for k := first; k < end; k++ {
			key = key<<bits.Len32(used[k]) | uint64(d[k])
		}
		s.keys[i] = key
	}
	items, _ := s.radix.Order(s.keys, radix.Options{}) // fails only if it is cancelled
	for i, item := range items {
		if items[i] = uint64(radix.Index(item)); len(s.order) > 0 {
			items[i] = uint64(s.order[items[i]])
		}
	}
	s.order = s.order[:0]
	for _, i := range items {
		s.order = append(s.order, uint32(i))
	}
}

// pairSorter sorts pairs of one part by A, then B.
type pairSorter struct{ sorter[Pair] }

func (s *pairSorter) sort(pairs []Pair) {
	s.sorter.sort(pairs, comparePairs, func(d *digits, p *Pair) { d.setPair(&p.A, &p.B) })
}
