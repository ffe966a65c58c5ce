package asm

import (
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// PairSide is one of the two forests whose objects are paired.
type PairSide struct {
	Nodes   []soa.Node
	Packets *soa.PacketColumns // their bounds and flags are read
}

// PairTask says that lanes of a node of X are to be tested against lanes of a
// node of Y: all 16 of a node that is opened, one or some of a node whose
// children are packets and wait for the other side.
type PairTask struct {
	X, Y     uint32 // nodes
	LaneMask uint32 // lanes of X, from bit 16 on those of Y

	// Within is a lane of a node of Y whose box is around all of those lanes of Y, or
	// soa.NoUp: lanes of X that do not overlap it are not looked at.
	Within soa.Up
}

// PairRow says that a packet, a lane of a node of X, overlaps another, a lane of a
// node of Y.
type PairRow struct{ A, B soa.Up }

// Kernels step over tasks by 16 bytes, over rows by 8.
var (
	_ [0]struct{} = [unsafe.Sizeof(PairTask{}) - 16]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(PairTask{}.Y) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(PairTask{}.LaneMask) - 8]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(PairTask{}.Within) - 12]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(PairRow{}) - 8]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(PairRow{}.B) - 4]struct{}{}
)

// PairHit says that an object of X overlaps lanes of a packet of Y.
type PairHit struct {
	A    soa.Place // of objects that are no packets: the number of one
	B    uint32    // slot
	Mask uint32    // 16 lanes
	_    uint32
}

// Kernels step over hits by 16 bytes.
var (
	_ [0]struct{} = [unsafe.Sizeof(PairHit{}) - 16]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(PairHit{}.B) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(PairHit{}.Mask) - 8]struct{}{}
)

// PairWalk is the state of a dual walk between two calls of a kernel.
//
//	Tasks   a stack: the last task is next
//	Rows    packets that overlap, by the lanes of the nodes above; Rows[Head:] are left
//	Hits    objects that overlap
//
// With Self, X and Y are the same forest, in which each pair is found once. The
// side of what moves is then X: a lane without a moving object is only ever
// tested as one of Y, which needs no more than the lanes of X that move. A task
// with X == Y, which has all lanes, pairs each lane that moves with those that do
// not, itself and those after it; a row with A == B, each object with those after it.
type PairWalk struct {
	X, Y   PairSide
	Filter NodeFilter
	Every  uint32 // 0xffff: pairs of two static objects, too; else 0
	Self   uint32 // 1 or 0

	Tasks []PairTask
	Rows  []PairRow
	Head  int
	Hits  []PairHit

	notes *pairNotes
}

// pairNotes is what a packets kernel notes between its two passes, in columns: objects
// of X that reach the box of a packet of Y, the slots of these packets, and the lanes of
// them that may be paired with the object.
type pairNotes struct {
	reach [pairPacketsPerCall * soa.Lanes]soa.Place
	slots [pairPacketsPerCall * soa.Lanes]uint32
	lanes [pairPacketsPerCall * soa.Lanes]uint32
}

// Assembly alone reads these columns.
var (
	_ [0]struct{} = [unsafe.Sizeof(pairNotes{}.reach) - pairPacketsPerCall*soa.Lanes*4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(pairNotes{}.slots) - pairPacketsPerCall*soa.Lanes*4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(pairNotes{}.lanes) - pairPacketsPerCall*soa.Lanes*4]struct{}{}
)

const (
	// A nodes kernel takes at most pairNodesPerCall tasks. Each adds up to
	// 16 tasks for each lane of X, or a row for each two lanes.
	pairNodesPerCall = 16

	// A packets kernel tests at most pairPacketsPerCall pairs of packets;
	// each adds up to 16 hits.
	pairPacketsPerCall = 128

	// A nodes kernel stores so many rows at a time, and a task, that it may not keep.
	pairRowsStored, pairTasksStored = 16, 1
)

// Reset empties the lists and pairs all below node x of X with all below node y
// of Y.
func (w *PairWalk) Reset(x, y uint32) {
	w.Tasks = append(w.Tasks[:0], PairTask{X: x, Y: y, LaneMask: 0xffffffff, Within: soa.NoUp})
	w.Rows, w.Hits, w.Head = w.Rows[:0], w.Hits[:0], 0
}

// PairNodes takes up to most tasks from the stack, never more than 16, and tests their
// lanes against each other. What overlaps becomes a row if both are packets, else a
// task. Children that the filter excludes overlap nothing, nor do two without a moving
// object, unless Every is set. The order is a function of the tree only.
//
//go:noinline
func PairNodes(w *PairWalk, most int) {
	if len(w.Tasks) == 0 {
		return
	}
	w.Tasks = slices.Grow(w.Tasks, pairNodesPerCall*soa.Fan*soa.Fan+pairTasksStored)
	w.Rows = slices.Grow(w.Rows, pairNodesPerCall*soa.Fan*soa.Fan+pairRowsStored)
	pairNodes(w, min(most, pairNodesPerCall))
}

// PairPackets replaces the hits by those of the next rows, up to 128. Objects overlap
// when on each axis a.min <= b.max and b.min <= a.max, which is exact. Two static
// objects are no hit unless Every is set.
//
//go:noinline
func PairPackets(w *PairWalk) {
	w.Hits = slices.Grow(w.Hits[:0], pairPacketsPerCall*soa.Lanes)
	if w.notes == nil {
		w.notes = new(pairNotes)
	}
	if n := min(len(w.Rows)-w.Head, pairPacketsPerCall); n > 0 {
		pairPackets(w, n)
		w.took(n)
	}
}

// PairObjects is [PairPackets] for rows whose lanes of X are not packets but
// objects: the box of a lane is that of the object, and its reference a number
// that stands in A of the hits. The packets and flags of X are not looked at.
//
//go:noinline
func PairObjects(w *PairWalk) {
	w.Hits = slices.Grow(w.Hits[:0], pairPacketsPerCall)
	if n := min(len(w.Rows)-w.Head, pairPacketsPerCall); n > 0 {
		pairObjects(w, n)
		w.took(n)
	}
}

// took drops the next n rows.
func (w *PairWalk) took(n int) {
	if w.Head += n; w.Head == len(w.Rows) {
		w.Rows, w.Head = w.Rows[:0], 0
	}
}
