package cull

import (
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// MaxViewers is the maximum number of frusta in one walk: the bits of a word.
const MaxViewers = 64

// MultiList is a list of references with two sets of viewers, one bit each: Open has the viewers
// whose border crosses the box, In the viewers that contain it.
type MultiList struct {
	Refs []uint32
	Open []uint64
	In   []uint64
}

// Kernels write the lists by words of 4 and of 8 bytes.
var (
	_ [0]struct{} = [unsafe.Sizeof(MultiList{}.Refs[0]) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(MultiList{}.Open[0]) - 8]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(MultiList{}.In[0]) - 8]struct{}{}
)

func (l *MultiList) reset() { l.Refs, l.Open, l.In = l.Refs[:0], l.Open[:0], l.In[:0] }

func (l *MultiList) reserve() {
	l.Refs = slices.Grow(l.Refs, multiRoom)
	l.Open = slices.Grow(l.Open, multiRoom)
	l.In = slices.Grow(l.In, multiRoom)
}

// Add appends an entry.
func (l *MultiList) Add(ref uint32, open, in uint64) {
	l.Refs = append(l.Refs, ref)
	l.Open = append(l.Open, open)
	l.In = append(l.In, in)
}

// sync sets the length of all columns to the length of Refs, which a kernel has set.
func (l *MultiList) sync() {
	n := len(l.Refs)
	l.Open, l.In = l.Open[:n], l.In[:n]
}

// FrustaWalk is the state of frustum culling for several cameras in one walk: up to 64 frusta,
// whose planes are made with the same bounds, near and extent of [MakePlanes].
//
//	Queue     ... visited ... | Head ... to test ... | len
//	Packets   slots to test; viewers with a bit of In see all objects of a slot
//	Inside    references that are open for no viewer, flags as in Node.Child
type FrustaWalk struct {
	Planes  []Planes
	Queue   MultiList
	Packets MultiList
	Inside  MultiList
	Head    int
}

// A multi kernel makes at most multiPerCall tests of a node or a packet against a frustum in one
// call, and takes at most 64 nodes.
const (
	multiPerCall = 1024
	multiRoom    = nodesPerCall*soa.Fan + 16
)

// Reset empties the lists and queues the root, open for all viewers.
func (w *FrustaWalk) Reset(root uint32) {
	w.Queue.reset()
	w.Packets.reset()
	w.Inside.reset()
	w.Queue.Add(root, w.All(), 0)
	w.Head = 0
}

// All returns the bits of all viewers.
func (w *FrustaWalk) All() uint64 { return 1<<len(w.Planes) - 1 }

// Done reports whether the queue is used up.
func (w *FrustaWalk) Done() bool { return w.Head >= len(w.Queue.Refs) }

// MultiNodes is the nodes kernel of a walk of several frusta. It takes some of the queued nodes,
// tests their children against the frusta for which the node is open, and appends to the three
// lists. The tests are those of [Volume.Nodes]. The order of all lists is the order of the queue,
// then of the lanes. Call it until w is done. It allocates only while the lists grow.
//
//go:noinline
func MultiNodes(w *FrustaWalk, nodes []soa.Node, filter *asm.NodeFilter) {
	if w.Done() {
		return
	}
	budget := min(multiPerCall/len(w.Planes), nodesPerCall, len(w.Queue.Refs)-w.Head)
	w.Queue.reserve()
	w.Packets.reserve()
	w.Inside.reserve()
	multiNodes(w, nodes, filter, budget)
	w.Queue.sync()
	w.Packets.sync()
	w.Inside.sync()
}

// seeing is the argument of a packets kernel.
type seeing struct {
	ids     *uint32 // address of the next ID
	viewers *uint64 // address of its viewers
	packets *soa.Packet
	columns *[soa.Lanes]uint32 // the IDs
	slots   *uint32
	open    *uint64
	in      *uint64
	keep    *uint16 // lanes that may be reported
	planes  *Planes
	n       int
	listed  int // slots that may be prefetched: n and the rest of the list
	wrote   int // out
}

// Kernels index the columns by shifts.
var (
	_ [0]struct{} = [unsafe.Sizeof(*seeing{}.columns) - 64]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(*seeing{}.keep) - 2]struct{}{}
)

// MultiPackets is the packets kernel of a walk of several frusta. It tests the listed packets and
// appends, for each object that any frustum intersects, its ID and the bits of the viewers, in the
// order of the list, lanes ascending. keep has for each packet of the list the lanes that may be
// reported. It allocates only if the results lack room for every lane of the packets that one call
// takes, 4,096 at most.
func MultiPackets(ids []uint32, viewers []uint64, w *FrustaWalk, packets []soa.Packet, columns [][soa.Lanes]uint32, keep []uint16) ([]uint32, []uint64) {
	list := &w.Packets
	_ = keep[:len(list.Refs)]
	e := seeing{packets: unsafe.SliceData(packets), columns: unsafe.SliceData(columns), planes: unsafe.SliceData(w.Planes)}
	for i := 0; i < len(list.Refs); i += e.n {
		e.listed = len(list.Refs) - i
		e.n = min(e.listed, multiPerCall/max(len(w.Planes), 4))
		ids = slices.Grow(ids, e.n*soa.Lanes+soa.Lanes)
		viewers = slices.Grow(viewers, e.n*soa.Lanes+soa.Lanes)
		at := len(ids)
		e.ids = (*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(ids)), 4*at))
		e.viewers = (*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(viewers)), 8*len(viewers)))
		e.slots, e.open, e.in, e.keep = &list.Refs[i], &list.Open[i], &list.In[i], &keep[i]
		multiPackets(&e)
		ids, viewers = ids[:at+e.wrote], viewers[:len(viewers)+e.wrote]
	}
	return ids, viewers
}
