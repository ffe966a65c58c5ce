package linear

import (
	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/linear/internal/octree"
)

// Config configures a tree; the zero value is a good default, and so is zero in each field. A field with a default
// number for 0 has [Off] for none.
type Config struct {
	// World is a box that is always inside the world cube, which keys resolve: the cube has that size from the start.
	// It grows and shrinks with the objects: see GrowShare and ShrinkShare. With the zero box the cube depends only on
	// the objects: it is fitted in each build, and before the first one when many objects are outside.
	//
	// The world only affects placement. Objects outside are found like any other, but objects that are clamped to the
	// same grid cell of its border have the same key, and queries test more of them.
	World AABB

	// Fixed keeps the cube that is made from World: the smallest one that contains World and has a power of two as its
	// side and a multiple of half of that as its corner ([morton.Fit]). If it is false, the cube grows and shrinks.
	Fixed bool

	// GrowShare, 2 or more, limits the objects outside a cube that is not fixed. When more than
	// 1/GrowShare of all objects are outside, the next flush doubles the cube towards the octant
	// where most of them are, if it then contains half of them; it doubles repeatedly while most
	// objects are outside. 0 means 16; with [Off] the cube grows only when the tree is rebuilt.
	GrowShare int

	// ShrinkShare, 2 or more, limits the empty part of the cube. When all objects except far ones
	// are in an octant of the cube, in less than 1/ShrinkShare of its side, the tick halves it. 0
	// means 4; with [Off] the cube shrinks only when the tree is rebuilt.
	ShrinkShare int

	// Outside chooses how a fixed world treats objects outside: keep, reject or remove. The zero value is
	// [OutsideKeep], the only one for a world that is not fixed. An object is outside if its centre is not in World,
	// whose faces belong to it. The cube around World, which is larger on most axes, has no effect.
	Outside Outside

	// MinCell is the side below which no cell of the octree is split. The smallest cells have the next power of two as
	// their side. Objects in one smallest cell have the same key, and are distinguished only by their boxes. 0, the
	// default, means the grid cells of the world, 2^21 an axis.
	//
	// Objects that move within a smallest cell keep their packets. But if many share one, each of their packets is as
	// large as the cell, and queries test more objects. When a tenth of all objects drift by their size, smallest cells
	// of about 16 objects save a third of the new placements, and a small query tests a tenth more boxes; those of 128
	// save two thirds, and it tests twice as many (go test ./linear -run '^$' -bench MinCell). MinCell changes neither
	// results nor memory: packets and nodes are full in any case.
	MinCell float32

	// Frozen makes a batch into an empty tree build a frozen tree at once: see
	// [RebuildOptions.Frozen]. If it is false, the tree has room for insertions.
	Frozen bool

	// Cut chooses how builds fill packets. The zero value is [CutAuto].
	Cut Cut

	// Workers is the maximum number of goroutines of a build, including the caller's. 0 means
	// GOMAXPROCS, and more than 1,024 mean 1,024. It does not affect the result.
	Workers int

	// PendingMin and PendingShare limit the objects that are not flushed yet. Pending objects, which queries scan one
	// by one, are counted by each read ([Tree.View]), and more than PendingMin are flushed. Displaced objects are
	// counted when batches of moves are applied, and by each read: more than PendingMin, and than 1/PendingShare of all
	// objects, are flushed. 0 means 64 and 64. Of objects that have become pending because they moved far, 64 are
	// flushed in any case.
	PendingMin, PendingShare int

	// Policy chooses how pending and displaced objects are placed: one by one, or by rebuilds or
	// refits. The zero value is [PolicyAuto].
	Policy Policy

	// SplitAbove is the number of objects, 2 to 16, above which an insertion distributes the objects of a packet among
	// its neighbours or splits it; builds fill packets regardless. 0 means 16.
	SplitAbove int

	// MergeBelow is the maximum number of objects of two neighbouring packets of a node that a tick
	// merges after one of them has lost an object. A node whose packets have become half empty is
	// partitioned again into packets of up to this number. It is less than SplitAbove, or packets
	// would be split and merged in turns. 0 means three quarters of SplitAbove.
	MergeBelow int

	// Lifespan is the minimum number of ticks, up to 64, for which an empty node of packets is kept. It doubles, up to
	// 64, each time the node is used again in that time, so that a stream of short-lived objects reuses its nodes. 0
	// means 8; with [Off] empty nodes are freed at the next tick.
	Lifespan int

	// Log makes the tree record its last changes for [View.Changes]. It costs 56 bytes per change
	// of two frames, and 8 bytes for each ID. If it is false, there is no log.
	Log bool

	// Slack, in per cent, is the hysteresis of moved objects. When a packet is made, its placement
	// box is its tight box, grown on each side by Slack per cent of the length on that axis or of
	// the mean length, whichever is larger. Objects stay in the packet while their boxes are inside
	// it. Objects that move to and fro across a border then keep their packet, and boxes grow by up
	// to that much. 0 means 10 ([DefaultSlack]), [Off] means none, and 100 is the maximum.
	Slack int

	// TickBudget, in objects, limits what a call does beyond the objects that it is given, so that no frame takes much
	// longer than others. 0 means no limit: then a read, an insertion or a tick may place many objects or rebuild the
	// tree. With a budget:
	//
	//   - Reads apply deferred moves and pack new objects. More than PendingMin pending objects, or
	//     than 128, and 64 that have moved far, are placed by the call that inserts them or applies
	//     their moves, if they are at most 64 or an eighth of the budget; the call also places as
	//     many grafted ones. If they are more, or the calls of the frame have placed as many objects
	//     as the budget, they are gathered in a graft, a subtree of their own in the tree.
	//     PendingShare has no effect.
	//     Single moves are applied after each eighth of the budget, from 64 to 1,024.
	//   - The work of a tick is counted in moves of an object to another packet of its node: 7 for
	//     each object of the budget, in a tree of more than 524,288 objects 3, since these are then
	//     in memory, not in the cache. An object that it places counts 8, one that it moves to make
	//     room 1, and a packet that it refits 2. It refits all that the changes require, places
	//     pending, displaced and grafted objects, merges packets, and partitions nodes of at most
	//     about as many objects as the budget. Later ticks finish the rest: [Stats.Displaced],
	//     [Stats.Grafted] and [Stats.Uncut] are 0 then.
	//   - If a quarter of the budget is left in grafts from earlier frames, or if the calls of the
	//     frame have placed more than twice the budget, a tick takes longer. It then places as many
	//     objects as these calls have moved or put in grafts, up to the budget.
	//   - Changes do not rebuild a tree of more objects than the budget and than 224, except with [PolicyAuto] a call
	//     that inserts more than one in 8 objects, or places more than one in 12 when grafts are full, or moves three
	//     in ten so that queries visit a fifth more. Such moves of several calls are applied by the call that
	//     completes three in ten, not by a read. The first objects are built, and a tree whose columns cannot grow is
	//     rebuilt. All these builds fill packets along the curve, and ticks partition them ([CutAuto]). [Tree.Flush]
	//     finishes everything that is pending, displaced or grafted, if necessary by a rebuild.
	//
	// Queries find all objects at any time; they visit grafts as well as the rest of the tree. Grafts hold up to one
	// in 8 objects: when more arrive than ticks can place, the calls place their objects themselves, or rebuild the
	// tree if they have that many. A tick may still visit all packets when the world grows or shrinks, or when most
	// objects stop moving, and columns that grow are copied. A tree that most objects have left keeps its memory until
	// Rebuild or [Tree.Trim].
	//
	// A tenth of the objects that move in a frame is a good first value. Raise it if [Stats.Displaced] or
	// [Stats.Grafted] increases from frame to frame.
	//
	// Trees with different budgets hold the same objects under the same IDs after the same calls, and arrange them
	// differently: [Tree.LayoutDigest] and the order of results differ. [PolicyRefit] and [PolicyRebuild] exclude a
	// budget.
	TickBudget int

	// Thin configures voxel thinning: a cell of a regular grid keeps one point, or a few. The zero value keeps all
	// objects.
	Thin Thin
}

