package occlude

import (
	"iter"
	"math/bits"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Append appends the IDs of the visible objects to dst and returns it: the objects of the view that
// [Culler.Frustum], with Config.MinSize, and the filter keep, except the ones found hidden. An object is
// hidden if every ray of the image that hits its box enters an occluder before it enters the box; see the
// package comment.
//
// The order is that of a breadth-first walk, pending packets first; during a pause, and for an abandoned
// query, the order of [query.Frustum.Append]. It is a function of the changes made to the tree, and of the calls
// made on this Culler and their arguments. It allocates when dst lacks room for the result and 16 more.
//
// For the cost see the package comment. The filter selects the results, not the occluders: an object that
// the filter rejects may occlude. The query updates the memory of large occluders, and so do Count, All,
// Ranges and their forms for scenes if they run to completion. Any and Explain do not.
func (c *Culler) Append(dst []uint32, v linear.View, flt query.Filter) []uint32 {
	answer, ok := c.collect(target{objects: v}, &flt, true)
	defer c.release()
	c.remember(answer, ok)
	if !ok {
		return c.frame.frustum.Append(dst, v, flt)
	}
	defer phase.Enter(phase.Visible).Leave()
	if c.keep(&c.instances[0]) {
		p := &v.Store().Packets
		dst = cull.EmitIDs(dst, p.IDs, p.Counts, c.kept)
	}
	return dst
}

// Count returns the number of visible objects, without reading IDs.
func (c *Culler) Count(v linear.View, flt query.Filter) int {
	answer, ok := c.collect(target{objects: v}, &flt, true)
	defer c.release()
	c.remember(answer, ok)
	if !ok {
		return c.frame.frustum.Count(v, flt)
	}
	return int(c.countKept())
}

// All returns an iterator over the IDs of the visible objects, in the order of [Culler.Append]. The query
// runs when the iteration starts. Changing the tree during the iteration makes it panic.
func (c *Culler) All(v linear.View, flt query.Filter) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		c.Ranges(v, flt, func(r query.Range) bool {
			p := &v.Store().Packets
			for slot := r.First; slot < r.First+r.Count; slot++ {
				m := uint32(r.Mask)
				if m == 0 {
					m = uint32(1)<<p.Counts[slot] - 1
				}
				for ; m != 0; m &= m - 1 {
					if !yield(p.IDs[slot][bits.TrailingZeros32(m)]) {
						return false
					}
					v.Store() // panics if the tree has changed
				}
			}
			return true
		})
	}
}

// Ranges calls yield with the visible objects as ranges of packet slots, in the order of [Culler.Append],
// until yield returns false. Each range is one packet with a mask; during a pause, and for an abandoned
// query, they are the ranges of [query.Frustum.Ranges]. It reads no IDs. Changing the tree in yield makes it
// panic.
func (c *Culler) Ranges(v linear.View, flt query.Filter, yield func(query.Range) bool) {
	answer, ok := c.collect(target{objects: v}, &flt, true)
	c.busy = true
	defer c.endCallback()
	whole := true
	if !ok {
		c.frame.frustum.Ranges(v, flt, func(r query.Range) bool {
			whole = yield(r)
			return whole
		})
	} else if c.keep(&c.instances[0]) {
		for _, r := range c.kept {
			if !yield(query.Range{First: r.First, Count: 1, Mask: uint16(r.N)}) {
				return
			}
			v.Store() // panics if the tree has changed
		}
	}
	if whole {
		c.remember(answer, ok)
	}
}

// Any reports whether an object is visible. It stops at the first one found. It does not count as a query:
// the next one runs as it would have without it. It makes a single pass, so it may return true where Append
// finds all hidden.
func (c *Culler) Any(v linear.View, flt query.Filter) bool {
	found, ok := c.any(target{objects: v}, &flt)
	if !ok {
		return c.frame.frustum.Any(v, flt)
	}
	return found
}
