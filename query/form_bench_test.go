package query_test

import (
	"fmt"
	"iter"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// formQueries is the number of queries of a kind.
const formQueries = 50

// formSum keeps results alive.
var formSum int

// manyForms is a volume in all its forms.
type manyForms interface {
	volume
	All(linear.View, query.Filter) iter.Seq[uint32]
	Explain(linear.View, query.Filter, *query.Heat) query.Counters
}

// volumesOf returns queries of each kind, of about 1 % of the objects where a
// volume has a size to choose.
func volumesOf(b *testing.B, objects []soa.Object) (kinds []string, all map[string][]manyForms) {
	all = make(map[string][]manyForms)
	share := len(objects) / 100
	for _, c := range scene.Cameras(objects, 0.01, formQueries, 1) {
		planes := c.Planes()
		f := frustum(b, planes)
		all["frustum"] = append(all["frustum"], f)
		all["precise"] = append(all["precise"], f.Precise())
		convex := convex(b, append(planes[:], planes[:2]...))
		all["convex8"] = append(all["convex8"], convex)
	}
	for _, q := range scene.BoxQueries(objects, share, formQueries, 1) {
		all["box"] = append(all["box"], box(b, q))
	}
	for _, q := range scene.SphereQueries(objects, share, formQueries, 1) {
		all["sphere"] = append(all["sphere"], sphere(b, q))
	}
	for _, p := range scene.PointQueries(objects, formQueries, 1) {
		q := point(b, p)
		all["point"] = append(all["point"], q)
	}
	return []string{"frustum", "precise", "convex8", "box", "sphere", "point"}, all
}

// Every form of every volume, on every tier.
func BenchmarkForms(b *testing.B) {
	for _, n := range micro.Sizes(100_000) {
		objects := testkit.SceneByName(b, "uniform").Make(n, 1)
		v := plant(b, objects, true).View()
		var ids []uint32
		kinds, all := volumesOf(b, objects)
		for _, kind := range kinds {
			for _, x := range []struct {
				form string
				ask  func(q manyForms)
			}{
				{"Append", func(q manyForms) { ids = q.Append(ids[:0], v, query.Filter{}); formSum += len(ids) }},
				{"Count", func(q manyForms) { formSum += q.Count(v, query.Filter{}) }},
				{"Any", func(q manyForms) {
					if q.Any(v, query.Filter{}) {
						formSum++
					}
				}},
				{"Ranges", func(q manyForms) {
					q.Ranges(v, query.Filter{}, func(r query.Range) bool { formSum += int(r.Count); return true })
				}},
				{"All", func(q manyForms) {
					for id := range q.All(v, query.Filter{}) {
						formSum += int(id)
					}
				}},
				{"Explain", func(q manyForms) { formSum += q.Explain(v, query.Filter{}, nil).Nodes }},
			} {
				micro.Tiers(b, fmt.Sprintf("volume=%s/form=%s/n=%d", kind, x.form, n), micro.Kernel{
					Items: formQueries, Item: "query", Run: func() {
						for _, q := range all[kind] {
							x.ask(q)
						}
					},
				})
			}
		}
	}
}

// Filters that keep half of the objects, and spheres that objects carry.
func BenchmarkFilter(b *testing.B) {
	for _, n := range micro.Sizes(100_000) {
		objects := testkit.SceneByName(b, "uniform").Make(n, 1)
		rng := testkit.Rand(1)
		live := make([]uint64, (n+63)/64)
		for i := range live {
			live[i] = rng.Uint64()
		}
		var ids []uint32
		var balls [][4]float32
		for i := range objects {
			o := &objects[i]
			o.Mask, o.Static = 1<<rng.IntN(2), rng.IntN(2) == 0
			c := o.Box.Center()
			ids = append(ids, uint32(i))
			balls = append(balls, [4]float32{c[0], c[1], c[2], min(c[0]-o.Box.Min[0], o.Box.Max[0]-c[0]) / 2})
		}
		tree := plant(b, objects, true)
		testkit.Must(b, tree.SetBounds(ids, linear.Bodies{Spheres: balls}))
		v := tree.View()
		_, all := volumesOf(b, objects)
		for _, x := range []struct {
			name   string
			filter query.Filter
		}{
			{"none", query.Filter{}}, {"mask", query.Filter{Mask: 1}}, {"motion", query.Filter{Motion: query.MovingOnly}},
			{"live", query.Filter{Only: live}}, {"exact", query.Filter{Exact: true}},
		} {
			micro.Tiers(b, fmt.Sprintf("filter=%s/n=%d", x.name, n), micro.Kernel{
				Items: formQueries, Item: "query", Run: func() {
					for _, q := range all["frustum"] {
						ids = q.Append(ids[:0], v, x.filter)
					}
				},
			})
		}
	}
}

// Boxes and spheres in motion.
func BenchmarkSwept(b *testing.B) {
	type swept interface {
		Append([]query.Hit, linear.View, query.Filter) []query.Hit
		First(linear.View, query.Filter) (query.Hit, bool)
		Any(linear.View, query.Filter) bool
		All(linear.View, query.Filter) iter.Seq[query.Hit]
		Explain(linear.View, query.Filter, *query.Heat) query.Counters
	}
	for _, n := range micro.Sizes(100_000) {
		objects := testkit.SceneByName(b, "uniform").Make(n, 1)
		v := plant(b, objects, true).View()
		shapes := make(map[string][]swept)
		for _, r := range scene.RayQueries(objects, 1000, 1) {
			var motion [3]float32
			lo, hi := r.Origin, r.Origin
			for a := range 3 {
				motion[a] = r.Dir[a] * 30
				lo[a], hi[a] = lo[a]-0.5, hi[a]+0.5
			}
			moved := sweptBoxOf(b, soa.AABB{Min: lo, Max: hi}, motion)
			ball := sweptSphereOf(b, r.Origin, 0.5, motion)
			shapes["box"], shapes["sphere"] = append(shapes["box"], &moved), append(shapes["sphere"], &ball)
		}
		var hits []query.Hit
		for _, shape := range []string{"box", "sphere"} {
			for _, x := range []struct {
				form string
				ask  func(q swept)
			}{
				{"Append", func(q swept) { hits = q.Append(hits[:0], v, query.Filter{}); formSum += len(hits) }},
				{"Nearest", func(q swept) {
					if _, ok := q.First(v, query.Filter{}); ok {
						formSum++
					}
				}},
				{"Any", func(q swept) {
					if q.Any(v, query.Filter{}) {
						formSum++
					}
				}},
				{"All", func(q swept) {
					for h := range q.All(v, query.Filter{}) {
						formSum += int(h.ID)
					}
				}},
				{"Explain", func(q swept) { formSum += q.Explain(v, query.Filter{}, nil).Nodes }},
			} {
				micro.Tiers(b, fmt.Sprintf("shape=%s/form=%s/n=%d", shape, x.form, n), micro.Kernel{
					Items: len(shapes[shape]), Item: "query", Run: func() {
						for _, q := range shapes[shape] {
							x.ask(q)
						}
					},
				})
			}
		}
	}
}
