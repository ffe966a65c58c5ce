package linear

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Stats holds the counts and memory figures of a tree, from [Tree.Stats].
type Stats struct {
	Objects    int
	Pending    int    // objects that Flush has still to insert
	Displaced  int    // upper bound of the objects that are displaced, and wait for re-insertion
	Policy     Policy // configured update policy
	BulkMotion bool   // most objects move, and the others stay in their packets
	Nodes      int
	Packets    int     // packets that hold objects, pending ones included
	Slots      int     // packets that there is capacity for
	Fill       float64 // objects per lane of the packets that hold any
	NodeFill   float64 // used lanes per lane of the nodes
	Depth      int     // nodes on the longest path from the root to a packet
	Grafted    int     // upper bound of the objects in grafts, which ticks have still to place: see Config.TickBudget
	Uncut      int     // upper bound of the nodes that ticks have still to partition in space: see CutAuto
	Frozen     bool
	Workers    int

	// Live memory, in bytes. Capacity beyond the length counts as slack, the buffers of builds as scratch.
	NodesHot   int // bounds, references and masks of nodes
	NodesCold  int // the other columns of nodes
	Bounds     int // boxes of objects
	IDs        int
	Masks      int // type masks; 0 while all objects have the same one
	PacketRest int // moving flags, counts, owners, placement boxes
	Where      int // locations and generations of objects
	Log        int // change log, which is not among the live bytes
	Slack      int
	Scratch    int

	// Figures of a published tree: the versions in memory, published, free or held, and the
	// versions that readers hold now. A version takes the memory of a store, see [Publisher], of
	// generations, 4 bytes for each ID, and of an index: see [View.Object].
	Versions     int
	VersionBytes int
	Held         int
	HeldBytes    int
	Patched      int // nodes and packets that the last publication copied
}

// Stats returns the counts and the memory of the tree. It takes time proportional to the number of packets. Of a
// published tree only the writer may call it: other goroutines call [View.Stats] of a version ([Publisher.Acquire]).
func (t *Tree) Stats() Stats {
	t.sync()
	st := statsOf(&t.octree)
	st.Scratch += t.deferred.bytes()
	if t.shared != nil {
		t.shared.count(&st)
	}
	return st
}

// statsOf counts a tree without deferred changes.
func statsOf(t *octree.Tree) Stats {
	st := View{t.Store, &t.Store.Version, t.Store.Version, &t.Index}.Stats()
	st.Displaced, st.Policy, st.BulkMotion, st.Frozen, st.Workers = len(t.Displaced), Policy(t.Config.Policy), t.BulkMotion, t.Frozen, t.Config.Workers
	st.Grafted, st.Uncut = t.Grafted, int(t.Uncut)
	st.Slack = t.Store.Bytes() + t.IDs.Bytes() - st.LiveBytes()
	st.Scratch = t.BufferBytes()
	return st
}

// Stats returns the counts and the memory of the view, as [Tree.Stats] does, from the columns alone: uncut nodes,
// update policy, slack, scratch and versions are zero. Where is the memory of [View.Object]; in a published version,
// as far as it has been built. It takes time proportional to the number of packets.
func (v View) Stats() Stats {
	s := v.Store()
	n, p := &s.Nodes, &s.Packets
	st := Stats{Objects: s.Count, Nodes: len(n.Hot) - n.Unused(), Slots: len(p.Counts)}
	for _, slot := range s.Pending {
		st.Pending += int(p.Counts[slot])
	}
	for _, c := range p.Counts {
		if c > 0 {
			st.Packets++
		}
	}
	lanes := 0
	for _, l := range n.Used {
		lanes += int(l)
	}
	if st.Packets > 0 {
		st.Fill = float64(st.Objects) / float64(soa.Lanes*st.Packets)
	}
	if st.Nodes > 0 {
		st.NodeFill = float64(lanes) / float64(soa.Fan*st.Nodes)
		st.Depth = int(n.Height[0]) + 1
	}
	st.NodesHot = size(n.Hot)
	for _, col := range n.Columns(nil) {
		st.NodesCold += len(col.Bytes())
	}
	st.NodesCold -= st.NodesHot
	st.Bounds, st.IDs, st.Masks = size(p.Bounds), size(p.IDs), size(p.Masks)
	for _, col := range p.Columns(nil) {
		st.PacketRest += len(col.Bytes())
	}
	st.PacketRest += size(s.Pending) - st.Bounds - st.IDs - st.Masks
	if v.index.IDs != nil {
		gens := &v.index.IDs.Gen
		st.Where = size(v.index.IDs.Where) + size(gens.Low) + size(gens.High)
	} else {
		st.Where = int(v.index.Bytes.Load())
	}
	if s.Log != nil {
		st.Log = size(s.Log.Changes) + size(s.Log.Born)
	}
	return st
}