// DefaultSlack is the slack, in per cent, of a configuration with Slack 0.
const DefaultSlack = octree.DefaultSlack

// Off is the value of GrowShare, ShrinkShare, Lifespan or Slack of a [Config] that turns the feature off, where 0
// means a default. Other negative numbers mean the same.
const Off = octree.Off

// Outside is the treatment of objects whose centre is outside a fixed [Config.World].
type Outside uint8

// The treatments of objects outside the world.
const (
	OutsideKeep   Outside = Outside(octree.OutsideKeep)   // keep them; queries find them like any other
	OutsideReject Outside = Outside(octree.OutsideReject) // reject insertions and moves with ErrOutside
	// OutsideRemove rejects new objects with ErrOutside. An object may move outside, and queries
	// find it there, until the next [Tree.Flush] or [Tree.Tick] that the program calls: if it is
	// still outside then, it is removed, and [Tree.RemovedOutside] lists it.
	OutsideRemove Outside = Outside(octree.OutsideRemove)
)

// String returns "keep", "reject" or "remove".
func (o Outside) String() string { return octree.Outside(o).String() }

// MarshalText returns the text of String. A value that is none of the constants is an error.
func (o Outside) MarshalText() ([]byte, error) { return enum.Marshal("linear", o) }

// UnmarshalText parses the text of MarshalText. For another text it returns an error and leaves the value unchanged.
func (o *Outside) UnmarshalText(text []byte) error { return enum.Unmarshal("linear", o, text) }

