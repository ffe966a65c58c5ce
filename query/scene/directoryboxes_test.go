package scene_test

import (
	"fmt"
	"testing"

	worlds "github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Shards with too many packets for a plain scan, which boxes cross or contain, return the same results on
// all tiers.
func TestDirectoryBoxes(t *testing.T) {
	seed := testkit.Seed(t)
	objects := testkit.SceneByName(t, "city").Make(6000, seed)
	a := asksOf(t, created(t, numberedAll(objects), linear.DirectoryOptions{Shard: 400}), objects, numberOf)
	sizes := []int{1, 30, 900, 4000}
	boxes := make([][]soa.AABB, len(sizes))
	for i, near := range sizes {
		boxes[i] = append(worlds.BoxQueries(objects, near, testkit.Budget(t, 2, 6), seed+uint64(i)), everywhere)
	}
	testkit.EachTier(t, func(t *testing.T) {
		a.t = t
		for i, near := range sizes {
			for k, b := range boxes[i] {
				box := queries.Box(t, b)
				for n, flt := range []query.Filter{{}, {Mask: 3}, {Motion: query.StaticOnly}, {Exact: true}, {Only: []uint64{1}}, {Exclude: linear.Handle{ID: 3, Gen: 1}}} {
					if near > 100 && !testkit.OfTier(t, i+k+n) {
						continue
					}
					got, want := volumeOf(a, box, flt)
					if flt.Only != nil || flt.Exclude.Gen != 0 { // is of the scene's own objects
						flt.Only, flt.Exclude = nil, linear.Handle{}
						want = a.sorted(box.Append(nil, a.one, flt))
					}
					a.equal(fmt.Sprintf("box %d about %d", k, near), got, want)
				}
			}
		}
	})
}
