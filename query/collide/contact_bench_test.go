package collide_test

import (
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// Contacts and times of impact of pairs, on every tier alike, in a step in which each object moves by a
// tenth of its size. An item is a pair. Impacts with bounds are those of the same objects with a sphere, an
// oriented box, or by turns none and each, in their boxes.
func BenchmarkContacts(b *testing.B) {
	for _, n := range micro.Sizes(100_000) {
		objects := testkit.SceneByName(b, "uniform").Make(n, 1)
		rng := testkit.Rand(1)
		var steps soa.Column[collide.Step]
		for i := range objects {
			var by [3]float32
			for a := range by {
				by[a] = 0.1 * (rng.Float32() - 0.5) * (objects[i].Box.Max[a] - objects[i].Box.Min[a])
			}
			s := collide.Displace(objects[i].Box, by)
			steps.Set(uint32(i), s)
			objects[i].Box = s.Swept()
		}
		tree := trees.Plant(b, objects, true)
		v := tree.View()
		bounds := map[string]linear.View{}
		for _, shape := range []string{"sphere", "oriented", "mixed"} {
			other := tree.Clone()
			for i := range objects {
				box := steps.At(uint32(i)).From
				if shape == "sphere" || shape == "mixed" && i%3 == 1 {
					testkit.Must(b, other.SetSphere(uint32(i), testkit.BallIn(box)))
				}
				if shape == "oriented" || shape == "mixed" && i%3 == 2 {
					testkit.Must(b, other.SetOriented(uint32(i), testkit.OrientedIn(rng, box)))
				}
			}
			bounds[shape] = other.View()
		}
		exact := collide.Filter{StaticPairs: true, Exact: true}
		flt := collide.Filter{StaticPairs: true}
		pairs := collide.Append(nil, collide.Within(v), flt)
		var contacts []collide.Contact
		var impacts, exactly, sorted []collide.Impact
		for _, x := range []struct {
			op  string
			run func()
		}{
			{"Append", func() { pairs = collide.Append(pairs[:0], collide.Within(v), flt) }},
			{"AppendContacts", func() { contacts = collide.AppendContacts(contacts[:0], collide.Within(v), pairs) }},
			{"AppendImpacts", func() { impacts = collide.AppendImpacts(impacts[:0], collide.Within(v), &steps, nil, flt) }},
			{"AppendImpacts/exact=sphere", func() {
				exactly = collide.AppendImpacts(exactly[:0], collide.Within(bounds["sphere"]), &steps, nil, exact)
			}},
			{"AppendImpacts/exact=oriented", func() {
				exactly = collide.AppendImpacts(exactly[:0], collide.Within(bounds["oriented"]), &steps, nil, exact)
			}},
			{"AppendImpacts/exact=mixed", func() {
				exactly = collide.AppendImpacts(exactly[:0], collide.Within(bounds["mixed"]), &steps, nil, exact)
			}},
			{"SortImpacts", func() {
				sorted = append(sorted[:0], impacts...)
				collide.SortImpacts(sorted)
			}},
		} {
			b.Run(fmt.Sprintf("op=%s/n=%d", x.op, n), func(b *testing.B) {
				micro.Measure(b, micro.Kernel{Items: len(pairs), Item: "pair", Run: x.run})
			})
		}
	}
}
