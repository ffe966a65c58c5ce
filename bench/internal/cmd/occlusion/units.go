package occlusion

import (
	"fmt"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
)

// unit is a line of the second table: nanoseconds per unit of work, by replay.
type unit struct {
	name, title string
	measure     func(u *units) measure.Series
}

var unitList = []unit{
	{"cached", "box tested, 16 in the cache", (*units).cached},
	{"walked", "box tested, in the walk", (*units).walked},
	{"occluder", "occluder box drawn", (*units).solids},
	{"pixel", "pixel covered", (*units).pixels},
}

// units is the state for these measurements.
type units struct {
	rounds int
	tree   *lab.SceneTree
	walk   []scene.Camera
	above  []scene.Camera
	size   [2]int
}

// units measures the parts of the work on each tier, or on the tier of the flag.
func (o *occlusion) units(p *command.Progress, out *report.Report, b *lab.SceneTree, walk []scene.Camera) {
	tiers := asm.Info().Available
	if o.tier.Name != "" {
		tiers = []asm.Tier{asm.Info().Tier}
	}
	cols := []table.Column{{Title: "ns for each", Width: -28}, {Title: "buffer", Width: 7}}
	for _, tier := range tiers {
		cols = append(cols, table.Column{Title: tier.String(), Width: 7})
	}
	t := out.Table("units", cols...)
	above := scene.Cameras(b.Objects, 0.1, streetEyes, o.seed)
	p.Begin("measuring boxes, occluders and pixels")
	for _, size := range sizes {
		u := &units{o.output.Count, b, walk, above, size}
		for _, x := range unitList {
			cells := []string{x.title, fmt.Sprintf("%dx%d", size[0], size[1])}
			for _, tier := range tiers {
				var s measure.Series
				must.Within(func() { s = u.on(tier, x) }, "%s", x.title)
				cells = append(cells, table.Number(s.Min()))
				out.Measure(report.Measure{
					Name: fmt.Sprintf("OcclusionUnit/of=%s/buffer=%dx%d/impl=%s", x.name, size[0], size[1], tier), Unit: "ns/op", Samples: s,
				})
			}
			t.Row(cells...)
		}
	}
	p.End()
}

// on measures a unit on a tier.
func (u *units) on(tier asm.Tier, x unit) measure.Series {
	former := must.Get(asm.SetTier(tier))
	defer asm.SetTier(former)
	return x.measure(u)
}

func (u *units) newCuller() *occlude.Culler {
	return must.Get(occlude.New(occlude.Config{Width: u.size[0], Height: u.size[1], OccluderMask: solid}))
}

// cachedPackets is the number of packets of 384 bytes that are tested in turn.
const cachedPackets = 32

// cached repeatedly tests the boxes of some packets against the depth buffer of a frame of the walk. The
// packets are in front of the camera, and the test treats them all as inside the frustum.
func (u *units) cached() measure.Series {
	culler := u.newCuller()
	c := cameraOf(&u.walk[0])
	must.Do(culler.SetCamera(c))
	culler.Count(u.tree.View, query.Filter{})
	var picture depth.Picture
	pix, width, height, stride := culler.DepthBuffer()
	picture.Resize(width, height)
	for y := range height {
		copy(picture.Row(y), pix[y*stride:])
	}
	depth.Pyramid(&picture)
	lens := lensOf(&u.walk[0], u.size)

	s := u.tree.Store
	var slots []uint32
	boxes := 0
	culler.Frustum().Ranges(u.tree.View, query.Filter{}, func(r query.Range) bool {
		for slot := r.First; slot < r.First+r.Count && r.Mask == 0; slot++ {
			if s.Packets.Counts[slot] == 16 && len(slots) < cachedPackets {
				slots, boxes = append(slots, slot|cull.InsideFlag), boxes+16
			}
		}
		return len(slots) < cachedPackets
	})
	if boxes == 0 {
		must.Fail("no packet lies wholly in the frustum")
	}
	var walk cull.VisibleWalk
	var planes cull.Planes
	var out []asm.Range
	return measure.Interleave(u.rounds, measure.Task{Units: boxes, Do: func() uint64 {
		out = walk.AppendHits(out[:0], s.Packets.Bounds, slots, &planes, &lens, &picture)
		return uint64(len(out))
	}})[0]
}

// lensOf returns the lens of a camera, equal to the culler's up to rounding.
func lensOf(c *scene.Camera, size [2]int) cull.Lens {
	var x, y [3]float64
	w, h := float64(size[0])/2, float64(size[1])/2
	for a := range 3 {
		x[a] = w*c.Right[a]/c.TanX + w*c.Forward[a]
		y[a] = h*c.Forward[a] - h*c.Up[a]/c.TanY
	}
	return cull.MakeLens(c.Eye, x, y, c.Forward, false)
}

// walked measures the tree walk of the steady camera per tested box.
func (u *units) walked() measure.Series {
	culler := u.newCuller()
	w := &walker{tree: u.tree, culler: culler}
	tested := 0
	for i := range u.walk {
		w.cameras = append(w.cameras, cameraOf(&u.walk[i]))
		w.frame(i)
		culler.SetCamera(w.cameras[i])
		c := culler.Explain(u.tree.View, query.Filter{}, nil)
		tested += c.Nodes - 1 + c.HiddenNodes + c.Packets + c.HiddenPackets + len(w.ids) + c.HiddenObjects
	}
	return u.spent(float64(tested), func() {
		for i := range w.cameras {
			w.frame(i)
		}
	}, phase.Visible)
}

// solids measures the building of cones and the drawing, per occluder drawn by a camera above the scene
// without a memory.
func (u *units) solids() measure.Series {
	culler := u.newCuller()
	w := &walker{tree: u.tree, culler: culler, view: view{cold: true}}
	drawn := 0
	for i := range u.above {
		w.cameras = append(w.cameras, cameraOf(&u.above[i]))
		culler.Reset()
		must.Do(culler.SetCamera(w.cameras[i]))
		drawn += culler.Explain(u.tree.View, query.Filter{}, nil).Occluders
	}
	return u.spent(float64(drawn), func() {
		for i := range w.cameras {
			w.frame(i)
		}
	}, phase.Cones, phase.Draw)
}

// pixels measures the drawing of one large box per pixel.
func (u *units) pixels() measure.Series {
	culler := u.newCuller()
	audience, objects := scene.Audience(), scene.Partition(0)
	c, partition := cameraOf(&audience), objects[len(objects)-1].Box
	covered := 0
	draw := func() {
		culler.SetCamera(c)
		culler.DrawBoxes(partition)
		culler.DepthBuffer() // draws the occluders
	}
	draw()
	pix, _, _, _ := culler.DepthBuffer()
	for _, v := range pix {
		if v > 0 {
			covered++
		}
	}
	const times = 20
	return u.spent(float64(covered*times), func() {
		for range times {
			draw()
		}
	}, phase.Draw)
}

// spent calls f once, and then once for each replay, and returns the time of phases per unit.
func (u *units) spent(per float64, f func(), of ...phase.Phase) (s measure.Series) {
	f()
	for range u.rounds {
		spent := phase.Times(f)
		sum := 0.0
		for _, p := range of {
			sum += float64(spent[p].Nanoseconds())
		}
		s = append(s, sum/per)
	}
	return s
}
