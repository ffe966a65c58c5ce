package octree

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Config is the configuration of a tree: linear.Config documents the fields. A snapshot saves them under these names,
// in this order.
type Config struct {
	World                    soa.AABB
	Fixed                    bool
	GrowShare, ShrinkShare   int
	Outside                  Outside
	MinCell                  float32
	Frozen                   bool
	Cut                      Cut
	Workers                  int
	PendingMin, PendingShare int
	Policy                   Policy
	SplitAbove, MergeBelow   int
	Lifespan                 int
	Log                      bool
	Slack                    int
	TickBudget               int
	Thin                     Thin
}

// DefaultSlack is the slack, in per cent, of settings with Slack 0.
const DefaultSlack = 10

// Off is the value of GrowShare, ShrinkShare, Lifespan or Slack that turns the feature off.
const Off = -1

// Outside is the treatment of objects whose centre is outside a fixed world.
type Outside uint8

// The treatments of objects outside the world.
const (
	OutsideKeep Outside = iota
	OutsideReject
	OutsideRemove
)

// String returns "keep", "reject" or "remove".
func (o Outside) String() string { return enum.Name(uint8(o), "keep", "reject", "remove") }

// Policy is the way in which changed objects are placed.
type Policy uint8

// The update policies.
const (
	PolicyAuto Policy = iota
	PolicyIncremental
	PolicyRefit
	PolicyRebuild
)

// String returns "auto", "incremental", "refit" or "rebuild".
func (c Policy) String() string {
	return enum.Name(uint8(c), "auto", "incremental", "refit", "rebuild")
}

// Cut is the way in which builds partition the objects of a cell into packets: linear.Cut documents the constants.
type Cut uint8

// The ways to partition a cell.
const (
	CutAuto Cut = iota
	CutSpace
	CutCurve
)

// String returns "auto", "space" or "curve".
func (c Cut) String() string { return enum.Name(uint8(c), "auto", "space", "curve") }

// Complete validates a configuration and sets its defaults.
func (c *Config) Complete() error {
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
	def(&c.PendingMin, 64)
	def(&c.PendingShare, 64)
	def(&c.SplitAbove, soa.Lanes)
	def(&c.MergeBelow, c.SplitAbove*3/4)
	def(&c.Lifespan, emptyTicksMin)
	def(&c.GrowShare, 16)
	def(&c.ShrinkShare, 4)
	def(&c.Slack, DefaultSlack)
	for _, v := range []*int{&c.GrowShare, &c.ShrinkShare, &c.Lifespan, &c.Slack} {
		*v = max(*v, Off)
	}
	switch {
	case c.SplitAbove < 2 || c.SplitAbove > soa.Lanes:
		return fmt.Errorf("linear: Config.SplitAbove %d is not in 2 to %d", c.SplitAbove, soa.Lanes)
	case c.MergeBelow < 0 || c.MergeBelow >= c.SplitAbove:
		return fmt.Errorf("linear: Config.MergeBelow %d is not in 0 to %d, below SplitAbove", c.MergeBelow, c.SplitAbove-1)
	case c.Lifespan > emptyTicksMax:
		return fmt.Errorf("linear: Config.Lifespan %d is more than %d", c.Lifespan, emptyTicksMax)
	case !(c.MinCell >= 0 && c.MinCell <= math.MaxFloat32):
		return fmt.Errorf("linear: Config.MinCell %v is not finite, or less than 0", c.MinCell)
	case c.GrowShare == 1:
		return fmt.Errorf("linear: Config.GrowShare %d, want 2 or more, 0 or Off", c.GrowShare)
	case c.ShrinkShare == 1:
		return fmt.Errorf("linear: Config.ShrinkShare %d, want 2 or more, 0 or Off", c.ShrinkShare)
	case c.Slack > 100:
		return fmt.Errorf("linear: Config.Slack %d is more than 100", c.Slack)
	case c.Policy > PolicyRebuild:
		return fmt.Errorf("linear: Config.Policy %d, want at most %d", c.Policy, PolicyRebuild)
	case c.Cut > CutCurve:
		return fmt.Errorf("linear: Config.Cut %d, want at most %d", c.Cut, CutCurve)
	case c.Outside > OutsideRemove:
		return fmt.Errorf("linear: Config.Outside %d, want at most %d", c.Outside, OutsideRemove)
	case c.TickBudget < 0:
		return fmt.Errorf("linear: Config.TickBudget %d is negative", c.TickBudget)
	case c.TickBudget > 0 && c.Policy > PolicyIncremental:
		return fmt.Errorf("linear: Config.TickBudget %d with Config.Policy %v, which rebuilds: want %v or %v",
			c.TickBudget, c.Policy, PolicyAuto, PolicyIncremental)
	case c.Fixed && c.World == (soa.AABB{}):
		return fmt.Errorf("linear: Config.Fixed without a World")
	case c.Outside != OutsideKeep && !c.Fixed:
		return fmt.Errorf("linear: Config.Outside %v of a world that is not Fixed", c.Outside)
	}
	return c.Thin.complete()
}

// Begin initializes a zero tree as an empty one.
func (t *Tree) Begin(cfg Config) error {
	if err := cfg.Complete(); err != nil {
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
	t.Config, t.World, t.Code = cfg, world, NewCoder(world, cfg.MinCell)
	t.Store, t.Centres, t.FastBounds = NewStore(), soa.Empty(), none
	t.Index.IDs = &t.IDs
	if cfg.Log {
		t.Store.Log = soa.NewLog()
	}
	return nil
}
