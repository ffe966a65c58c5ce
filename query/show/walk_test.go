package show

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// The steps equal the counters; each object is of one kind, and later culled objects are the objects that
// boxes alone would return.
func TestSteps(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(2000, 1)
	for i := range objects {
		objects[i].Mask = 1 << (i % 3)
	}
	tree := trees.Plant(t, objects, false)
	v := tree.View()
	removed := 0
	for _, b := range scene.BoxQueries(objects, 100, 12, 1) {
		for _, flt := range []query.Filter{{}, {Mask: 3}} {
			q, err := TraceQuery(made[query.Box](t)(query.NewBox(b.Min, b.Max)), v, flt)
			testkit.Must(t, err)
			s := Scene{Kind: Walk, View: v, Width: 640, Trace: q}
			st := s.steps()
			if n := st.entered.n; n != q.Counters.Nodes+q.Counters.Packets {
				t.Errorf("%d entered, counted %d nodes and %d packets", n, q.Counters.Nodes, q.Counters.Packets)
			}
			if st.tested != q.Counters.Tested || st.answer.n != len(q.Hits) {
				t.Errorf("%d candidates and %d answers, counted %d and %d", st.tested, st.answer.n, q.Counters.Tested, len(q.Hits))
			}
			if n := st.answer.n + st.candidate.n + st.culled.n + st.outside.n; n != len(objects) {
				t.Errorf("%d objects, want %d", n, len(objects))
			}
			want := len(testkit.ReferenceBox(objects, b)) - len(q.Hits)
			if st.culled.n != want {
				t.Errorf("%d are culled afterwards, want %d", st.culled.n, want)
			}
			removed += want
		}
	}
	if removed == 0 {
		t.Error("the filter removes nothing")
	}
}

// The nearest objects equal the search's result.
func TestTraceNearest(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(300, 1)
	v := trees.Plant(t, objects, false).View()
	q, err := TraceNearest(v, [3]float32{1, 2, 3}, 7, query.Filter{})
	testkit.Must(t, err)
	slices.Sort(q.Hits)
	if len(slices.Compact(q.Hits)) != 7 {
		t.Errorf("the nearest are %v", q.Hits)
	}
	if _, err := TraceNearest(v, [3]float32{float32(math.NaN())}, 1, query.Filter{}); err == nil {
		t.Error("no error of NaN")
	}
}

// The heat of another tree is rejected.
func TestProfileErrors(t *testing.T) {
	small := trees.Plant(t, testkit.SceneByName(t, "city").Make(20, 1), false).View()
	large := trees.Plant(t, testkit.SceneByName(t, "city").Make(2000, 1), false).View()
	if _, err := Profile(large, query.NewHeat(small)); err == nil {
		t.Error("no error of the heat of another tree")
	}
}

// Outlines beyond the drawn ones are counted, and not kept.
func TestOutlined(t *testing.T) {
	var o outlined
	for i := range 3 * maxDrawn {
		o.add(soa.AABB{Min: [3]float32{float32(i)}}, i%2 == 1)
	}
	if o.n != 3*maxDrawn || o.seen != 3*maxDrawn/2 || len(o.boxes) != maxDrawn || cap(o.boxes) > 2*maxDrawn {
		t.Errorf("%d boxes, %d of them visible, %d kept of %d", o.n, o.seen, len(o.boxes), cap(o.boxes))
	}
	for i, b := range o.boxes {
		if b.Min[0] != float32(2*i+1) {
			t.Fatalf("box %d is %v", i, b)
		}
	}
}

// inside reports whether a point is inside a polygon, and returns its distance from the nearest edge.
func inside(polygon [][2]float64, at [2]float64) (in bool, distance float64) {
	distance = math.Inf(1)
	for i, a := range polygon {
		b := polygon[(i+1)%len(polygon)]
		if (a[1] > at[1]) != (b[1] > at[1]) && at[0] < a[0]+(at[1]-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
			in = !in
		}
		way, to := [2]float64{b[0] - a[0], b[1] - a[1]}, [2]float64{at[0] - a[0], at[1] - a[1]}
		t := 0.0
		if length := way[0]*way[0] + way[1]*way[1]; length > 0 {
			t = min(max((way[0]*to[0]+way[1]*to[1])/length, 0), 1)
		}
		distance = min(distance, math.Hypot(to[0]-t*way[0], to[1]-t*way[1]))
	}
	return in, distance
}

