// Package occlusion implements the command bench occlusion, which measures the cost of occlusion culling for
// a camera in a city, and of its parts.
package occlusion

import (
	"flag"
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/count"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
)

// Command is bench occlusion.
var Command = command.Command{
	Name:  "occlusion",
	Short: "occlusion culling for a walking camera in a city: visible objects and cost",
	Long: `
Measures occlusion culling. A camera 1.7 above the ground walks through cities in which every object is
an occluder. The command queries package query/occlude and Frustum.Append with the same views,
interleaved. A line is the mean over the frames of a view, each frame the minimum of -count replays:

  view         walk: 60 frames, without the first; open: another such walk,
               with a far view; street: 6 cameras, each the first of its culler
  memory       steady: of the previous frame; cold: none
  frustum      objects in the frustum
  visible      objects that the culler returns
  tested       boxes of nodes, packets and objects that are tested against the depth buffer
  clear        us to set the camera and clear the depth buffer
  cones, draw  to compute the silhouettes and planes of occluders, and to draw them
  pyramid      the levels of the depth pyramid
  walk         the traversal from the root, with the IDs of the results
  pick         the choice of the occluders; when cold, with a query of near objects
  total, worst us of a whole frame, and of the worst one over the mean
  Frustum, x   Frustum.Append, and the total over it

The times of parts are from replays of their own, which read a clock at each change of part; the total is
without it. Before the timing, each result is checked to be a subset of that of Frustum.Append, and
compared with Count and with rays: the first object that a ray from the camera hits
is visible.

A second table has, for each tier, the nanoseconds per tested box, in packets of 16 in the
cache and in the traversal of the steady camera; per drawn box of the 256 largest occluders of a view of the
city from above; and per pixel that the partition of figure 4 of Shagam and Pfeiffer covers.

A third has six cameras on and above a terrain of 64,800 triangles with 100,000 small objects on it: the mean
of the microseconds to draw the mesh and to query, each the minimum of the replays, and the number of visible objects.
The test of shares in package query/occlude measures the share of occluded objects that are culled.

  go run ./bench occlusion
  go run ./bench occlusion -quick
  go run ./bench occlusion -n 20000 -tier go` + command.AboutOutput,
	Setup: func(flags *flag.FlagSet) func(e *command.Env) error {
		var o occlusion
		o.output.Declare(flags, 9)
		o.tier.Declare(flags)
		flags.BoolVar(&o.quick, "quick", false, "only the city of 100,000 objects, 3 replays")
		count.Objects(flags, &o.n, "n", 0, 0, "one city of a `number` of objects instead of two, of 100k and of 1M")
		count.Var(flags, &o.frames, "frames", 60, 2, "`number` of frames of a walk, 2 or more")
		flags.Uint64Var(&o.seed, "seed", 1, "seed of the city")
		return o.run
	},
}

// occlusion is one run of the command.
type occlusion struct {
	quick     bool
	n, frames int
	seed      uint64
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
	defer o.tier.Use()()
	p := &command.Progress{Out: e.Errs}
	out := o.output.Begin(e, "occlusion")
	command.TierNote(out)
	out.Note("replays", fmt.Sprint(o.output.Count))
	t := out.Table("walk", walkColumns()...)
	var last *lab.SceneTree
	var first []scene.Camera
	for _, c := range list {
		p.Begin("measuring a city of %s", count.Of(c.n, "object"))
		b := must.Get(lab.NewSceneTree("city", c.n, o.seed))
		walk, open := scene.Walk(b.Objects, o.frames, c.walk), scene.Walk(b.Objects, o.frames, c.open)
		street := scene.Street(b.Objects, streetEyes, c.street)
		views := []view{{"walk", false, walk}, {"walk", true, walk}, {"open", false, open}, {"street", true, street}}
		for i, size := range sizes {
			for k, v := range views {
				var row *row
				must.Within(func() { row = o.row(b, v, size) }, "city of %d objects, %d x %d, %s", c.n, size[0], size[1], v.name)
				t.Row(row.cells()...)
				for _, m := range row.measures() {
					out.Measure(m)
				}
				p.Done(float64(4*i+k+1) / 8)
			}
		}
		p.End()
		if last == nil { // the smallest, for measurements that do not depend on the size
			last, first = b, walk
		}
	}
	o.units(p, out, last, first)
	o.terrain(p, out)
	return o.output.End(e, out)
}
