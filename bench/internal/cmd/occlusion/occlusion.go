// Package occlusion implements the command bench occlusion, which measures the cost of occlusion culling for
// a camera in a city, and of its parts.
package occlusion

import (
	"flag"
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/internal/scene"
)

// Command is bench occlusion.
var Command = command.Command{
	Name:  "occlusion",
	Short: "what a walking camera sees of a city when solid things hide others, and what that costs",
	Long: `
A camera with its eye 1.7 above the ground walks through cities all of whose objects are
solid, and asks package query/occlude what it sees, and Frustum.Append for the same views in
turns. A line is the mean over the frames of a view, each frame the least of -count replays:

  view         walk: 60 frames, of which the first does not count; open: another such walk,
               from where one sees far; street: 6 eyes, cold
  memory       steady: that of the frame before; cold: none
  frustum      objects in the frustum
  seen         of these, what is seen
  tested       boxes of nodes, packets and objects that are held against the picture
  clear        us to set the camera and clear the picture
  cones, draw  to make the lines and planes of solids, and to draw these
  pyramid      the levels of the picture
  walk         from the root, with the IDs of the answer
  pick         which solids are drawn; when cold, a walk of what is near, too
  total, worst us of all of a frame, and of the worst one over the mean
  Frustum, x   Frustum.Append, and the total over that
  then, x      with -against: that of a former commit, in turns, too

Parts are of replays of their own, with a clock that is read at each change; the total is
without it. Before it is timed each answer is held against that of Frustum.Append, of
which it is a part, against Count, and against rays: what a ray from the eye meets first
is seen.

A second table has, for each tier, the nanoseconds per box that is tested, in packets of 16 in the
cache and in the walk of the steady camera; per solid box of the 256 largest of a view of the
city from above, drawn; and per pixel that the partition of figure 4 of Shagam and Pfeiffer covers.

A third has, of six eyes on and above a terrain of 64,800 triangles on which 100,000 small objects are strewn, the mean
of the microseconds to draw the mesh and to answer, each the least of the replays, and of the objects that are seen. The hidden ones that are found are told by
the test of shares of package query/occlude.

  go run ./bench occlusion
  go run ./bench occlusion -quick
  go run ./bench occlusion -against c526d52
  go run ./bench occlusion -n 20000 -tier go` + command.AboutOutput,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var o occlusion
		o.output.Declare(flags, 9)
		o.tier.Declare(flags)
		flags.BoolVar(&o.quick, "quick", false, "only the city of 100,000 objects, 3 replays")
		count.Var(flags, &o.n, "n", 0, 0, "a city of a `number` of objects instead of those of 100k and of 1M")
		count.Var(flags, &o.frames, "frames", 60, 2, "`number` of frames of a walk, 2 or more")
		flags.Uint64Var(&o.seed, "seed", 1, "seed of the city")
		flags.StringVar(&o.against, "against", "", "Frustum.Append of a `COMMIT`, too: its library is built from the checkout")
		return o.run
	},
}

// occlusion is one run of the command.
type occlusion struct {
	quick     bool
	n, frames int
	seed      uint64
	against   string
	other     *other // the library of that commit, or nil
	tier      command.TierFlag
	output    command.Output
}

// city is a scene with the seeds of its views. The seeds of walks are chosen so that as many objects are in
// the frustum, and are tested, as in the design's figures, 158,000 and 65,000 objects; other views differ
// widely, as open ones do.
type city struct {
	n                  int
	walk, open, street uint64
}

var cities = []city{{100_000, 2, 1, 31}, {1_000_000, 0, 8, 12}}

// sizes are the sizes of depth buffers.
var sizes = [][2]int{{512, 288}, {256, 144}}

const streetEyes = 6

func (o *occlusion) run(e *command.Env) error {
	list := cities
	switch {
	case o.n > 0:
		list = []city{{o.n, 1, 2, 1}}
	case o.quick:
		list = list[:1]
	}
	if o.quick {
		o.output.Count = min(o.output.Count, 3)
	}
	restore, err := o.tier.Use()
	if err != nil {
		return err
	}
	defer restore()
	p := &command.Progress{Out: e.Errs}
	if o.against != "" {
		p.Begin("building the library of %s", o.against)
		o.other, err = newOther(o.against, e.Errs)
		p.End()
		if err != nil {
			return err
		}
		defer o.other.close()
	}
	out, err := o.output.Begin(e, "occlusion")
	if err != nil {
		return err
	}
	command.TierNote(out)
	out.Note("replays", fmt.Sprint(o.output.Count))
	if o.other != nil {
		out.Note("then", o.against)
	}
	t := out.Table("walk", o.walkColumns()...)
	var last *lab.Bed
	var first []scene.Camera
	for _, c := range list {
		p.Begin("measuring a city of %s", count.Of(c.n, "object"))
		b, err := lab.NewBed("city", c.n, o.seed)
		if err != nil {
			return err
		}
		walk, open := scene.Walk(b.Objects, o.frames, c.walk), scene.Walk(b.Objects, o.frames, c.open)
		street := scene.Street(b.Objects, streetEyes, c.street)
		views := []view{{"walk", false, walk, 0}, {"walk", true, walk, 0}, {"open", false, open, 1}, {"street", true, street, 2}}
		bed := &bed{Bed: b}
		if o.other != nil {
			if bed.then, err = o.other.plant(b.Boxes(), planesOf(walk, open, street), e.Errs); err != nil {
				return err
			}
		}
		for i, size := range sizes {
			for k, v := range views {
				row, err := o.row(bed, v, size)
				if err != nil {
					return fmt.Errorf("city of %d objects, %d x %d, %s: %w", c.n, size[0], size[1], v.name, err)
				}
				t.Row(row.cells()...)
				for _, m := range row.measures() {
					out.Measure(m)
				}
				p.Done(float64(4*i+k+1) / 8)
			}
		}
		if bed.then != nil {
			if err := bed.then.close(); err != nil {
				return err
			}
		}
		p.End()
		if last == nil { // the smallest, for measurements that do not depend on the size
			last, first = b, walk
		}
	}
	if err := o.units(p, out, last, first); err != nil {
		return err
	}
	if err := o.terrain(p, out); err != nil {
		return err
	}
	return o.output.End(e, out)
}

// bed is a tree, and the same tree of another commit, or nil.
type bed struct {
	*lab.Bed
	then *asked
}

// planesOf returns the frustum planes of cameras.
func planesOf(views ...[]scene.Camera) (planes [][][6][4]float32) {
	for _, cameras := range views {
		var list [][6][4]float32
		for i := range cameras {
			list = append(list, cameras[i].Planes())
		}
		planes = append(planes, list)
	}
	return planes
}