func size[T any](col []T) int { return len(col) * mem.SizeOf[T]() }

// Hot returns the bytes that queries read: bounds, IDs and hot nodes.
func (s Stats) Hot() int { return s.Bounds + s.IDs + s.NodesHot }

// LiveBytes returns the bytes of all columns, without slack and scratch.
func (s Stats) LiveBytes() int {
	return s.Hot() + s.NodesCold + s.Masks + s.PacketRest + s.Where
}

// perObject returns bytes per object.
func (s Stats) perObject(bytes int) float64 {
	if s.Objects == 0 {
		return 0
	}
	return float64(bytes) / float64(s.Objects)
}

// String returns a table of a few lines.
func (s Stats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d objects (%d pending), %d nodes, %d packets in %d slots, depth %d, frozen %v\n",
		s.Objects, s.Pending, s.Nodes, s.Packets, s.Slots, s.Depth, s.Frozen)
	fmt.Fprintf(&b, "packets %.1f %% full, nodes %.1f %% full\n", 100*s.Fill, 100*s.NodeFill)
	fmt.Fprintf(&b, "bytes per object: %.1f hot (bounds %.1f, IDs %.1f, nodes %.1f), %.1f live, %.1f slack, %.1f scratch",
		s.perObject(s.Hot()), s.perObject(s.Bounds), s.perObject(s.IDs), s.perObject(s.NodesHot),
		s.perObject(s.LiveBytes()), s.perObject(s.Slack), s.perObject(s.Scratch))
	if s.Versions > 0 {
		fmt.Fprintf(&b, "\n%d versions, %.1f bytes per object; %d of them held, %.1f",
			s.Versions, s.perObject(s.VersionBytes), s.Held, s.perObject(s.HeldBytes))
	}
	return b.String()
}

// LogValue returns the statistics as a group of attributes for package slog.
func (s Stats) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int("objects", s.Objects), slog.Int("pending", s.Pending),
		slog.Int("nodes", s.Nodes), slog.Int("packets", s.Packets), slog.Int("slots", s.Slots),
		slog.Float64("fill", s.Fill), slog.Int("depth", s.Depth), slog.Bool("frozen", s.Frozen),
		slog.Int("hot_bytes", s.Hot()), slog.Int("live_bytes", s.LiveBytes()),
		slog.Int("slack_bytes", s.Slack), slog.Int("scratch_bytes", s.Scratch),
		slog.Int("versions", s.Versions), slog.Int("version_bytes", s.VersionBytes),
		slog.Int("held", s.Held), slog.Int("held_bytes", s.HeldBytes),
		slog.Int("patched", s.Patched),
	)
}

var _ slog.LogValuer = Stats{}

// ProfileLabels switches pprof labels on or off for the work of all trees and all queries, and returns the previous
// setting. They are off at first.
//
// When labels are on, package runtime/pprof records the label "phase" with each sample. Its values are encode,
// sort, topology, fill, refit or flush in package linear, walk nodes, walk packets, ranges, pairs, ray or nearest
// in package query, clear, cones, draw, pyramid, pick or walk in package occlude. It also records the label
// "zoctree.op", the operation that the phase is part of: build, change, volume query, pairs, ray query, nearest
// query or occlusion. Goroutines that the library starts have both labels too. For a profile of any program,
//
//	go tool pprof -tags profile.pb.gz                  lists the time of each operation and phase
//	go tool pprof -tagfocus=phase=sort profile.pb.gz   selects the time of sorting
//	go tool pprof -http=: -tagroot=zoctree.op profile.pb.gz
//	                                                   draws a flame graph with the operations at its root
//
// During a phase its labels are added to the labels that the program has given the goroutine, so that -tagfocus
// finds both. They are removed when the phase ends, and before the loop body of an iteration runs. The progress
// function of a rebuild runs in the phase that it is passed.
//
// A phase costs about 1 ns when labels are off, which no benchmark of a query shows, and 10 to 20 ns when they are
// on: a box query of 550 ns, which has five, then takes 620 ns (go test ./query -run xxx -bench Labels). It
// allocates only for the first phase with a set of labels of the program.
//
// Any goroutine may call ProfileLabels at any time; phases that have begun end with the setting they began with.
func ProfileLabels(on bool) (was bool) { return phase.Enable(on) }
