package pair

import (
	"slices"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// Side is one of the two trees, or lists of trees, in which a broad phase finds pairs.
type Side struct {
	Nodes   []soa.Node
	Packets *soa.PacketColumns // only bounds and flags are read
}

// Task is a test of lanes of a node of X against lanes of a node of Y. It has all 16 lanes of a
// node that is to be opened. Of a node whose children are packets, it may have one lane or several
// lanes, while the other side is still opened.
type Task struct {
	X, Y     uint32 // nodes
	LaneMask uint32 // lanes of X, from bit 16 on lanes of Y

	// Within is a lane of a node of Y whose box contains all those lanes of Y, or soa.NoParent. Lanes of X
	// that do not overlap it are skipped.
	Within soa.Up
}

// Row is a pair of overlapping packets: a lane of a node of X and a lane of a node of Y.
type Row struct{ A, B soa.Up }

// Kernels step over tasks by 16 bytes, over rows by 8.
var (
	_ [0]struct{} = [unsafe.Sizeof(Task{}) - 16]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Task{}.Y) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Task{}.LaneMask) - 8]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Task{}.Within) - 12]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Row{}) - 8]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Row{}.B) - 4]struct{}{}
)

// Hit is an object of X that overlaps lanes of a packet of Y.
type Hit struct {
	A     soa.Location // for [Objects]: the number of the object
	B     uint32       // slot
	Mask  uint32       // 16 lanes
	Doubt uint32       // after [Near]: lanes whose distance is within its rounding errors of the limit
}

// Kernels step over hits by 16 bytes.
var (
	_ [0]struct{} = [unsafe.Sizeof(Hit{}) - 16]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Hit{}.B) - 4]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Hit{}.Mask) - 8]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Hit{}.Doubt) - 12]struct{}{}
)

// Walk is the state of a broad phase, a walk of two trees that finds overlapping pairs, between
// two calls of a kernel.
//
//	Tasks   a stack: the last task is next
//	Rows    overlapping packets, by the lanes of the nodes above; Rows[Head:] are left
//	Hits    overlapping objects
//
// If Self is set, X and Y are the same forest, and each pair is found once. Moving objects are then
// on the side of X: a lane without a moving object is only tested as a lane of Y, which restricts
// the lanes of X to the moving ones. A task with X == Y, which has all lanes, pairs each moving
// lane with the lanes that do not move, with itself and with those after it. A row with A == B
// pairs each object with those after it.
type Walk struct {
	X, Y   Side
	Filter asm.NodeFilter
	Every  uint32 // 0xffff: report pairs of two static objects, too; else 0
	Self   uint32 // 1 or 0

	// Reach widens boxes of one side before they are tested: boxes up to Reach apart on each axis overlap, as
	// far as the rounded sum of a coordinate and Reach can tell. 0, or finite and more. If such a sum
	// exceeds float32, hits may have free lanes of a packet, which [Near] removes.
	Reach float32

	Tasks []Task
	Rows  []Row
	Head  int
	Hits  []Hit

	notes *pairNotes
}

// pairNotes is the output of the first pass of a packets kernel, in columns: objects of X that
// overlap the box of a packet of Y, the slots of these packets, and their lanes that may be paired
// with the object.
type pairNotes struct {
	reach [pairPacketsPerCall * soa.Lanes]soa.Location
	slots [pairPacketsPerCall * soa.Lanes]uint32
	lanes [pairPacketsPerCall * soa.Lanes]uint32
}

// Only assembly reads these columns.
var (
	_ [0]struct{} = [unsafe.Sizeof(pairNotes{}.reach) - pairPacketsPerCall*soa.Lanes*4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(pairNotes{}.slots) - pairPacketsPerCall*soa.Lanes*4]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(pairNotes{}.lanes) - pairPacketsPerCall*soa.Lanes*4]struct{}{}
)

const (
	// A nodes kernel takes at most pairNodesPerCall tasks. Each adds up to 16 tasks for each lane of X,
	// or a row for each two lanes.
	pairNodesPerCall = 16

	// A packets kernel tests at most pairPacketsPerCall pairs of packets; each adds up to 16 hits.
	pairPacketsPerCall = 128

	// A nodes kernel stores this many rows and tasks at a time, which it may not keep.
	pairRowsStored, pairTasksStored = 16, 1
)

// Reset empties the lists and queues the pair of node x of X and node y of Y, with all objects
// below them.
func (w *Walk) Reset(x, y uint32) {
	w.Tasks = append(w.Tasks[:0], Task{X: x, Y: y, LaneMask: 0xffffffff, Within: soa.NoParent})
	w.Rows, w.Hits, w.Head = w.Rows[:0], w.Hits[:0], 0
}

// Nodes is the nodes kernel of a broad phase: it takes up to most tasks from the stack, at most
// 16, and tests their lanes against each other. Two overlapping packets become a row, other
// overlapping lanes a task. Children that the filter excludes overlap nothing, and neither do two
// children without a moving object, unless Every is set. The order depends on the tree only.
//
//go:noinline
func Nodes(w *Walk, most int) {
	if len(w.Tasks) == 0 {
		return
	}
	w.Tasks = slices.Grow(w.Tasks, pairNodesPerCall*soa.Fan*soa.Fan+pairTasksStored)
	w.Rows = slices.Grow(w.Rows, pairNodesPerCall*soa.Fan*soa.Fan+pairRowsStored)
	pairNodes(w, min(most, pairNodesPerCall))
}

// Packets replaces the hits by those of the next rows, up to 128. Objects overlap if on each
// axis a.min <= b.max and b.min <= a.max, which is exact. Two static objects are no hit unless
// Every is set.
//
//go:noinline
func Packets(w *Walk) {
	w.Hits = slices.Grow(w.Hits[:0], pairPacketsPerCall*soa.Lanes)
	if w.notes == nil {
		w.notes = new(pairNotes)
	}
	if n := min(len(w.Rows)-w.Head, pairPacketsPerCall); n > 0 {
		pairPackets(w, n)
		w.took(n)
	}
}

// Objects is [Packets] for rows whose lanes of X are objects instead of packets: the box of
// a lane is the box of the object, and its reference is a number, which becomes A of the hits.
// Packets and flags of X are not read.
//
//go:noinline
func Objects(w *Walk) {
	w.Hits = slices.Grow(w.Hits[:0], pairPacketsPerCall)
	if n := min(len(w.Rows)-w.Head, pairPacketsPerCall); n > 0 {
		pairObjects(w, n)
		w.took(n)
	}
}

// took drops the next n rows.
func (w *Walk) took(n int) {
	if w.Head += n; w.Head == len(w.Rows) {
		w.Rows, w.Head = w.Rows[:0], 0
	}
}
