package soa

// Free lists are last in, first out: a tree is a function of the calls made to it, and memory that
// is still in the cache is reused first.

// BlockSlots is the number of slots of a block.
const BlockSlots = Fan

// Alloc returns a node without lanes and without a parent.
func (c *NodeColumns) Alloc() uint32 {
	n := c.free - 1
	if c.free != 0 {
		c.free = uint32(c.Parents[n])
		c.unused--
	} else {
		n = uint32(len(c.Hot))
		c.Resize(int(n) + 1)
	}
	c.Reset(n)
	return n
}

// MaxNodes and MaxSlots are the largest numbers of nodes and slots. A location holds a slot of 28
// bits and a parent link a node of 28 bits; each type reserves its last value for none.
const (
	MaxNodes = 1<<28 - 1
	MaxSlots = 1<<28 - BlockSlots
)

// Limit returns the largest number of nodes.
func (c *NodeColumns) Limit() int { return limit(c.limit, MaxNodes) }

// SetLimit sets the largest number of nodes, for tests of exhaustion. 0 means [MaxNodes].
func (c *NodeColumns) SetLimit(n int) { c.limit = n }

// Fits reports whether [NodeColumns.Alloc] can be called n times.
func (c *NodeColumns) Fits(n int) bool { return n <= c.unused+c.Limit()-len(c.Hot) }

func limit(set, most int) int {
	if set != 0 {
		return set
	}
	return most
}

// Reset clears node n: no lanes and no parent.
func (c *NodeColumns) Reset(n uint32) {
	c.Hot[n] = EmptyNode
	c.Parents[n] = NoParent
	c.Slots[n] = Span{}
	c.Keys[n], c.Cells[n] = NoKeys, NoSpan
	c.Below[n], c.Area[n] = 0, 0
	c.Used[n], c.Height[n], c.MinTicks[n], c.FreeAtTick[n] = 0, 0, 0, 0
}

// Free puts a node on the free list.
func (c *NodeColumns) Free(n uint32) {
	c.Reset(n)
	c.Parents[n] = Up(c.free)
	c.free = n + 1
	c.unused++
}

// Unused returns the number of free nodes.
func (c *NodeColumns) Unused() int { return c.unused }

// EachFree calls f with each free node until it returns false.
func (c *NodeColumns) EachFree(f func(n uint32) bool) {
	for next := c.free; next != 0 && f(next-1); next = uint32(c.Parents[next-1]) {
	}
}

// Forget empties the free list, before a build that uses every node.
func (c *NodeColumns) Forget() { c.free, c.unused = 0, 0 }

// AllocBlock returns the first of [BlockSlots] empty slots.
func (c *PacketColumns) AllocBlock() uint32 {
	first := c.free - 1
	if c.free != 0 {
		c.free = c.IDs[first][0]
		c.unused -= BlockSlots
		c.IDs[first][0] = 0
		return first
	}
	n := len(c.Counts)
	first = uint32(n+BlockSlots-1) &^ (BlockSlots - 1)
	c.Resize(int(first) + BlockSlots)
	for slot := uint32(n); slot < first+BlockSlots; slot++ {
		c.Clear(slot)
	}
	return first
}

// FreeBlock puts a block on the free list. Its slots must be empty.
func (c *PacketColumns) FreeBlock(first uint32) {
	parents, placements := c.Parents[first:first+BlockSlots], c.PlacementBoxes[first:first+BlockSlots]
	none := Empty()
	for i := range parents {
		parents[i] = NoParent
	}
	for i := range placements {
		placements[i] = none
	}
	c.IDs[first][0] = c.free
	c.free = first + 1
	c.unused += BlockSlots
}

// Limit returns the largest number of slots.
func (c *PacketColumns) Limit() int { return limit(c.limit, MaxSlots) }

// SetLimit sets the largest number of slots, for tests of exhaustion. 0 means [MaxSlots].
func (c *PacketColumns) SetLimit(n int) { c.limit = n }

// Fits reports whether [PacketColumns.AllocBlock] can be called n times.
func (c *PacketColumns) Fits(n int) bool {
	return n <= c.unused/BlockSlots+(c.Limit()-len(c.Counts))/BlockSlots
}

// Unused returns the number of slots in free blocks.
func (c *PacketColumns) Unused() int { return c.unused }

// EachFree calls f with the first slot of each free block until it returns false.
func (c *PacketColumns) EachFree(f func(first uint32) bool) {
	for next := c.free; next != 0 && f(next-1); next = c.IDs[next-1][0] {
	}
}

// Forget empties the free list, before a build that uses every slot.
func (c *PacketColumns) Forget() { c.free, c.unused = 0, 0 }

// NoSpan is the key span of a node that is not a cell.
var NoSpan = KeySpan{Low: NoKey}

// NoKeys are the first keys of a node without lanes.
var NoKeys = func() (k [Fan]uint64) {
	for l := range k {
		k[l] = NoKey
	}
	return k
}()

// EmptyNode is a node without lanes.
var EmptyNode = func() (n Node) {
	e := Empty()
	for a := range 3 {
		for l := range Fan {
			n.Bounds[2*a][l], n.Bounds[2*a+1][l] = e.Min[a], e.Max[a]
		}
	}
	return n
}()
