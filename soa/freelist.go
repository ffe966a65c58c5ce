package soa

// The free lists of nodes and IDs are last in, first out: a tree is a function of the calls made to it, and memory that
// is still in the cache is reused first.

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
	MaxSlots = 1<<28 - Fan
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

// Limit returns the largest number of slots.
func (c *PacketColumns) Limit() int { return limit(c.limit, MaxSlots) }

// SetLimit sets the largest number of slots, for tests of exhaustion. 0 means [MaxSlots].
func (c *PacketColumns) SetLimit(n int) { c.limit = n }

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
