package occlusion

import (
	"fmt"
	"math"
	"time"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
)

// landSize is the size of a terrain: a square of cells, of two triangles each, covered with small objects.
type landSize struct {
	cells   int     // in a row
	width   float64 // of a cell
	objects int
}

var land = landSize{180, 6, 100_000}

// groundHeights are the heights of cameras above the ground.
var groundHeights = []float64{1.7, 40}

var terrainColumns = []table.Column{
	{Title: "triangles", Width: 9}, {Title: "buffer", Width: 7}, {Title: "height", Width: 9}, {Title: "frustum", Width: 7},
	{Title: "visible", Width: 7}, {Title: "mesh us", Width: 7}, {Title: "ns/triangle", Width: 11}, {Title: "query us", Width: 9}, {Title: "total us", Width: 8},
}

// terrain measures the drawing of an occluder mesh, and the query after it.
func (o *occlusion) terrain(p *command.Progress, out *report.Report) {
	p.Begin("measuring a terrain")
	defer p.End()
	ground := scene.NewTerrain(land.cells, land.width, o.seed)
	corners, triangles := ground.Triangles()
	mesh := must.Get(occlude.NewMesh(corners, triangles))
	tree := must.Get(lab.BuildFrozen(ground.Strewn(land.objects, o.seed), 1, nil))
	t := out.Table("terrain", terrainColumns...)
	for _, size := range sizes {
		for _, above := range groundHeights {
			f := &hills{mesh: mesh, view: tree.View(), cameras: eyesAbove(ground, above)}
			f.culler = must.Get(occlude.New(occlude.Config{Width: size[0], Height: size[1]}))
			must.Within(f.check, "terrain from %v above", above)
			draw, answer := f.measure(o.output.Count)
			n := float64(len(f.cameras))
			t.Row(fmt.Sprint(len(triangles)), fmt.Sprintf("%dx%d", size[0], size[1]), fmt.Sprint(above), fmt.Sprintf("%.0f", float64(f.frustum)/n),
				fmt.Sprintf("%.0f", float64(f.visible)/n), table.Number(draw.Min()/1e3), table.Number(draw.Min()/float64(len(triangles))),
				table.Number(answer.Min()/1e3), table.Number((draw.Min()+answer.Min())/1e3))
			for _, m := range []struct {
				of      string
				samples measure.Series
			}{{"mesh", draw}, {"query", answer}} {
				out.Measure(report.Measure{Name: fmt.Sprintf("OcclusionTerrain/buffer=%dx%d/above=%v/of=%s", size[0], size[1], above, m.of), Unit: "ns/op", Samples: m.samples})
			}
		}
	}
}

// eyesAbove returns six cameras above the ground, the same as in the test of shares of package occlude.
func eyesAbove(g *scene.Terrain, above float64) (cameras []query.Camera) {
	for view := range 6 {
		x, y := 200+float64(view%3)*300, 250+float64(view/3)*500
		sin, cos := math.Sincos(float64(view) * 1.1)
		cameras = append(cameras, query.Camera{Eye: [3]float64{x, y, g.Height(x, y) + above}, Forward: [3]float64{cos, sin, -0.05}, Up: [3]float64{0, 0, 1},
			FovY: math.Pi / 3, Aspect: 16. / 9, Near: 0.1, Far: 2000})
	}
	return cameras
}

// hills is a terrain with a list of cameras.
type hills struct {
	culler           *occlude.Culler
	mesh             *occlude.Mesh
	view             linear.View
	cameras          []query.Camera
	ids              []uint32
	frustum, visible int // numbers of objects, over all views
}

// frame draws and queries, and returns both times.
func (g *hills) frame(c query.Camera) (draw, answer time.Duration) {
	g.culler.SetCamera(c) // its error was checked by check
	start := time.Now()
	g.culler.DrawMesh(g.mesh, linear.Transform{})
	draw, start = time.Since(start), time.Now()
	g.ids = g.culler.Append(g.ids[:0], g.view, query.Filter{})
	return draw, time.Since(start)
}

// check counts the objects, and verifies that the results are a subset of the frustum's.
func (g *hills) check() {
	for _, c := range g.cameras {
		must.Do(g.culler.SetCamera(c))
		g.frame(c)
		all := map[uint32]bool{}
		for _, id := range g.culler.Frustum().Append(nil, g.view, query.Filter{}) {
			all[id] = true
		}
		for _, id := range g.ids {
			if !all[id] {
				must.Fail("object %d is visible, but not in the frustum", id)
			}
		}
		g.frustum, g.visible = g.frustum+len(all), g.visible+len(g.ids)
	}
}

// measure returns the mean times over the views for each replay.
func (g *hills) measure(replays int) (draw, answer measure.Series) {
	for range replays {
		var d, a time.Duration
		for _, c := range g.cameras {
			draw, answer := g.frame(c)
			d, a = d+draw, a+answer
		}
		n := float64(len(g.cameras))
		draw, answer = append(draw, float64(d.Nanoseconds())/n), append(answer, float64(a.Nanoseconds())/n)
	}
	return draw, answer
}
