package soa

import (
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/mem"
)

// Generations is a column of generations by ID, in halves of 16 bits. The low half alone decides whether an ID is live.
//
//	Low   bits 0 to 15; odd: the ID is live
//	High  bits 16 to 31; no rows until a generation needs them, from then on as many as Low
//
// An ID needs its high half from the 32,768th release on. Few trees ever have such an ID, and then all of its IDs get
// the second column at once.
type Generations struct {
	Low, High []uint16
}

// Len returns the number of IDs.
func (g *Generations) Len() int { return len(g.Low) }

// At returns the generation of an ID.
func (g *Generations) At(id uint32) uint32 {
	gen := uint32(g.Low[id])
	if len(g.High) > 0 {
		gen |= uint32(g.High[id]) << 16
	}
	return gen
}

// Set sets the generation of an ID.
func (g *Generations) Set(id, gen uint32) {
	g.Low[id] = uint16(gen)
	if gen > math.MaxUint16 {
		g.widen()
	}
	if len(g.High) > 0 {
		g.High[id] = uint16(gen >> 16)
	}
}

// release increments an odd generation. An even one increments without a carry, in Low.
func (g *Generations) release(id uint32) {
	if g.Low[id]++; g.Low[id] == 0 {
		g.widen()
		g.High[id]++ // the last generation is followed by 0
	}
}

// widen puts the high halves in use, unless they are. They are 0.
func (g *Generations) widen() {
	if n := len(g.Low); len(g.High) < n {
		g.High = mem.FreshWithRoom(g.High, n, cap(g.Low)-n)
		clear(g.High)
	}
}

// add appends the generation of a new ID.
func (g *Generations) add(gen uint32) {
	wide := len(g.High) > 0
	g.Low = append(g.Low, uint16(gen))
	if wide {
		g.High = append(g.High, uint16(gen>>16))
	} else if gen > math.MaxUint16 {
		g.Set(uint32(len(g.Low)-1), gen)
	}
}

// fill sets all n generations to gen. New memory has room for more IDs: see mem.FreshWithRoom.
func (g *Generations) fill(n, more int, gen uint32) {
	g.Low, g.High = mem.FreshWithRoom(g.Low, n, more), g.High[:0]
	for i := range g.Low {
		g.Low[i] = uint16(gen)
	}
	if gen > math.MaxUint16 {
		g.widen()
		for i := range g.High {
			g.High[i] = uint16(gen >> 16)
		}
	}
}

// reserve makes room for n IDs.
func (g *Generations) reserve(n int) {
	g.Low = mem.Resize(g.Low, n)[:len(g.Low)]
	if len(g.High) > 0 {
		g.High = mem.Resize(g.High, n)[:len(g.High)]
	}
}

// Resize sets the number of IDs. The generations of new ones are unspecified until they are set.
func (g *Generations) Resize(n int) {
	g.Low = mem.Resize(g.Low, n)
	if len(g.High) > 0 {
		g.High = mem.Resize(g.High, n)
	}
}

// Trim drops the generations from ID n on, high halves that are all 0, and the memory that the others do not need.
func (g *Generations) Trim(n int) {
	n = min(n, len(g.Low))
	g.Low, g.High = slices.Clone(g.Low[:n:n]), g.High[:min(n, len(g.High))]
	if !slices.ContainsFunc(g.High, func(h uint16) bool { return h != 0 }) {
		g.High = nil
	}
	g.High = slices.Clone(g.High)
}

// Clone returns an independent copy.
func (g *Generations) Clone() Generations {
	return Generations{slices.Clone(g.Low), slices.Clone(g.High)}
}

// CopyFrom makes g equal to other generations, and reuses its memory where that is large enough.
func (g *Generations) CopyFrom(from *Generations) {
	g.Low, g.High = mem.Fresh(g.Low, len(from.Low)), mem.Fresh(g.High, len(from.High))
	copy(g.Low, from.Low)
	copy(g.High, from.High)
}

// Fill makes g the generations of n IDs, which are all gen.
func (g *Generations) Fill(n int, gen uint32) { g.fill(n, 0, gen) }

// SetAll makes g equal to a list of generations.
func (g *Generations) SetAll(gens []uint32) {
	g.Low, g.High = mem.Fresh(g.Low, len(gens)), g.High[:0]
	for id, gen := range gens {
		g.Low[id] = uint16(gen)
	}
	for id, gen := range gens {
		if gen > math.MaxUint16 {
			g.widen()
			g.High[id] = uint16(gen >> 16)
		}
	}
}

// CopyTo writes the generations of the first len(dst) IDs to a list.
func (g *Generations) CopyTo(dst []uint32) {
	for id, low := range g.Low[:len(dst)] {
		dst[id] = uint32(low)
	}
	if len(g.High) > 0 {
		for id, high := range g.High[:len(dst)] {
			dst[id] |= uint32(high) << 16
		}
	}
}

// Bytes returns the size of the memory of the columns.
func (g *Generations) Bytes() int { return mem.Bytes(g.Low) + mem.Bytes(g.High) }
