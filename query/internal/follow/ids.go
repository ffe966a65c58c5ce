package follow

import "github.com/zoctree/zoctree/internal/mem"

// IDs is a set of IDs with a list of them. The zero value is empty.
type IDs struct {
	List []uint32 // each ID once, in the order in which they were added
	Bits []uint64 // the set: bit ID%64 of word ID/64
}

// Reset empties the set, in time proportional to its members.
func (s *IDs) Reset() {
	for _, id := range s.List {
		s.Bits[id>>6] = 0
	}
	s.List = s.List[:0]
}

// Add adds an ID, and reports whether it is new.
func (s *IDs) Add(id uint32) bool {
	if Has(s.Bits, id) {
		return false
	}
	s.Cover(int(id) + 1)
	s.Bits[id>>6] |= 1 << (id & 63)
	s.List = append(s.List, id)
	return true
}

// Cover makes room for the IDs below n.
func (s *IDs) Cover(n int) { s.Bits = Cover(s.Bits, n) }

// Bit returns 1 if an ID for which there is room is in the set, else 0.
func (s *IDs) Bit(id uint32) uint32 { return uint32(s.Bits[id>>6]>>(id&63)) & 1 }

// Has reports whether bit id%64 of word id/64 of a set is set. Bits behind the last word are not.
func Has(set []uint64, id uint32) bool {
	i := int(id >> 6)
	return i < len(set) && set[i]>>(id&63)&1 != 0
}

// Cover returns a set with room for the IDs below n, with the same members.
func Cover(set []uint64, n int) []uint64 {
	have, want := len(set), (n+63)/64
	if want <= have {
		return set
	}
	set = mem.Resize(set, want)
	clear(set[have:])
	return set
}
