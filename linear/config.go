package linear

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Config chooses how a tree works. The zero value is a good default.
type Config struct {
	// World is a box that the cube which keys resolve always holds: a cube of
	// that size is there from the start. It grows and shrinks with the objects:
	// see GrowShare and ShrinkShare. The zero box means that only the
	// objects decide: at each build, and while there was none, when many have
	// come outside. The world only steers placement: objects
	// outside are found like any other, but those that share a place on its
	// border are told apart by no key, and more of them are looked at.
	World soa.AABB

	// Fixed keeps the cube as World makes it, for good: the smallest one that holds
	// World and has a power of two as its side and a multiple of half of that as its
	// corner ([morton.Fit]).
	Fixed bool

	// GrowShare, 2 or more, says how many objects may be outside a cube that is
	// not fixed: when more than 1/GrowShare of all are, the next flush doubles
	// it towards the octant in whose way most of them lie, if that brings in
	// half of them; it doubles as often as it takes when most objects are
	// outside. 0 means 16; with a negative number the cube grows only when the
	// tree is rebuilt.
	GrowShare int

	// ShrinkShare, 2 or more, says how empty the cube may be: when all objects
	// but far ones have gathered in an octant of it, in less than 1/ShrinkShare
	// of its side, the tick halves it. 0 means 4; with a negative number the
	// cube shrinks only when the tree is rebuilt.
	ShrinkShare int

	// Outside says what becomes of objects outside a fixed world. An object is outside
	// when its centre is not in World, whose faces belong to it. The cube around World,
	// which is larger on most axes, decides nothing.
	Outside Outside

	// MinCell is the side below which no cell of the octree is split. The
	// smallest cells have the next power of two; the objects in one have the
	// same key, and only their boxes tell them apart. 0, the default, means the
	// grid cells of the world, 2^21 an axis.
	//
	// Objects that move within a smallest cell stay at home. But where many
	// share one, each of their packets is as large as the cell, and queries look
	// at more. When a tenth of all objects drift by their size, smallest cells
	// of about 16 objects save a third of the new homes, and a small query
	// tests a tenth more boxes; those of 128 save two thirds, and it tests twice
	// as many (go test ./linear -run '^$' -bench MinCell). No answer depends on
	// it, nor does memory: packets and nodes are full in any case.
	MinCell float32

	// Frozen makes a batch into an empty tree build a frozen one at once:
	// see [RebuildOptions.Frozen].
	Frozen bool

	// Cut says how builds fill packets.
	Cut Cut

	// Workers is the number of goroutines that a build may use, the
	// caller's among them. 0 means GOMAXPROCS, and more than 1,024 mean as
	// many. The result does not depend on it.
	Workers int

	// PendingMin and PendingShare bound what waits for a flush by the larger of
	// PendingMin and 1/PendingShare of all objects. Of pending objects, which
	// queries scan, a look finds no more: see [Tree.View]. Strays are counted
	// after each batch of moves and each 1,024 single ones. 0 means 1024 and 64.
	PendingMin, PendingShare int

	// Policy says how pending objects and strays find their homes.
	Policy Policy

	// SplitAbove is the number of objects, 2 to 16, above which an insertion
	// shares a packet out or splits it; builds fill packets regardless. 0
	// means 16.
	SplitAbove int

	// MergeBelow is the number of objects up to which two neighbouring
	// packets of a node are joined at a tick, when one of them has lost an
	// object, and with which all are filled when they have become half empty.
	// It is less than SplitAbove, or packets would be split and
	// joined in turns. 0 means three quarters of SplitAbove.
	MergeBelow int

	// Lifespan is the least number of ticks, up to 64, that a node of packets
	// stays when it has become empty. It doubles, up to 64, each time the node
	// is used again meanwhile, so that a stream of short-lived objects finds
	// its nodes in place. 0 means 8; a negative number none: emptied nodes go
	// at the next tick.
	Lifespan int

	// Log lets the tree record its last changes for [View.Changes]. It costs
	// 56 bytes a change of two frames, and 8 bytes for each ID.
	Log bool

	// Slack, in per cent, lets an object stray a little beyond its packet before it is
	// re-homed: when a packet is cut, its home box is its tight box, grown on each side
	// by Slack per cent of the length on that axis or of the mean length, whichever is
	// more, and its objects stay while their boxes are in that. Objects that go to and
	// fro over a border then stay where they are, and boxes grow by up to that much. 0
	// means 10; a negative number means none; 100 is the most.
	Slack int
}

// DefaultSlack is the slack, in per cent, of a configuration that says 0.
const DefaultSlack = 10

