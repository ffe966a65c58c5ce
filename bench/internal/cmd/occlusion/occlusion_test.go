package occlusion

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
)

var bench = commandtest.Bench{Command}

var small = []string{"occlusion", "-n", "3000", "-frames", "4", "-count", "2", "-tier", "go"}

// A line for each view and picture, whose parts add up to about the whole, and one for each unit. The normal form has
// few triangles.
func TestOcclusion(t *testing.T) {
	defer func(former landSize) { land = former }(land)
	land = testkit.Budget(t, landSize{30, 36, 2000}, land)
	triangles := fmt.Sprint(2 * land.cells * land.cells)
	out := commandtest.As(report.TSV, bench.Formats(t, small, 2*8+2*len(unitList)+2*4, 8+2*len(unitList)+4))
	lines := map[string]int{}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) == len(walkColumns()) && f[0] == "3000" {
			lines[f[2]+" "+f[3]]++
		} else if len(f) == len(terrainColumns) && f[0] == triangles {
			lines["terrain"]++
		} else if strings.HasPrefix(f[0], "box ") || strings.HasPrefix(f[0], "occluder ") || strings.HasPrefix(f[0], "pixel ") {
			lines["unit"]++
		}
	}
	for kind, want := range map[string]int{"walk steady": 2, "walk cold": 2, "open steady": 2, "street cold": 2, "terrain": len(sizes) * len(groundHeights), "unit": 2 * len(unitList)} {
		if lines[kind] != want {
			t.Errorf("%d lines of %s, want %d:\n%s", lines[kind], kind, want, out)
		}
	}
	for _, args := range [][]string{{"-frames", "1"}, {"-n", "-1"}, {"-count", "0"}, {"-tier", "best"}} {
		if o := bench.Do(append([]string{"occlusion"}, args...)...); o.Code != 2 {
			t.Errorf("%v: exit code %d", args, o.Code)
		}
	}
}

// The check before the timing finds wrong results of every kind.
func TestOcclusionCheck(t *testing.T) {
	b := must.Get(lab.NewSceneTree("city", 3000, 1))
	cameras := scene.Street(b.Objects, 2, 1)
	culler := must.Get(occlude.New(occlude.Config{Width: sizes[0][0], Height: sizes[0][1], OccluderMask: solid}))
	w := &walker{tree: b, culler: culler, view: view{"street", true, cameras}}
	for i := range cameras {
		w.cameras = append(w.cameras, cameraOf(&cameras[i]))
		f := must.Get(w.cameras[i].Frustum())
		w.frusta = append(w.frusta, f)
	}
	var r row
	w.check(&r, sizes[0])
	if !(r.visible > 0 && r.visible < r.frustum && r.tested > r.visible) {
		t.Errorf("%v of %v visible, %v tested", r.visible, r.frustum, r.tested)
	}
	w.ids = nil
	if err := must.Catch(func() { w.rays(0) }); err == nil {
		t.Error("no error without visible objects")
	}
	w.frusta[0], w.frusta[1] = w.frusta[1], w.frusta[0]
	if err := must.Catch(func() { w.check(&r, sizes[0]) }); err == nil || !strings.Contains(err.Error(), "not in the frustum") {
		t.Errorf("an object outside the frustum: %v", err)
	}
}

// The minimum of the replays of a frame is reported, without the first one.
func TestSmallest(t *testing.T) {
	w := &walker{view: view{}, cameras: make([]query.Camera, 3)}
	l := newLeast(w)
	for _, replay := range [][]time.Duration{{1, 1, 1}, {90, 50, 30}, {90, 40, 60}} {
		l.begin()
		for i, d := range replay {
			l.took(i, d)
		}
	}
	if mean, worst := l.mean(); mean != 35 || worst != 40 {
		t.Errorf("mean %v, worst %v, want 35 and 40", mean, worst)
	}
	if s := l.replays(); len(s) != 2 || s[0] != 40 || s[1] != 50 {
		t.Errorf("replays %v, want 40 and 50", s)
	}
}

// The lens of the cached boxes selects the boxes that the culler selects.
func TestLensOf(t *testing.T) {
	b := must.Get(lab.NewSceneTree("city", 3000, 1))
	walk := scene.Walk(b.Objects, 2, 1)
	culler := must.Get(occlude.New(occlude.Config{Width: 512, Height: 288, OccluderMask: solid}))
	must.Do(culler.SetCamera(cameraOf(&walk[0])))
	must.Do(culler.DrawBoxes(b.Boxes()[:500]...))
	var picture depth.Picture
	pix, width, height, stride := culler.DepthBuffer()
	picture.Resize(width, height)
	for y := range height {
		copy(picture.Row(y), pix[y*stride:])
	}
	depth.Pyramid(&picture)
	lens := lensOf(&walk[0], [2]int{512, 288})
	hidden, differ := 0, 0
	for _, box := range b.Boxes() {
		a := cull.Hides(&box, &lens, &picture)
		if a {
			hidden++
		}
		if a != culler.Occluded(box) {
			differ++
		}
	}
	if hidden < 100 || differ > 2 { // numbers differ in the last place
		t.Errorf("%d boxes are hidden, %d differ from the culler", hidden, differ)
	}
}
