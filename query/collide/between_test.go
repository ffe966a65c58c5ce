package collide_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// Two trees of all forms against each other, on every tier: the pairs of the
// double loop, in one order.
func TestPairsBetween(t *testing.T) {
	seed := testkit.Seed(t)
	scenes := testkit.Scenes()
	for k, sc := range scenes {
		other := scenes[(k+1)%len(scenes)]
		for _, n := range testkit.Turn(t, k, [][2]int{{0, 0}, {0, 20}, {1, 1}, {17, 128}, {129, 1000}, {1000, 16}, testkit.Budget(t, [2]int{700, 700}, [2]int{1500, 1500})}) {
			for i, by := range []string{sc.Name, other.Name} {
				t.Run(fmt.Sprintf("%s/%s/n=%d", sc.Name, by, n), func(t *testing.T) {
					a, b := sc.Make(n[0], seed), testkit.SceneByName(t, by).Make(n[1], seed+uint64(i))
					reference := testkit.ReferencePairsBetween(a, b)
					fa, fb := trees.PlantAll(t, a), trees.PlantAll(t, b)
					for j, form := range trees.Forms {
						flt := pairFilters[(j+k+n[0])%len(pairFilters)]
						want := testkit.KeepPairs(reference, a, b, func(a, b *soa.Object) bool { return passes(flt, a, b) })
						va, vb := fa.Trees[form].View(), fb.Trees[trees.Forms[(j+i+1)%3]].View()
						var order []collide.Pair
						testkit.EachTier(t, func(t *testing.T) {
							got := collide.Append(nil, collide.Between(va, vb), flt)
							if order == nil {
								order = got
								checkPairs(t, got, want)
							} else if !slices.Equal(got, order) {
								t.Error("the order is not that of the first tier")
							}
							if n := collide.Count(collide.Between(va, vb), flt); n != len(got) {
								t.Errorf("Count %d, Append gave %d", n, len(got))
							}
							if all := slices.Collect(collide.All(collide.Between(va, vb), flt)); !slices.Equal(all, got) {
								t.Error("All yields something else")
							}
						})
					}
				})
			}
		}
	}
}

// A tree against itself has each pair twice and each object with itself.
func TestPairsBetweenItself(t *testing.T) {
	objects := testkit.SceneByName(t, "clustered").Make(1000, 1)
	all := collide.Filter{StaticPairs: true}
	for form, tree := range trees.PlantAll(t, objects).Trees {
		v := tree.View()
		testkit.EachTier(t, func(t *testing.T) {
			once, twice := collide.Count(collide.Within(v), all), collide.Count(collide.Between(v, v), all)
			if twice != 2*once+len(objects) {
				t.Errorf("%s: %d pairs, and %d between the tree and itself", form, once, twice)
			}
		})
	}
}

// The order of the views only exchanges A and B.
func TestPairsBetweenTurned(t *testing.T) {
	few := testkit.SceneByName(t, "uniform").Make(300, 1)
	many := testkit.SceneByName(t, "uniform").Make(3000, 2)
	a, b := trees.PlantAll(t, few), trees.PlantAll(t, many)
	for _, form := range trees.Forms {
		x, y := a.Trees[form].View(), b.Trees[form].View()
		for _, flt := range pairFilters {
			there, back := collide.Append(nil, collide.Between(x, y), flt), collide.Append(nil, collide.Between(y, x), flt)
			for i, p := range back {
				back[i] = collide.Pair{A: p.B, B: p.A}
			}
			if !slices.Equal(there, back) {
				t.Errorf("%s, filter %+v: %d pairs there, %d back", form, flt, len(there), len(back))
			}
		}
	}
}