// Outside says what becomes of objects whose centre is outside [Config.World], which is
// fixed.
type Outside uint8

// What may become of objects outside.
const (
	OutsideKeep   Outside = iota // kept and answered like any other
	OutsideReject                // refused with ErrOutside, whether they are new or move
	// OutsideRemove refuses new objects with ErrOutside. One that moves out goes
	// there, and queries find it, until the next [Tree.Flush] or [Tree.Tick]
	// that the program calls: if it is still outside then, it is removed, and
	// [Tree.RemovedOutside] names it.
	OutsideRemove
)

// String returns "keep", "refuse" or "remove".
func (o Outside) String() string { return name(uint8(o), "keep", "refuse", "remove") }

// MarshalText returns what String does. A value that is none of the constants is an error.
func (o Outside) MarshalText() ([]byte, error) { return enum.Marshal("linear", o) }

// UnmarshalText reads what MarshalText writes. Another text is an error, and the value is as before.
func (o *Outside) UnmarshalText(text []byte) error { return enum.Unmarshal("linear", o, text) }

// Policy says how pending objects and strays find their homes.
type Policy uint8

// The ways of change.
const (
	// PolicyAuto chooses by counts. Homes of a few are found one by one; for more than
	// one in 8 of all objects by a rebuild, which sorts what is out of order and merges it
	// with the rest. A tree of up to 32,768 is rebuilt, too, when it has grown by more than
	// one in 12 of its objects since the last build, or when as many as it has have found
	// homes one by one: filled slowly, it stays as fast as a new one. So is a tree
	// that more than half of its objects have left since then, at a tick. But when a
	// batch moves three in ten or more, the tree drifts: objects stay in their packets,
	// which are refitted, until the summed area of all boxes has grown by a fifth. Then
	// [Tree.Tick], or the next such batch if there are no ticks, finds homes for those
	// that have left theirs, if they are few, and rebuilds if they are many or that is
	// not enough. The drift ends at the first flush of a frame that moved fewer. A frame
	// that rebuilds takes longer than others: PolicyIncremental has none.
	PolicyAuto Policy = iota
	// PolicyIncremental finds homes one by one however many there are, and
	// never rebuilds a tree that has packets, except where its columns
	// cannot grow.
	PolicyIncremental
	// PolicyRefit lets the tree drift however few move, until an area grown
	// by a fifth makes a tick rebuild it. Pending objects are given homes one
	// by one.
	PolicyRefit
	// PolicyRebuild rebuilds however few there are.
	PolicyRebuild
)

// String returns "auto", "incremental", "refit" or "rebuild".
func (c Policy) String() string { return name(uint8(c), "auto", "incremental", "refit", "rebuild") }

// MarshalText returns what String does. A value that is none of the constants is an error.
func (c Policy) MarshalText() ([]byte, error) { return enum.Marshal("linear", c) }

// UnmarshalText reads what MarshalText writes. Another text is an error, and the value is as before.
func (c *Policy) UnmarshalText(text []byte) error { return enum.Unmarshal("linear", c, text) }

func name(i uint8, names ...string) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

// Cut says how a build fills the packets of a cell. It decides nothing but how fast
// builds and queries are. What changes do to single nodes always cuts in space.
type Cut uint8

// The ways of cutting.
const (
	// CutAuto is CutCurve for a tree that is built anew in each frame: when one that is
	// not to be frozen is rebuilt, and three tenths or more of its objects have been given
	// boxes since the last build, with at most one [Tree.Tick] in between. It is CutSpace
	// for all others, and for a batch into an empty tree.
	CutAuto Cut = iota
	// CutSpace halves the objects of a cell along the longest side of where they are, and
	// each half again. Packets are small: queries test a tenth to a third fewer than with
	// CutCurve.
	CutSpace
	// CutCurve fills packets along the Morton curve, in which the sort of a build has put
	// the objects. That saves a third of a first build and more than half of a rebuild, in
	// a frozen tree more (go test ./linear -run '^$' -bench Build).
	CutCurve
)

// String returns "auto", "space" or "curve".
func (c Cut) String() string { return name(uint8(c), "auto", "space", "curve") }

// MarshalText returns what String does. A value that is none of the constants is an error.
func (c Cut) MarshalText() ([]byte, error) { return enum.Marshal("linear", c) }

// UnmarshalText reads what MarshalText writes. Another text is an error, and the value is as before.
func (c *Cut) UnmarshalText(text []byte) error { return enum.Unmarshal("linear", c, text) }