// Policy chooses between incremental placement, refit and rebuild for changed objects.
type Policy uint8

// The update policies.
const (
	// PolicyAuto chooses by counts, for mixed workloads.
	//
	// Up to one in 8 of all objects are placed one by one; more are placed by a rebuild, which sorts only the unsorted
	// ones and merges them with the rest. A tree of up to 32,768 objects is also rebuilt when it has grown by more than
	// one in 12 of its objects since the last build, or when as many as it has have been placed one by one: filled
	// slowly, it stays as fast as a new one. A frozen tree of any size is rebuilt with room after one in 12. At a tick,
	// a tree is also rebuilt if more than half of its objects have been removed since the last build.
	//
	// When the moves of one batch, or of several without a read in between, are three in ten or more, the tree is in
	// bulk motion: objects stay in their packets, which are refitted, until sample queries visit a fifth more than at
	// the beginning, or 30 per cent more in the first 8 ticks after a build. Then the move or [Tree.Tick] places
	// displaced objects if they are few, and rebuilds if they are many or that is not enough. After 8 ticks it also
	// rebuilds, without placing any, if sample queries visit at most 40 per cent more: the motion is slow. Bulk
	// motion ends at the first flush of a frame that moved fewer.
	//
	// Of fewer moves, those to far places make their objects pending, and a read or a tick after 64 of them flushes.
	// Without a tick budget the tree is rebuilt instead if more than one in 12 of all objects leave their packets, by a
	// sample of 64 of the moves.
	//
	// A frame that rebuilds takes longer than others: PolicyIncremental avoids such frames.
	PolicyAuto Policy = Policy(octree.PolicyAuto)
	// PolicyIncremental places objects one by one in any number. It rebuilds a tree that has packets
	// only if its columns cannot grow, or at a tick into a single node: if at most 224 objects are
	// left of four times as many since the last build, or of twice as many and the root has one child.
	PolicyIncremental Policy = Policy(octree.PolicyIncremental)
	// PolicyRefit keeps the tree in bulk motion even if few objects move, until a tick rebuilds it because
	// sample queries visit a fifth more. Pending objects are placed one by one.
	PolicyRefit Policy = Policy(octree.PolicyRefit)
	// PolicyRebuild rebuilds for any number of objects.
	PolicyRebuild Policy = Policy(octree.PolicyRebuild)
)

// String returns "auto", "incremental", "refit" or "rebuild".
func (c Policy) String() string { return octree.Policy(c).String() }

// MarshalText returns the text of String. A value that is none of the constants is an error.
func (c Policy) MarshalText() ([]byte, error) { return enum.Marshal("linear", c) }

// UnmarshalText parses the text of MarshalText. For another text it returns an error and leaves the value unchanged.
func (c *Policy) UnmarshalText(text []byte) error { return enum.Unmarshal("linear", c, text) }

// Cut chooses how a build partitions the objects of a cell into packets: in space, or along the Morton curve. It
// affects only the speed of builds and queries. Incremental changes of single nodes always partition in space.
type Cut uint8

