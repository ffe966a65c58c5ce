package profile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// origin describes the run that made a profile. It is stored in the profile's comments, a line for each
// field.
type origin struct {
	workload, objects, tier string
	workers, passes         int
}

func (o origin) comments() []string {
	return []string{
		"workload " + o.workload, "objects " + o.objects, "tier " + o.tier,
		"workers " + strconv.Itoa(o.workers), "passes " + strconv.Itoa(o.passes),
	}
}

// originOf parses comments. Comments of other programs give no passes.
func originOf(comments []string) (o origin) {
	for _, c := range comments {
		key, value, _ := strings.Cut(c, " ")
		n, _ := strconv.Atoi(value) // 0 if it is no number
		switch key {
		case "workload":
			o.workload = value
		case "objects":
			o.objects = value
		case "tier":
			o.tier = value
		case "workers":
			o.workers = n
		case "passes":
			o.passes = max(n, 0)
		}
	}
	return o
}

// same reports whether two profiles are of the same workload, on any tier.
func (o origin) same(p origin) bool {
	return o.workload == p.workload && o.objects == p.objects && o.workers == p.workers && o.passes > 0 && p.passes > 0
}

// inputs holds the inputs of a workload.
type inputs struct {
	objects []soa.Object
	seed    uint64
	workers int

	n, instances int    // for the scene workload, which makes its own objects
	traced       tracer // prints the counters of its queries
}

// workload is one of the workloads: make prepares it and returns one pass.
type workload struct {
	name string
	make func(b *inputs) (pass func())
}

var workloads = []workload{
	{"frame", frameWorkload}, {"build", buildWorkload}, {"query", queryWorkload}, {"pairs", pairsWorkload}, {"motion", motionWorkload},
	{sceneName, sceneWorkload},
}

func workloadNames() string {
	var names []string
	for _, c := range workloads {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

func workloadByName(name string) (c workload, ok bool) {
	i := slices.IndexFunc(workloads, func(c workload) bool { return c.name == name })
	if i < 0 {
		return c, false
	}
	return workloads[i], true
}

// passQueries is the number of queries of each kind in a pass.
const passQueries = 100

// querier returns a function that runs the next queries of each kind.
func (b *inputs) querier(kinds ...lab.QueryKind) func(v linear.View) {
	var batches []lab.Batch
	from := &lab.SceneTree{Objects: b.objects, Seed: b.seed}
	for _, k := range kinds {
		batches = append(batches, must.Get(k.Make(from)))
	}
	var a lab.Answer
	next := 0
	return func(v linear.View) {
		for _, q := range batches {
			for i := range passQueries {
				q.Answer(&a, v, (next+i)%q.Len())
			}
		}
		next += passQueries
	}
}

// culls returns a function that culls with the next camera of each share.
func (b *inputs) culls(shares ...float64) func(v linear.View) {
	const cameras = 16
	var all [][]query.Frustum
	for _, share := range shares {
		var list []query.Frustum
		for _, c := range scene.Cameras(b.objects, share, cameras, b.seed) {
			list = append(list, must.Get(query.FrustumPlanes(c.Planes())))
		}
		all = append(all, list)
	}
	var ids []uint32
	next := 0
	return func(v linear.View) {
		for _, list := range all {
			ids = list[next%len(list)].Append(ids[:0], v, query.Filter{})
		}
		next++
	}
}

// movers returns a moving tree and a function that moves 1 % of its objects.
func (b *inputs) movers() (h *lab.MovingTree, move func()) {
	tree := must.Get(lab.Build(b.objects, b.workers, make([]uint32, 0, len(b.objects))))
	h = &lab.MovingTree{Tree: tree, Motion: lab.NewMotion(b.objects, b.seed)}
	count := max(len(b.objects)/lab.FrameShare, 1)
	return h, func() {
		h.Draw(1, count)
		h.Move(count)
		must.Do(h.Err)
	}
}

func frameWorkload(b *inputs) func() {
	h, move := b.movers()
	cull := b.culls(0.1)
	ask := b.querier(lab.Box8, lab.RayNearest, lab.Nearest8)
	return func() {
		move()
		v := h.Tree.View()
		cull(v)
		ask(v)
	}
}

func buildWorkload(b *inputs) func() {
	ids := make([]uint32, 0, len(b.objects))
	return func() {
		t := must.Get(lab.Build(b.objects, b.workers, ids))
		must.Do(t.Rebuild(nil, linear.RebuildOptions{}))
	}
}

func queryWorkload(b *inputs) func() {
	v := must.Get(lab.BuildFrozen(b.objects, b.workers, nil)).View()
	cull := b.culls(0.01, 0.1, 0.5)
	ask := b.querier(lab.Box8, lab.Box450, lab.Sphere550, lab.RayAll, lab.RayNearest, lab.Nearest1, lab.Nearest8)
	return func() {
		cull(v)
		ask(v)
	}
}

func pairsWorkload(b *inputs) func() {
	v := must.Get(lab.BuildFrozen(b.objects, b.workers, nil)).View()
	var pairs []collide.Pair
	return func() { pairs = collide.Append(pairs[:0], collide.Within(v), collide.Filter{}) }
}

func motionWorkload(b *inputs) func() {
	_, move := b.movers()
	return move
}