// complete checks a configuration and puts in its defaults.
func (c *Config) complete() error {
	if c.Workers < 0 || c.PendingMin < 0 || c.PendingShare < 0 {
		return fmt.Errorf("linear: negative number in Config: Workers %d, PendingMin %d, PendingShare %d",
			c.Workers, c.PendingMin, c.PendingShare)
	}
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	c.Workers = team.Size(c.Workers)
	def(&c.PendingMin, 1024)
	def(&c.PendingShare, 64)
	def(&c.SplitAbove, soa.Lanes)
	def(&c.MergeBelow, c.SplitAbove*3/4)
	def(&c.Lifespan, lifeMin)
	def(&c.GrowShare, 16)
	def(&c.ShrinkShare, 4)
	def(&c.Slack, DefaultSlack)
	c.Slack = max(c.Slack, -1)
	switch {
	case c.SplitAbove < 2 || c.SplitAbove > soa.Lanes:
		return fmt.Errorf("linear: Config.SplitAbove %d is not in 2 to %d", c.SplitAbove, soa.Lanes)
	case c.MergeBelow < 0 || c.MergeBelow >= c.SplitAbove:
		return fmt.Errorf("linear: Config.MergeBelow %d is not in 0 to %d, below SplitAbove", c.MergeBelow, c.SplitAbove-1)
	case c.Lifespan > lifeMax:
		return fmt.Errorf("linear: Config.Lifespan %d is more than %d", c.Lifespan, lifeMax)
	case !(c.MinCell >= 0 && c.MinCell <= math.MaxFloat32):
		return fmt.Errorf("linear: Config.MinCell %v is not finite, or less than 0", c.MinCell)
	case c.GrowShare == 1:
		return fmt.Errorf("linear: Config.GrowShare %d is not 2 or more, and not negative", c.GrowShare)
	case c.ShrinkShare == 1:
		return fmt.Errorf("linear: Config.ShrinkShare %d is not 2 or more, and not negative", c.ShrinkShare)
	case c.Slack > 100:
		return fmt.Errorf("linear: Config.Slack %d is more than 100", c.Slack)
	case c.Policy > PolicyRebuild:
		return fmt.Errorf("linear: Config.Policy %d, want at most %d", c.Policy, PolicyRebuild)
	case c.Cut > CutCurve:
		return fmt.Errorf("linear: Config.Cut %d, want at most %d", c.Cut, CutCurve)
	case c.Outside > OutsideRemove:
		return fmt.Errorf("linear: Config.Outside %d, want at most %d", c.Outside, OutsideRemove)
	case c.Fixed && c.World == (soa.AABB{}):
		return fmt.Errorf("linear: Config.Fixed without a World")
	case c.Outside != OutsideKeep && !c.Fixed:
		return fmt.Errorf("linear: Config.Outside %v of a world that is not Fixed", c.Outside)
	}
	return nil
}

// New returns an empty tree. The error tells what is wrong with the
// configuration.
func New(cfg Config) (*Tree, error) {
	t := new(Tree)
	if err := t.begin(cfg); err != nil {
		return nil, err
	}
	return t, nil
}

// ready makes a zero tree what [New] returns for the zero configuration. Each call that
// changes a tree begins with it, and so does the first look.
func (t *Tree) ready() {
	if t.store == nil {
		t.beginZero()
	}
}

//go:noinline
func (t *Tree) beginZero() {
	if err := t.begin(Config{}); err != nil {
		panic(err) // the zero configuration is a good one
	}
}

// begin makes a zero tree an empty one.
func (t *Tree) begin(cfg Config) error {
	if err := cfg.complete(); err != nil {
		return err
	}
	var world morton.World
	if cfg.World != (soa.AABB{}) {
		w, err := morton.Fit(cfg.World.Min, cfg.World.Max)
		if err != nil {
			return fault.Errorf("linear: Config.World: %w", err)
		}
		if cfg.Fixed && float64(cfg.MinCell) > w.Side() {
			return fmt.Errorf("linear: Config.MinCell %v is more than the side %v of the fixed world %v", cfg.MinCell, w.Side(), w)
		}
		world = w
	}
	t.cfg, t.world, t.code = cfg, world, newCoder(world, cfg.MinCell)
	t.store, t.centres, t.door = newStore(), soa.Empty(), closed
	t.index.ids = &t.ids
	if cfg.Log {
		t.store.Log = soa.NewLog()
	}
	t.waits.calm.Store(true)
	return nil
}

// newStore returns the store of a new tree.
func newStore() *soa.Store { return &soa.Store{Tree: nextSource()} }
