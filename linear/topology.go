package linear

import (
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/soa"
)

const (
	// leafMax is the most objects below a node of height 0.
	leafMax = asm.Fan * asm.Lanes

	// roomyFill is how many objects a build puts into a packet that is to
	// take insertions later, where that needs no more packets than fit.
	roomyFill = 14

	// lowBits is the number of key bits that an item leaves out.
	lowBits = 30

	// maxHeight is the height of the tallest node that 2^31 objects can
	// need, and more: 128 * 8^9 = 2^34.
	maxHeight = 9
)

// topology cuts sorted keys into packets and groups packets into nodes. It
// writes the cold columns of the nodes and, for each slot, where its items
// start and which lane refers to it; boxes come later.
//
//	items    sorted, key's top 33 bits and index: see package radix
//	starts   slot s holds items[starts[s]:starts[s+1]]
type topology struct {
	items  []uint64
	keys   []uint64 // by index
	frozen bool

	nodes  *soa.NodeColumns
	n      int // nodes so far
	starts []uint32
	owner  []uint32
	low    []uint64 // first key of each slot
}

// run cuts all items. The root is node 0.
func (t *topology) run() {
	t.n = 0
	t.starts, t.owner, t.low = t.starts[:0], t.owner[:0], t.low[:0]
	if len(t.items) == 0 {
		t.starts = append(t.starts, 0)
		return
	}
	t.node(0, len(t.items), soa.None, 0)
	t.starts = append(t.starts, uint32(len(t.items)))
}

// key returns the 63-bit key of the item at position i.
func (t *topology) key(i int) uint64 { return t.keys[radix.Index(t.items[i])] }

// same reports whether the items at i and j have the same key. Only items with
// equal top bits cost a look at the key.
func (t *topology) same(i, j int) bool {
	return radix.Top(t.items[i]) == radix.Top(t.items[j]) && t.key(i) == t.key(j)
}

// part is a run of items below one lane; low is the first key that belongs
// there.
type part struct {
	lo, hi int
	low    uint64
}

// node builds the subtree of items lo to hi, whose keys start at low, and
// returns its index and height. Nodes and slots are numbered depth first, so
// that a subtree is a run of both.
func (t *topology) node(lo, hi int, up uint32, low uint64) (index uint32, height uint8) {
	index = uint32(t.n)
	t.n++
	if t.n > len(t.nodes.Up) {
		t.nodes.ResizeCold(max(t.n, 2*len(t.nodes.Up)))
	}
	first := uint32(len(t.starts))
	t.nodes.Up[index] = up
	t.nodes.Keys[index] = noKeys

	lanes := 0
	if hi-lo <= leafMax {
		lanes = t.leaf(index, lo, hi, low)
	}
	if lanes == 0 {
		var parts [asm.Fan]part
		lanes = t.split(&parts, lo, hi, low)
		for l, p := range parts[:lanes] {
			t.nodes.Keys[index][l] = p.low
			_, h := t.node(p.lo, p.hi, index<<3|uint32(l), p.low)
			height = max(height, h+1)
		}
	}
	t.nodes.Lanes[index] = uint8(lanes)
	t.nodes.Height[index] = height
	t.nodes.Slots[index] = soa.Span{First: first, End: uint32(len(t.starts))}
	return index, height
}

var noKeys = [asm.Fan]uint64{
	soa.NoKey, soa.NoKey, soa.NoKey, soa.NoKey, soa.NoKey, soa.NoKey, soa.NoKey, soa.NoKey,
}

// leaf cuts the items into at most eight packets and returns their number, or
// 0, with nothing done, when keys that must stay together need more.
func (t *topology) leaf(index uint32, lo, hi int, low uint64) int {
	fill := asm.Lanes
	if !t.frozen {
		fill = max(roomyFill, (hi-lo+asm.Fan-1)/asm.Fan)
	}
	var cuts [asm.Fan + 1]int
	n := 0
	for at := lo; at < hi; n++ {
		if n == asm.Fan {
			return 0
		}
		at = t.cut(at, hi, fill)
		cuts[n+1] = at
	}
	cuts[0] = lo
	for l := range n {
		key := low
		if l > 0 {
			key = t.key(cuts[l])
		}
		t.nodes.Keys[index][l] = key
		t.slot(cuts[l], index<<3|uint32(l), key)
	}
	if !t.frozen {
		for l := n; l < asm.Fan; l++ { // the rest of the block
			t.slot(cuts[n], soa.None, soa.NoKey)
		}
	}
	return n
}

func (t *topology) slot(start int, owner uint32, low uint64) {
	t.starts = append(t.starts, uint32(start))
	t.owner = append(t.owner, owner)
	t.low = append(t.low, low)
}

// cut returns where the packet that starts at lo ends: after fill items, or
// before, so that equal keys stay together. Only keys that fill a packet on
// their own are parted.
func (t *topology) cut(lo, hi, fill int) int {
	end := lo + fill
	if end >= hi {
		return hi
	}
	if !t.same(end-1, end) {
		return end
	}
	run := end - 1
	for run > lo && t.same(run-1, end) {
		run--
	}
	if run > lo {
		return run
	}
	end = min(lo+asm.Lanes, hi)
	for end > lo+fill && !t.same(lo, end-1) {
		end--
	}
	return end
}

// capacity returns how many objects a node of height h can hold.
func capacity(h int) int64 { return leafMax << (3 * h) }

// split cuts the items into two to eight parts, always the fullest one next,
// until all lanes are used or each part fits into a subtree that is one lower
// than this one must be.
func (t *topology) split(parts *[asm.Fan]part, lo, hi int, low uint64) int {
	h := 1
	for h < maxHeight && capacity(h) < int64(hi-lo) {
		h++
	}
	fits := capacity(h - 1)
	parts[0] = part{lo, hi, low}
	n := 1
	for n < asm.Fan {
		full := 0
		for i := 1; i < n; i++ {
			if parts[i].hi-parts[i].lo > parts[full].hi-parts[full].lo {
				full = i
			}
		}
		p := parts[full]
		if n > 1 && int64(p.hi-p.lo) <= fits {
			break
		}
		at, key := t.halve(p)
		copy(parts[full+2:n+1], parts[full+1:n])
		parts[full].hi = at
		parts[full+1] = part{at, p.hi, key}
		n++
	}
	return n
}

// halve splits a part at the highest key bit in which its ends differ and
// returns the position and the first key of the upper half. Equal keys are
// parted in the middle, at a full packet.
func (t *topology) halve(p part) (at int, key uint64) {
	a, b := radix.Top(t.items[p.lo]), radix.Top(t.items[p.hi-1])
	if a != b {
		shift := bits.Len64(a^b) - 1
		key = b >> shift << shift
		return p.lo + searchTop(t.items[p.lo:p.hi], key), key << lowBits
	}
	a, b = t.key(p.lo), t.key(p.hi-1)
	if a != b {
		shift := bits.Len64(a^b) - 1
		key = b >> shift << shift
		n, _ := slices.BinarySearchFunc(t.items[p.lo:p.hi], key, func(item, key uint64) int {
			if t.keys[radix.Index(item)] < key {
				return -1
			}
			return 1
		})
		return p.lo + n, key
	}
	half := (p.hi - p.lo) / 2
	return p.lo + max(half&^(asm.Lanes-1), asm.Lanes), a
}

// searchTop returns the number of items whose top bits are below top.
func searchTop(items []uint64, top uint64) int {
	lo, n := 0, len(items)
	for n > 0 {
		half := n / 2
		if radix.Top(items[lo+half]) < top {
			lo += n - half
		}
		n = half
	}
	return lo
}