// The border of a query at a height contains the points that the query finds there, and no others.
func TestBorders(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	found := map[string]int{}
	for range testkit.Budget(t, 20, 2000) {
		z := float32(rng.NormFloat64() * 2)
		var points []soa.Object
		for range 300 {
			p := [3]float32{float32(rng.NormFloat64() * 6), float32(rng.NormFloat64() * 6), z}
			points = append(points, soa.Object{Box: soa.AABB{Min: p, Max: p}, Mask: 1})
		}
		v := trees.Plant(t, points, false).View()
		vector := func(size float64) (p [3]float32) {
			for a := range p {
				p[a] = float32(rng.NormFloat64() * size)
			}
			return p
		}
		c, radius, motion := vector(1), float32(1+5*rng.Float64()), vector(8)
		if rng.IntN(4) == 0 {
			motion[2] = 0
		}
		box := soa.AABB{Min: [3]float32{c[0] - radius, c[1] - 2*radius, c[2] - 1}, Max: [3]float32{c[0] + 3, c[1] + radius, c[2] + 2}}
		turn := rng.Float64() * 7
		x, y := float32(math.Cos(turn)), float32(math.Sin(turn))
		turned := linear.OrientedBox{Center: c, Axes: [3][3]float32{{5 * x, 5 * y, 0}, {-2 * y, 2 * x, 0}, {0, 0, 3}}}
		var planes [6][4]float32
		for i := range planes {
			n := vector(1)
			planes[i] = [4]float32{n[0], n[1], n[2], float32(5 * rng.Float64())}
		}
		traces := []*Trace{
			traceOf(t, made[query.Frustum](t)(query.FrustumPlanes(planes)), v),
			traceOf(t, made[query.Convex](t)(query.ConvexPlanes(planes[:3])), v),
			traceOf(t, made[query.Box](t)(query.NewBox(box.Min, box.Max)), v),
			traceOf(t, made[query.OrientedBox](t)(query.NewOrientedBox(turned)), v),
			traceOf(t, made[query.Sphere](t)(query.NewSphere(c, radius)), v),
			traceOf(t, made[query.SweptBox](t)(query.NewSweptBox(box, motion)), v),
			traceOf(t, made[query.SweptSphere](t)(query.NewSweptSphere(c, radius/2, motion)), v),
			made[*Trace](t)(TraceNearest(v, c, 50, query.Filter{})),
		}
		for _, trace := range traces {
			hit := setOf(trace.Hits)
			polygon := trace.border(float64(z), 1000)
			for id, o := range points {
				in, distance := inside(polygon, [2]float64{float64(o.Box.Min[0]), float64(o.Box.Min[1])})
				if in != hit.Has(uint32(id)) && distance > 0.01 {
					t.Fatalf("%s: the border contains %v: %v, found: %v", trace.Name, o.Box.Min, in, !in)
				}
			}
			found[trace.Name] += len(trace.Hits)
		}
	}
	if len(found) != 8 {
		t.Errorf("the queries are %v", found)
	}
	for name, n := range found {
		if n == 0 {
			t.Errorf("%s: no point is found", name)
		}
	}
}