// The ways to partition a cell.
const (
	// CutAuto fills packets along the curve and leaves the partition in space to later calls of [Tree.Tick], which
	// partition one object in 16, or 1,024 if these are more, from the second tick after the build on, and four fifths
	// of that in a frame in which objects move. A tree that is rebuilt in each frame is never partitioned, and neither
	// is one without ticks: for such a tree of static data, choose Frozen or CutSpace. [Stats.Uncut] is 0 when the
	// partition is complete. A frozen build is CutSpace, and so is a rebuild that changes cause, unless the last build
	// was in this frame or the last one and Config.Frozen is false.
	CutAuto Cut = Cut(octree.CutAuto)
	// CutSpace halves the objects of a cell along the longest side of their extent, and each half
	// again. Packets are small: queries test a tenth to a third fewer than with CutCurve.
	CutSpace Cut = Cut(octree.CutSpace)
	// CutCurve fills packets along the Morton curve, the order of the sorted keys. That saves a third of a first build
	// and more than half of a rebuild, in a frozen tree more (go test ./linear -run '^$' -bench Build).
	CutCurve Cut = Cut(octree.CutCurve)
)

// String returns "auto", "space" or "curve".
func (c Cut) String() string { return octree.Cut(c).String() }

// MarshalText returns the text of String. A value that is none of the constants is an error.
func (c Cut) MarshalText() ([]byte, error) { return enum.Marshal("linear", c) }

// UnmarshalText parses the text of MarshalText. For another text it returns an error and leaves the value unchanged.
func (c *Cut) UnmarshalText(text []byte) error { return enum.Unmarshal("linear", c, text) }

// settings returns the configuration of the structure.
func (c *Config) settings() octree.Config {
	return octree.Config{
		World: c.World, Fixed: c.Fixed, GrowShare: c.GrowShare, ShrinkShare: c.ShrinkShare, Outside: octree.Outside(c.Outside),
		MinCell: c.MinCell, Frozen: c.Frozen, Cut: octree.Cut(c.Cut), Workers: c.Workers,
		PendingMin: c.PendingMin, PendingShare: c.PendingShare, Policy: octree.Policy(c.Policy),
		SplitAbove: c.SplitAbove, MergeBelow: c.MergeBelow, Lifespan: c.Lifespan, Log: c.Log, Slack: c.Slack,
		TickBudget: c.TickBudget, Thin: octree.Thin{Cell: c.Thin.Cell, Keep: octree.Keep(c.Thin.Keep), Most: c.Thin.Most},
	}
}

// configOf returns the configuration with these settings.
func configOf(s *octree.Config) Config {
	return Config{
		World: s.World, Fixed: s.Fixed, GrowShare: s.GrowShare, ShrinkShare: s.ShrinkShare, Outside: Outside(s.Outside),
		MinCell: s.MinCell, Frozen: s.Frozen, Cut: Cut(s.Cut), Workers: s.Workers,
		PendingMin: s.PendingMin, PendingShare: s.PendingShare, Policy: Policy(s.Policy),
		SplitAbove: s.SplitAbove, MergeBelow: s.MergeBelow, Lifespan: s.Lifespan, Log: s.Log, Slack: s.Slack,
		TickBudget: s.TickBudget, Thin: Thin{Cell: s.Thin.Cell, Keep: Keep(s.Thin.Keep), Most: s.Thin.Most},
	}
}

// New returns an empty tree. The error names the invalid field of the configuration.
func New(cfg Config) (*Tree, error) {
	t := new(Tree)
	if err := t.start(cfg); err != nil {
		return nil, err
	}
	return t, nil
}

// ready initializes a zero tree like [New] with the zero configuration. Each call that changes a
// tree begins with it, and so does the first read.
func (t *Tree) ready() {
	if t.octree.Store == nil {
		t.beginZero()
	}
}

//go:noinline
func (t *Tree) beginZero() {
	if err := t.start(Config{}); err != nil {
		panic(err) // the zero configuration is valid
	}
}

// start initializes a zero tree as an empty one.
func (t *Tree) start(cfg Config) error {
	err := t.octree.Begin(cfg.settings())
	if err == nil {
		t.deferred.synced.Store(true)
	}
	return err
}
