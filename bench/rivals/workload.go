package main

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/versus"
	"github.com/zoctree/zoctree/bench/rivals/adapters"
	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// workload is a scene and its queries.
type workload struct {
	scene   string
	points  bool
	objects []soa.Object
	seed    uint64
	oracle  *adapters.Slice
	rows    []row
	view    *volumes // one of them: frusta that see 10 %
	boxes   *volumes // one of them: boxes with 450 results
	asked   []row    // the rows of a frame of few objects; nil: others
}

// row is a line of the table: a kind of query.
type row struct {
	name string
	queries
}

// Numbers of queries of a row. Slow rivals run only the first of them.
const (
	frustumCount = 100
	queryCount   = 1000
)

func newWorkload(p versus.Dataset, n int, seed uint64) *workload {
	w := &workload{scene: p.Name, points: p.Points, seed: seed, oracle: adapters.NewSlice()}
	w.objects = p.Scene.Make(n, seed)
	if p.Points {
		for i := range w.objects {
			b := &w.objects[i].Box
			b.Min = b.Center()
			b.Max = b.Min
		}
	}
	w.oracle.Build(w.objects)
	if !p.Points {
		for _, percent := range []int{1, 10, 50} {
			w.frusta(percent)
		}
	}
	for _, results := range []int{8, 450} {
		w.cubes(results)
	}
	w.spheres(550)
	if !p.Points {
		w.rays()
	}
	near := scene.PointQueries(w.objects, queryCount, seed)
	w.ask("nearest", &points{given: near, k: 1})
	w.ask("nearest 8", &points{given: near, k: 8})
	return w
}

// name returns the scene and the number of objects.
func (w *workload) name() string { return fmt.Sprintf("%s, %d objects", w.scene, len(w.objects)) }

func (w *workload) ask(name string, q queries) { w.rows = append(w.rows, row{name, q}) }

// frusta adds frustum queries of cameras that see that percentage of the objects.
func (w *workload) frusta(percent int) {
	q := &volumes{objects: w.objects}
	extent := index.Extent(w.objects)
	for _, c := range scene.Cameras(w.objects, float64(percent)/100, frustumCount, w.seed) {
		native := must.Get(query.FrustumPlanes(c.Planes()))
		q.native = append(q.native, native)
		q.given = append(q.given, index.Frustum(c.Planes(), extent))
	}
	if percent == 10 {
		w.view = q
	}
	w.ask(fmt.Sprintf("frustum %d %%", percent), q)
}

// cubes adds box queries with cubes that overlap that many objects on average.
func (w *workload) cubes(results int) {
	q := &volumes{objects: w.objects}
	for _, b := range scene.BoxQueries(w.objects, results, queryCount, w.seed) {
		native := must.Get(query.NewBox(b.Min, b.Max))
		q.native, q.given = append(q.native, native), append(q.given, index.Box(b))
	}
	w.boxes = q
	w.ask(fmt.Sprintf("box of %d", results), q)
}

// spheres adds sphere queries with balls that overlap that many objects on average.
func (w *workload) spheres(results int) {
	q := &volumes{objects: w.objects}
	for _, s := range scene.SphereQueries(w.objects, results, queryCount, w.seed) {
		native := must.Get(query.NewSphere(s.Center, s.Radius))
		q.native, q.given = append(q.native, native), append(q.given, index.Sphere(s.Center, s.Radius))
	}
	w.ask(fmt.Sprintf("sphere of %d", results), q)
}

// rays adds ray casts for all hits and for the first hit.
func (w *workload) rays() {
	all, first := &rays{}, &rays{first: true}
	for _, r := range scene.RayQueries(w.objects, queryCount, w.seed) {
		native := must.Get(query.NewRay(r.Origin, r.Dir, r.MaxT))
		all.native = append(all.native, native)
		all.given = append(all.given, index.NewRay(r.Origin, r.Dir, r.MaxT))
	}
	first.native, first.given = all.native, all.given
	w.ask("ray, all hits", all)
	w.ask("ray, first hit", first)
}
