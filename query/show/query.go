package show

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Query is a query with its results and counters, to be drawn in a picture.
type Query struct {
	Name     string // name of the volume: "camera"
	Hits     []uint32
	Whole    []soa.AABB // boxes of subtrees that the volume contains as a whole
	Counters query.Counters
	Heat     *query.Heat // visits to nodes and packets

	culled  bitset.Set                        // IDs that the filter removed after the box test
	slots   bitset.Set                        // slots of the packets of Whole
	at      func(z, far float64) [][2]float64 // border of the volume at a height, within ±far
	eye     *[2]float64                       // origin of a camera or a ray
	isRay   bool
	wrong   map[uint32]bool // IDs in which the result differs from the expected one
	wholeID int             // number of objects in Whole
}

// Against makes the picture show the objects in which the result differs from the expected one,
// want. An ID in either list counts once.
func (q *Query) Against(want []int) {
	q.wrong = map[uint32]bool{}
	for _, id := range q.Hits {
		q.wrong[id] = true
	}
	for _, i := range want {
		if id := uint32(i); q.wrong[id] {
			delete(q.wrong, id)
		} else {
			q.wrong[id] = true
		}
	}
}

// volume is a volume query.
type volume interface {
	Count(v linear.View, flt query.Filter) int
	Append(dst []uint32, v linear.View, flt query.Filter) []uint32
	Ranges(v linear.View, flt query.Filter, yield func(query.Range) bool)
	Explain(v linear.View, flt query.Filter, h *query.Heat) query.Counters
}

// ask runs a query.
func ask(name string, q volume, v linear.View, flt query.Filter) (*Query, error) {
	if err := flt.Check(); err != nil {
		return nil, err
	}
	a := &Query{Name: name, Hits: q.Append(make([]uint32, 0, q.Count(v, flt)), v, flt), Heat: query.NewHeat(v)}
	a.Counters = q.Explain(v, flt, a.Heat)
	if !plain(flt) {
		a.without(q.Append(nil, v, query.Filter{}))
	}
	q.Ranges(v, flt, func(r query.Range) bool {
		if r.Mask != 0 {
			return true
		}
		all := soa.Empty()
		for slot := r.First; slot < r.First+r.Count; slot++ {
			a.slots.Add(slot)
			for lane := range v.IDs(slot) {
				all = all.Union(v.Box(slot, lane))
				a.wholeID++
			}
		}
		if all.Min[0] <= all.Max[0] {
			a.Whole = append(a.Whole, all)
		}
		return true
	})
	return a, nil
}

// without records the IDs that the filter removed from the result of the box test.
func (q *Query) without(all []uint32) {
	if len(all) == len(q.Hits) {
		return
	}
	q.culled = setOf(all)
	for _, id := range q.Hits {
		q.culled.Remove(id)
	}
}

// plain reports whether a filter is zero, so that no field restricts the result.
func plain(flt query.Filter) bool { return reflect.ValueOf(flt).IsZero() }

// setOf returns the set of some IDs.
func setOf(ids []uint32) (set bitset.Set) {
	if len(ids) > 0 {
		set = bitset.Of(make([]uint64, int(slices.Max(ids)>>6)+1))
	}
	for _, id := range ids {
		set.Add(id)
	}
	return set
}

// AskPlanes runs a frustum query with the planes of a camera at eye, which is not drawn if nil. A
// picture cuts the planes at its height.
func AskPlanes(v linear.View, planes [6][4]float32, eye *[3]float64, flt query.Filter) (*Query, error) {
	q, err := query.FrustumPlanes(planes)
	if err != nil {
		return nil, err
	}
	a, err := ask("camera", q, v, flt)
	if err != nil {
		return nil, err
	}
	if eye != nil {
		a.eye = &[2]float64{eye[0], eye[1]}
	}
	a.at = func(z, far float64) [][2]float64 { return border(&planes, z, far) }
	return a, nil
}

// border returns the polygon inside all of the planes at a height, within ±far.
func border(planes *[6][4]float32, z, far float64) [][2]float64 {
	all := [][2]float64{{-far, -far}, {far, -far}, {far, far}, {-far, far}}
	for _, p := range planes {
		all = clip(all, float64(p[0]), float64(p[1]), float64(float64(p[2])*z)+float64(p[3]))
	}
	return all
}

// horizon returns the distance to which borders are drawn in a picture of a box.
func horizon(b *soa.AABB) float64 {
	far := 4 * max(float64(b.Max[0])-float64(b.Min[0]), float64(b.Max[1])-float64(b.Min[1]), 1)
	for axis := range 2 {
		far = max(far, 4*max(float64(b.Max[axis]), -float64(b.Min[axis])))
	}
	return far
}

// middle returns the height of the middle of a box.
func middle(b *soa.AABB) float64 { return (float64(b.Min[2]) + float64(b.Max[2])) / 2 }

