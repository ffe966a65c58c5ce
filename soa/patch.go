package soa

import (
	"math/bits"
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
)

// Rows is a set of rows of a column: bit i&63 of word i>>6 is row i. Words that
// are missing are 0.
type Rows []uint64

// Patch updates an older copy of a store to equal from. It copies the rows of three sets, each in
// the columns of its [Kind], all rows behind the last row of s, and the data outside rows. Rows
// that are in no set must already be equal. It allocates only when columns grow. The time is
// proportional to the number of rows copied.
func (s *Store) Patch(from *Store, nodes, packets, boxes Rows) {
	sets := [...]Rows{HotNodes: nodes, ColdNodes: nodes, Labels: packets, Boxes: boxes}
	var room, other columnList
	theirs := from.columns(other[:0])
	for i, col := range s.columns(room[:0]) {
		col.patch(theirs[i].rows, sets[col.Kind])
	}
	n, f := &s.Nodes, &from.Nodes
	n.free, n.unused, n.limit = f.free, f.unused, f.limit
	p, g := &s.Packets, &from.Packets
	p.limit, p.Mask, p.masked = g.limit, g.Mask, g.Masked()

	s.Pending = append(s.Pending[:0], from.Pending...)
	s.Near, s.Extent, s.Count, s.Counted = from.Near, from.Extent, from.Count, from.Counted
	s.Version, s.Tree = from.Version, from.Tree
	switch {
	case from.Log == nil:
		s.Log = nil
	case s.Log == nil:
		s.Log = new(Log)
		fallthrough
	default:
		s.Log.Follow(from.Log)
	}
}

// CopyFrom makes the store equal to another one and reuses its memory where that is large enough.
func (s *Store) CopyFrom(from *Store) {
	s.Empty()
	s.Packets.forgetBounds()
	s.Patch(from, nil, nil, nil)
}

// patched returns col made equal to from: it copies the rows of the set and the rows that col
// lacks.
func patched[T any](col, from []T, rows Rows) []T {
	have := min(len(col), len(from))
	if len(from) <= cap(col) {
		col = col[:len(from)]
	} else if have == 0 {
		col = mem.Fresh(col, cap(from))[:len(from)] // with the same room to grow
	} else {
		col = mem.Resize(col, len(from))
	}
	ahead := unsafe.Sizeof(*new(T)) >= mem.Line // smaller rows share lines
	for w, m := range rows {
		first := w << 6
		if first >= have {
			break
		}
		if ahead && w+1 < len(rows) {
			fetchRows(col, from, first+64, rows[w+1])
		}
		for m != 0 {
			// The next run of rows in this word.
			lo := bits.TrailingZeros64(m)
			hi := lo + bits.TrailingZeros64(^(m >> lo))
			copy(col[min(first+lo, have):min(first+hi, have)], from[min(first+lo, have):])
			m &^= 1<<hi - 1
		}
	}
	copy(col[have:], from[have:])
	return col
}

// fetchRows prefetches the rows of a word of a set in two columns, so that their cache misses
// overlap.
func fetchRows[T any](a, b []T, first int, m uint64) {
	var rows [64]uint32
	n := 0
	for ; m != 0; m &= m - 1 {
		rows[n] = uint32(first + bits.TrailingZeros64(m))
		n++
	}
	mem.Prefetch(b, rows[:n], 0)
	mem.Prefetch(a, rows[:n], 0)
}
