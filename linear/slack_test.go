package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// The placement box of a packet is its tight box grown by Config.Slack. An object is displaced exactly when its
// box leaves the placement box.
func TestSlackDefinition(t *testing.T) {
	for _, c := range []struct{ slack, percent int }{{60, 60}, {0, linear.DefaultSlack}, {-1, 0}} {
		r := testkit.Rand(testkit.Seed(t))
		objects := testkit.SceneByName(t, "uniform").Make(5000, 1)
		tree := newTree(t, linear.Config{Slack: c.slack, Policy: linear.PolicyIncremental, PendingMin: 1 << 20})
		insert(t, tree, objects)
		tick(t, tree)

		var ids []uint32
		var boxes []soa.AABB
		want := 0
		v := tree.View()
		for p := range tree.Packets() {
			home := p.Tight
			var side [3]float32
			for a := range 3 {
				side[a] = home.Max[a] - home.Min[a]
			}
			mean := (side[0] + side[1] + side[2]) / 3
			for a := range 3 {
				by := float32(float32(c.percent) / 100 * max(side[a], mean))
				home.Min[a], home.Max[a] = home.Min[a]-by, home.Max[a]+by
			}
			if home != p.Stay {
				t.Fatalf("slack %d: the home box of %v is %v, want %v", c.slack, p.Tight, p.Stay, home)
			}
			for l, id := range v.IDs(p.Slot) {
				b := v.Box(p.Slot, l)
				for a := range 3 {
					by := (r.Float32()*2 - 1) * (float32(c.percent)/100 + 0.2) * mean
					b.Min[a], b.Max[a] = b.Min[a]+by, b.Max[a]+by
				}
				ids, boxes = append(ids, id), append(boxes, b)
				if !home.Contains(b) {
					want++
				}
			}
		}
		must(t, tree.MoveBatch(ids, boxes))
		if got := tree.Stats().Displaced; got != want || want < 500 || len(ids)-want < 500 {
			t.Errorf("slack %d: %d strays of %d, want %d", c.slack, got, len(ids), want)
		}
		valid(t, tree)
		tick(t, tree)
		valid(t, tree)
	}
}
