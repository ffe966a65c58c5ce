package ratios

import (
	"math"
	"math/bits"

	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

var floorKinds = []floorKind{
	{"frustum", floorShares, func(b *bed, share float64) []floorForm {
		return volumeForms(b, b.curveFrusta(share), query.FrustumPlanes)
	}},
	{"convex", floorShares, func(b *bed, share float64) []floorForm {
		return volumeForms(b, b.curveFrusta(share), func(p [6][4]float32) (query.Convex, error) { return query.ConvexPlanes(p[:]) })
	}},
	{"box", floorShares, func(b *bed, share float64) []floorForm {
		return volumeForms(b, b.curveBoxes(share), func(c soa.AABB) (query.Box, error) { return query.NewBox(c.Min, c.Max) })
	}},
	{"sphere", floorShares, func(b *bed, share float64) []floorForm {
		return volumeForms(b, lab.Quads(b.curveSpheres(share)), func(s [4]float32) (query.Sphere, error) {
			return query.NewSphere([3]float32(s[:3]), s[3])
		})
	}},
	{"point", oneShare, func(b *bed, _ float64) []floorForm {
		return volumeForms(b, b.queryPoints(), query.NewPoint)
	}},
	{"ray", oneShare, func(b *bed, _ float64) []floorForm {
		return hitForms(b, b.queryPoints(), func(p [3]float32) (query.Ray, error) { return query.NewRay(p, b.way(p), 2) })
	}},
	{"swept box", floorShares, func(b *bed, share float64) []floorForm {
		return hitForms(b, b.curveBoxes(share), func(c soa.AABB) (query.SweptBox, error) {
			return query.NewSweptBox(c, b.step(c.Center()))
		})
	}},
	{"swept sphere", floorShares, func(b *bed, share float64) []floorForm {
		return hitForms(b, lab.Quads(b.curveSpheres(share)), func(s [4]float32) (query.SweptSphere, error) {
			c := [3]float32(s[:3])
			return query.NewSweptSphere(c, s[3], b.step(c))
		})
	}},
	{"nearest", oneShare, func(b *bed, _ float64) []floorForm { return b.nearestForms() }},
	{"nearby", floorShares, func(b *bed, share float64) []floorForm { return b.nearbyForms(share) }},
}

// queryPoints returns points at objects and points outside all of them, alternately.
func (b *bed) queryPoints() (points [][3]float32) {
	n := len(b.Objects)
	all := soa.Empty()
	for i := range b.Objects {
		all = all.Union(b.Objects[i].Box)
	}
	for i := range curveQueries {
		p := b.Objects[i*n/curveQueries].Box.Center()
		if i%2 == 1 {
			a := i / 2 % 3
			p[a] = float32(max(float64(all.Min[a])-0.3*(float64(all.Max[a])-float64(all.Min[a]))-1, -math.MaxFloat32))
		}
		points = append(points, p)
	}
	return points
}

// way returns a direction from a point to the object in the middle of the list, or another direction if the
// two coincide.
func (b *bed) way(p [3]float32) (d [3]float32) {
	to := b.Objects[len(b.Objects)/2].Box.Center()
	for a := range 3 {
		d[a] = float32(min(max(float64(to[a])-float64(p[a]), -math.MaxFloat32), math.MaxFloat32))
	}
	if d == ([3]float32{}) {
		return [3]float32{1, 2, 3}
	}
	return d
}

// step returns a small part of the way.
func (b *bed) step(p [3]float32) [3]float32 {
	d := b.way(p)
	return [3]float32{d[0] / 64, d[1] / 64, d[2] / 64}
}

// makeAll makes the queries.
func makeAll[G, Q any](given []G, make func(G) (Q, error)) (queries []Q) {
	for _, g := range given {
		q := must.Get(make(g))
		queries = append(queries, q)
	}
	return queries
}

type volumeQuery interface {
	Append(dst []uint32, v linear.View, flt query.Filter) []uint32
	Count(v linear.View, flt query.Filter) int
	Any(v linear.View, flt query.Filter) bool
	Ranges(v linear.View, flt query.Filter, yield func(query.Range) bool)
}

func volumeForms[G any, Q volumeQuery](b *bed, given []G, make func(G) (Q, error)) []floorForm {
	q := makeAll(given, make)
	all := query.Filter{}
	ranges := func(v linear.View, i int) (n uint64) {
		counts := v.Store().Packets.Counts
		q[i].Ranges(v, all, func(r query.Range) bool {
			n += uint64(bits.OnesCount16(r.Mask))
			if r.Mask == 0 {
				for _, c := range counts[r.First:][:r.Count] {
					n += uint64(c)
				}
			}
			return true
		})
		return n
	}
	return []floorForm{
		{"append", func(v linear.View, i int) uint64 {
			b.IDs = q[i].Append(b.IDs[:0], v, all)
			return uint64(len(b.IDs))
		}, func(dst []uint32, v linear.View, i int) []uint32 { return q[i].Append(dst, v, all) }, false},
		numberForm("count", func(v linear.View, i int) uint64 { return uint64(q[i].Count(v, all)) }),
		numberForm("any", func(v linear.View, i int) uint64 { return one(q[i].Any(v, all)) }),
		numberForm("ranges", ranges),
	}
}

// numberForm is a form whose result is a number.
func numberForm(name string, ask func(v linear.View, i int) uint64) floorForm {
	return floorForm{name, ask, func(dst []uint32, v linear.View, i int) []uint32 { return append(dst, uint32(ask(v, i))) }, true}
}

func one(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

type hitQuery interface {
	Append(dst []query.Hit, v linear.View, flt query.Filter) []query.Hit
	First(v linear.View, flt query.Filter) (query.Hit, bool)
	Any(v linear.View, flt query.Filter) bool
}

func hitForms[G any, Q hitQuery](b *bed, given []G, make func(G) (Q, error)) []floorForm {
	q := makeAll(given, make)
	all := query.Filter{}
	var hits []query.Hit
	number := func(dst []uint32, hits ...query.Hit) []uint32 {
		for _, h := range hits {
			dst = append(dst, h.ID, math.Float32bits(h.Dist))
		}
		return dst
	}
	return []floorForm{
		{"append", func(v linear.View, i int) uint64 {
			hits = q[i].Append(hits[:0], v, all)
			return uint64(len(hits))
		}, func(dst []uint32, v linear.View, i int) []uint32 {
			return number(dst, q[i].Append(hits[:0], v, all)...)
		}, true},
		{"first", func(v linear.View, i int) uint64 {
			h, _ := q[i].First(v, all)
			return uint64(h.ID)
		}, func(dst []uint32, v linear.View, i int) []uint32 {
			if h, ok := q[i].First(v, all); ok {
				dst = number(dst, h)
			}
			return dst
		}, true},
		numberForm("any", func(v linear.View, i int) uint64 { return one(q[i].Any(v, all)) }),
	}
}

// nearestForms find few and many neighbours.
func (b *bed) nearestForms() (forms []floorForm) {
	given := b.queryPoints()
	var near []query.Neighbor
	for _, k := range []struct {
		name string
		k    int
	}{{"k=1", 1}, {"k=8", 8}, {"k=100", 100}, {"all", len(b.Objects)}} {
		search := func(v linear.View, i int) []query.Neighbor {
			near, _ = query.AppendNearest(near[:0], v, given[i], k.k, lab.AnyDistance, query.Filter{})
			return near
		}
		forms = append(forms, floorForm{k.name, func(v linear.View, i int) uint64 { return uint64(len(search(v, i))) },
			func(dst []uint32, v linear.View, i int) []uint32 { return numbers(dst, search(v, i)) }, true})
	}
	return forms
}

func numbers(dst []uint32, near []query.Neighbor) []uint32 {
	for _, n := range near {
		dst = append(dst, n.ID, math.Float32bits(n.Dist2))
	}
	return dst
}

// nearbyForms visit objects by ascending distance until a given share is reached, at least one object.
func (b *bed) nearbyForms(share float64) []floorForm {
	given := b.queryPoints()
	most := max(int(share*float64(len(b.Objects))), 1)
	var near []query.Neighbor
	search := func(v linear.View, i int) []query.Neighbor {
		near = near[:0]
		q, _ := query.NewNearby(given[i])
		for n := range q.All(v, query.Filter{}) {
			if near = append(near, n); len(near) == most {
				break
			}
		}
		return near
	}
	return []floorForm{{"all", func(v linear.View, i int) uint64 { return uint64(len(search(v, i))) },
		func(dst []uint32, v linear.View, i int) []uint32 { return numbers(dst, search(v, i)) }, true}}
}