// A ray is a segment of its length, which ends beyond the picture if it has no end; one that goes straight up is a
// point. A query that hits nothing has no border, and a point query a dot.
func TestRayBorders(t *testing.T) {
	v := trees.Plant(t, []soa.Object{{Mask: 1}}, false).View()
	for _, c := range []struct {
		from, dir [3]float32
		maxDist   float32
		want      [2]float64
	}{
		{[3]float32{1, 2, 3}, [3]float32{0.5, 0, 1}, 4, [2]float64{3, 2}},
		{[3]float32{1, 2, 3}, [3]float32{0, -2, 1}, query.Unlimited, [2]float64{1, -100}},
		{[3]float32{-300, 2, 3}, [3]float32{1, 0, 0}, float32(math.Inf(1)), [2]float64{100, 2}},
		{[3]float32{1, 2, 3}, [3]float32{0, 0, 1}, query.Unlimited, [2]float64{1, 2}},
	} {
		trace := traceOf(t, made[query.Ray](t)(query.NewRay(c.from, c.dir, c.maxDist)), v)
		line := trace.border(0, 100)
		if from := [2]float64{float64(c.from[0]), float64(c.from[1])}; len(line) != 2 || line[0] != from || *trace.Origin != [3]float64{from[0], from[1], 3} {
			t.Fatalf("%+v: %v", c, line)
		}
		for a, x := range line[1] {
			if beyond := x / c.want[a]; x != c.want[a] && !(math.Abs(c.want[a]) == 100 && beyond >= 1 && beyond < 5) {
				t.Errorf("%+v: to %v", c, line[1])
			}
		}
	}
	if trace := traceOf(t, query.Ray{}, v); len(trace.border(0, 100)) > 0 || trace.Origin != nil || len(trace.Hits) > 0 {
		t.Errorf("the zero ray: %+v", trace)
	}
	if trace := traceOf(t, made[query.Point](t)(query.NewPoint([3]float32{1, 2, 3})), v); *trace.Origin != [3]float64{1, 2, 3} {
		t.Errorf("a point at %v", trace.Origin)
	}
}

// At the ends of float32 pictures have finite numbers, and the ball of a search reaches the farthest neighbour: the
// square of its radius, and the width of the world, are beyond float32.
func TestTraceAtTheEnds(t *testing.T) {
	far := func(x, y float32) soa.Object {
		p := [3]float32{x, y, 0}
		return soa.Object{Box: soa.AABB{Min: p, Max: p}, Mask: 1}
	}
	tree := trees.Plant(t, []soa.Object{far(-3e38, 0), far(3e38, 0), far(0, 2e38)}, false)
	v := tree.View()
	trace := made[*Trace](t)(TraceNearest(v, [3]float32{1e38, 0, 0}, 3, query.Filter{}))
	reach := 0.0
	for _, p := range trace.border(0, 1e39) {
		reach = max(reach, math.Hypot(p[0]-float64(float32(1e38)), p[1]))
	}
	if want := float64(float32(1e38)) + float64(float32(3e38)); math.Abs(reach-want) > want/100 {
		t.Errorf("the ball reaches %v, want %v", reach, want)
	}
	film := Animation{Width: MinWidth}
	film.Add(tree, "wide")
	var moving strings.Builder
	testkit.Must(t, film.SVG(&moving))
	for _, svg := range []string{draw(t, Walk, Scene{View: v, Width: MinWidth, Trace: trace}), moving.String()} {
		wellFormed(t, svg)
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Error("a picture has a number that is not finite")
		}
	}
}

// Every query is drawn, the zero one as well.
func TestTraceZeros(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(100, 1)
	v := trees.Plant(t, objects, false).View()
	for _, trace := range []*Trace{
		traceOf(t, query.Frustum{}, v), traceOf(t, query.Box{}, v), traceOf(t, query.OrientedBox{}, v), traceOf(t, query.Sphere{}, v), traceOf(t, query.Point{}, v), traceOf(t, query.Func{}, v),
		traceOf(t, query.Convex{}, v), traceOf(t, query.Ray{}, v), traceOf(t, query.SweptBox{}, v), traceOf(t, query.SweptSphere{}, v), made[*Trace](t)(TraceNearest(v, [3]float32{}, 0, query.Filter{})),
	} {
		for _, kind := range []Kind{Overview, Result, Walk} {
			wellFormed(t, draw(t, kind, Scene{View: v, Width: 640, Trace: trace}))
		}
	}
	if trace, err := TraceQuery(query.Ray{}, v, query.Filter{Motion: 9}); err == nil {
		t.Errorf("a trace with an invalid filter: %v", trace)
	}
}