// clip returns the part of a polygon with nx*x + ny*y + d >= 0.
func clip(border [][2]float64, nx, ny, d float64) (kept [][2]float64) {
	side := func(p [2]float64) float64 { return float64(nx*p[0]) + float64(ny*p[1]) + d }
	for i, p := range border {
		q := border[(i+1)%len(border)]
		a, b := side(p), side(q)
		if a >= 0 {
			kept = append(kept, p)
		}
		if (a >= 0) != (b >= 0) {
			t := a / (a - b)
			kept = append(kept, [2]float64{p[0] + float64(t*(q[0]-p[0])), p[1] + float64(t*(q[1]-p[1]))})
		}
	}
	return kept
}

// AskBox runs a box query: it finds the objects that overlap a box.
func AskBox(v linear.View, b soa.AABB, flt query.Filter) (*Query, error) {
	q, err := query.NewBox(b.Min, b.Max)
	if err != nil {
		return nil, err
	}
	a, err := ask("box", q, v, flt)
	if err != nil {
		return nil, err
	}
	a.at = func(z, _ float64) [][2]float64 {
		if z < float64(b.Min[2]) || z > float64(b.Max[2]) {
			return nil
		}
		x0, y0, x1, y1 := float64(b.Min[0]), float64(b.Min[1]), float64(b.Max[0]), float64(b.Max[1])
		return [][2]float64{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}
	}
	return a, nil
}

// AskSphere runs a sphere query: it finds the objects that overlap a ball.
func AskSphere(v linear.View, center [3]float32, radius float32, flt query.Filter) (*Query, error) {
	q, err := query.NewSphere(center, radius)
	if err != nil {
		return nil, err
	}
	a, err := ask("sphere", q, v, flt)
	if err != nil {
		return nil, err
	}
	a.at = ball(center, float64(radius))
	return a, nil
}

// ball returns the intersection of a plane and a ball: a point if they do not intersect.
func ball(center [3]float32, radius float64) func(z, far float64) [][2]float64 {
	return func(z, _ float64) (border [][2]float64) {
		dz := z - float64(center[2])
		r := math.Sqrt(max(float64(radius*radius)-float64(dz*dz), 0))
		for _, c := range circle {
			border = append(border, [2]float64{float64(center[0]) + float64(r*c[0]), float64(center[1]) + float64(r*c[1])})
		}
		return border
	}
}

// circle is a polygon of 128 corners: halved arcs, by square roots alone, which
// are the same on every CPU.
var circle = func() [][2]float64 {
	c := [][2]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
	for len(c) < 128 {
		var finer [][2]float64
		for i, p := range c {
			q := c[(i+1)%len(c)]
			x, y := p[0]+q[0], p[1]+q[1]
			r := math.Sqrt(float64(x*x) + float64(y*y))
			finer = append(finer, p, [2]float64{x / r, y / r})
		}
		c = finer
	}
	return c
}()

// AskRay runs a ray cast: it finds the objects that a ray of that length hits. dir has length 1
// and length is finite.
func AskRay(v linear.View, origin, dir [3]float32, length float32, flt query.Filter) (*Query, error) {
	q, err := query.NewRay(origin, dir, length)
	if err != nil {
		return nil, err
	}
	if err := flt.Check(); err != nil {
		return nil, err
	}
	a := &Query{Name: "ray", isRay: true, Heat: query.NewHeat(v)}
	a.Counters = q.Explain(v, flt, a.Heat)
	for _, h := range q.Append(nil, v, flt) {
		a.Hits = append(a.Hits, h.ID)
	}
	if !plain(flt) {
		var all []uint32
		for _, h := range q.Append(nil, v, query.Filter{}) {
			all = append(all, h.ID)
		}
		a.without(all)
	}
	from := [2]float64{float64(origin[0]), float64(origin[1])}
	to := [2]float64{from[0] + float64(float64(length)*float64(dir[0])), from[1] + float64(float64(length)*float64(dir[1]))}
	a.eye = &from
	a.at = func(_, _ float64) [][2]float64 { return [][2]float64{from, to} }
	return a, nil
}

// AskNearest runs a k-nearest-neighbour query: it finds the k boxes nearest to a point. The
// border in the picture is the ball that reaches the farthest of them.
func AskNearest(v linear.View, point [3]float32, k int, flt query.Filter) (*Query, error) {
	inf := float32(math.Inf(1))
	near, err := query.AppendNearest(nil, v, point, k, inf, flt)
	if err != nil {
		return nil, err
	}
	a := &Query{Name: fmt.Sprintf("nearest %d", k), Heat: query.NewHeat(v)}
	if a.Counters, err = query.ExplainNearest(v, point, k, inf, flt, a.Heat); err != nil {
		return nil, err
	}
	radius := 0.0
	for _, n := range near {
		a.Hits = append(a.Hits, n.ID)
		radius = float64(n.Dist())
	}
	a.at = ball(point, radius)
	a.eye = &[2]float64{float64(point[0]), float64(point[1])}
	return a, nil
}
