package occlusion

import (
	"fmt"
	"math"
	"slices"
	"time"

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

// solid is a mask that has a bit in common with all objects.
const solid = ^uint32(0)

// view is a path of a camera, with a memory of occluders or without.
type view struct {
	name    string
	cold    bool
	cameras []scene.Camera
}

// first is the first frame that counts.
func (v *view) first() int {
	if v.cold {
		return 0
	}
	return 1
}

// row is a line of the table: means over frames, times in ns.
type row struct {
	n                        int
	size                     [2]int
	view                     view
	frustum, visible, tested float64
	parts                    [partCount]float64
	total, worst, plain      float64
	totals, plains           measure.Series // by replay
}

// The parts of a frame.
const (
	partClear = iota
	partCones
	partDraw
	partPyramid
	partWalk
	partPick
	partCount
)

// partOf returns the part of a phase. Work outside all phases is small; it counts as picking.
func partOf(p phase.Phase) int {
	switch p {
	case phase.Clear:
		return partClear
	case phase.Cones:
		return partCones
	case phase.Draw:
		return partDraw
	case phase.Pyramid:
		return partPyramid
	case phase.Visible:
		return partWalk
	}
	return partPick
}

// cameraOf converts a camera for queries.
func cameraOf(c *scene.Camera) query.Camera {
	return query.Camera{Eye: c.Eye, Forward: c.Forward, Up: c.Up, FovY: 2 * math.Atan(c.TanY), Aspect: c.TanX / c.TanY, Near: c.Near, Far: c.Far}
}

// row checks and measures a view.
func (o *occlusion) row(b *lab.SceneTree, v view, size [2]int) *row {
	r := &row{n: len(b.Objects), size: size, view: v}
	culler := must.Get(occlude.New(occlude.Config{Width: size[0], Height: size[1], OccluderMask: solid}))
	w := &walker{tree: b, culler: culler, view: v}
	for i := range v.cameras {
		c := cameraOf(&v.cameras[i])
		f := must.Get(c.Frustum())
		w.cameras, w.frusta = append(w.cameras, c), append(w.frusta, f)
	}
	w.check(r, size)
	w.all, w.plain, w.part = newLeast(w), newLeast(w), newLeast(w)
	w.times = make([][partCount]float64, len(w.cameras))
	measure.Interleave(o.output.Count, measure.Task{Before: w.all.begin, Do: w.frames},
		measure.Task{Before: w.plainBegin, Do: w.plainFrames}, measure.Task{Before: w.part.begin, Do: w.partFrames})
	frames := float64(len(w.cameras) - v.first())
	r.total, r.worst = w.all.mean()
	r.plain, _ = w.plain.mean()
	r.totals, r.plains = w.all.replays(), w.plain.replays()
	for _, t := range w.times[v.first():] {
		for k := range t {
			r.parts[k] += t[k] / frames
		}
	}
	return r
}

// walker replays a view.
type walker struct {
	tree    *lab.SceneTree
	culler  *occlude.Culler
	view    view
	cameras []query.Camera
	frusta  []query.Frustum

	all, plain, part *least
	times            [][partCount]float64 // of the fastest replay of each frame
	ids              []uint32
}

// frame sets the camera and queries.
func (w *walker) frame(i int) {
	if i == 0 || w.view.cold {
		w.culler.Reset()
	}
	w.culler.SetCamera(w.cameras[i]) // its error was checked by check
	w.ids = w.culler.Append(w.ids[:0], w.tree.View, query.Filter{})
}

func (w *walker) frames() (visible uint64) {
	for i := range w.cameras {
		start := time.Now()
		w.frame(i)
		w.all.took(i, time.Since(start))
		visible += uint64(len(w.ids))
	}
	return visible
}

// plainBegin starts a replay with warm caches.
func (w *walker) plainBegin() {
	w.plain.begin()
	for i := range w.frusta {
		w.ids = w.frusta[i].Append(w.ids[:0], w.tree.View, query.Filter{})
	}
}

func (w *walker) plainFrames() (visible uint64) {
	for i := range w.cameras {
		start := time.Now()
		w.ids = w.frusta[i].Append(w.ids[:0], w.tree.View, query.Filter{})
		w.plain.took(i, time.Since(start))
		visible += uint64(len(w.ids))
	}
	return visible
}

func (w *walker) partFrames() (visible uint64) {
	for i := range w.cameras {
		spent := phase.Times(func() { w.frame(i) })
		sum := time.Duration(0)
		for _, d := range spent {
			sum += d
		}
		if w.part.took(i, sum) {
			w.times[i] = [partCount]float64{}
			for p, d := range spent {
				w.times[i][partOf(phase.Phase(p))] += float64(d.Nanoseconds())
			}
		}
		visible += uint64(len(w.ids))
	}
	return visible
}

// least holds the minimum time of each frame over replays, without the first replay.
type least struct {
	first  int // first frame that counts
	warm   bool
	frames []time.Duration
	sums   []time.Duration // sums over all frames, by replay
}

func newLeast(w *walker) *least {
	return &least{first: w.view.first(), frames: make([]time.Duration, len(w.cameras))}
}

// begin starts a replay.
func (l *least) begin() {
	if l.warm = len(l.sums) == 1; l.warm {
		clear(l.frames)
	}
	l.sums = append(l.sums, 0)
}

// took records the time of a frame and reports whether it is the minimum so far.
func (l *least) took(i int, d time.Duration) bool {
	if i >= l.first {
		l.sums[len(l.sums)-1] += d
	}
	if l.frames[i] != 0 && l.frames[i] <= d {
		return false
	}
	l.frames[i] = d
	return true
}

// mean returns the mean of the frames' minima, and their maximum.
func (l *least) mean() (mean, worst float64) {
	for _, d := range l.frames[l.first:] {
		mean += float64(d.Nanoseconds()) / float64(len(l.frames)-l.first)
		worst = max(worst, float64(d.Nanoseconds()))
	}
	return mean, worst
}

// replays returns the mean over frames of each replay.
func (l *least) replays() (s measure.Series) {
	for _, d := range l.sums[1:] {
		s = append(s, float64(d.Nanoseconds())/float64(len(l.frames)-l.first))
	}
	return s
}

// check compares all results with references, and counts.
func (w *walker) check(r *row, size [2]int) {
	second := must.Get(occlude.New(occlude.Config{Width: size[0], Height: size[1], OccluderMask: solid, Workers: 2}))
	v, frames := w.tree.View, float64(len(w.cameras)-w.view.first())
	var all []uint32
	for i := range w.cameras {
		for _, culler := range []*occlude.Culler{w.culler, second} {
			if i == 0 || w.view.cold {
				culler.Reset()
			}
			must.Do(culler.SetCamera(w.cameras[i]))
		}
		c := w.culler.Explain(v, query.Filter{}, nil)
		w.frame(i)
		all = w.frusta[i].Append(all[:0], v, query.Filter{})
		slices.Sort(all)
		if n := second.Count(v, query.Filter{}); n != len(w.ids) {
			must.Fail("frame %d: Append returns %d objects, Count %d", i, len(w.ids), n)
		}
		slices.Sort(w.ids)
		for k, id := range w.ids {
			if _, ok := slices.BinarySearch(all, id); !ok || k > 0 && w.ids[k-1] == id {
				must.Fail("frame %d: object %d is returned, but not in the frustum, or returned twice", i, id)
			}
		}
		must.Within(func() { w.rays(i) }, "frame %d", i)
		if i >= w.view.first() {
			r.frustum += float64(len(all)) / frames
			r.visible += float64(len(w.ids)) / frames
			tested := c.Nodes - 1 + c.HiddenNodes + c.Packets + c.HiddenPackets + len(w.ids) + c.HiddenObjects
			r.tested += float64(tested) / frames
		}
	}
}

// rays checks that the first hits of rays through the image are in the result.
func (w *walker) rays(i int) {
	const columns, rows = 16, 9
	c := &w.view.cameras[i]
	var origin [3]float32
	for a := range 3 {
		origin[a] = float32(c.Eye[a])
	}
	for k := range columns * rows {
		x := c.TanX * (2*(float64(k%columns)+0.5)/columns - 1)
		y := c.TanY * (2*(float64(k/columns)+0.5)/rows - 1)
		length := math.Sqrt(1 + x*x + y*y)
		var dir [3]float32
		for a := range 3 {
			dir[a] = float32((c.Forward[a] + x*c.Right[a] + y*c.Up[a]) / length)
		}
		ray := must.Get(query.NewRay(origin, dir, math.MaxFloat32))
		h, ok := ray.First(w.tree.View, query.Filter{})
		if !ok {
			continue
		}
		if _, ok := slices.BinarySearch(w.ids, h.ID); ok {
			continue
		}
		// Rays are rounded: another hit may be as near.
		ok = false
		for _, other := range ray.Append(nil, w.tree.View, query.Filter{}) {
			_, visible := slices.BinarySearch(w.ids, other.ID)
			ok = ok || visible && other.Dist <= h.Dist*(1+1e-5)
		}
		if !ok {
			must.Fail("object %d is culled, but is the first hit of a ray along %v, at %v", h.ID, dir, h.Dist)
		}
	}
}

func walkColumns() []table.Column {
	list := []table.Column{{Title: "city", Width: 7}, {Title: "buffer", Width: 7}, {Title: "view", Width: -6}, {Title: "memory", Width: -6}}
	for _, title := range []string{"frustum", "visible", "tested", "clear", "cones", "draw", "pyramid", "walk", "pick", "total us", "worst", "Frustum us", "x"} {
		list = append(list, table.Column{Title: title, Width: 6})
	}
	return list
}

func (r *row) memory() string {
	if r.view.cold {
		return "cold"
	}
	return "steady"
}

func (r *row) cells() []string {
	cells := []string{fmt.Sprint(r.n), fmt.Sprintf("%dx%d", r.size[0], r.size[1]), r.view.name, r.memory()}
	for _, x := range []float64{r.frustum, r.visible, r.tested} {
		cells = append(cells, fmt.Sprintf("%.0f", x))
	}
	for _, x := range r.parts {
		cells = append(cells, table.Number(x/1e3))
	}
	return append(cells, table.Number(r.total/1e3), table.Number(r.worst/r.total), table.Number(r.plain/1e3), table.Number(r.total/r.plain))
}

func (r *row) measures() []report.Measure {
	name := func(of string) string {
		return fmt.Sprintf("Occlusion/n=%d/buffer=%dx%d/view=%s/memory=%s/of=%s", r.n, r.size[0], r.size[1], r.view.name, r.memory(), of)
	}
	return []report.Measure{
		{Name: name("culler"), Unit: "ns/op", Samples: r.totals},
		{Name: name("frustum"), Unit: "ns/op", Samples: r.plains},
	}
}
