package linear_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// placeConfigs are configurations of the placement of objects other than the default.
var placeConfigs = []linear.Config{
	{PendingMin: 4, PendingShare: 1 << 20, Policy: linear.PolicyIncremental, World: cube(0, 0, 0, 30), GrowShare: 100, ShrinkShare: 2},
	{PendingMin: 4, PendingShare: 1 << 20, World: cube(0, 0, 0, 30), GrowShare: linear.Off, ShrinkShare: linear.Off},
	{PendingMin: 4, PendingShare: 1 << 20, MinCell: 5},
	{PendingMin: 4, PendingShare: 1 << 20, MinCell: 20, Policy: linear.PolicyIncremental, Slack: 40, SplitAbove: 5},
	{PendingMin: 4, PendingShare: 1 << 20, MinCell: 1 << 10, Policy: linear.PolicyIncremental, GrowShare: 50, ShrinkShare: 2},
	{PendingMin: 4, PendingShare: 1 << 20, World: cube(0, 0, 0, 30), Fixed: true, Outside: linear.OutsideRemove, MinCell: 3, Log: true},
	{PendingMin: 1 << 20, World: cube(0, 0, 0, 30), Fixed: true, Outside: linear.OutsideRemove, Slack: 50, Policy: linear.PolicyIncremental},
	{PendingMin: 20, PendingShare: 1 << 20, World: cube(0, 0, 0, 30), Fixed: true, Outside: linear.OutsideRemove, Policy: linear.PolicyRefit},
	{PendingMin: 4, PendingShare: 1 << 20, Cut: linear.CutCurve},
	{PendingMin: 20, PendingShare: 1 << 20, Cut: linear.CutCurve, Frozen: true, Policy: linear.PolicyRebuild},
	{PendingMin: 4, PendingShare: 1 << 20, Cut: linear.CutSpace, Policy: linear.PolicyRefit},
}

// TestModel for placeConfigs.
func TestModelInstances(t *testing.T) {
	seed := testkit.Seed(t)
	steps := testkit.Budget(t, 50, 400)
	testkit.EachTier(t, func(t *testing.T) {
		for k, cfg := range placeConfigs {
			gone := 0
			for _, n := range []int{3, 20, 200} {
				m := newModel(t, cfg, seed+uint64(n), 100)
				for range steps {
					m.step(t, n)
					m.check(t)
				}
				gone += m.gone
			}
			if (gone > 0) != (cfg.Outside == linear.OutsideRemove) {
				t.Errorf("configuration %d: %d objects departed", k, gone)
			}
		}
	})
}

// fresh returns a random object that the tree accepts.
func (m *model) fresh() soa.Object {
	for {
		if o := m.object(); !m.removes || m.tree.Config().World.ContainsPoint(o.Box.Center()) {
			return o
		}
	}
}

// depart follows a flush or a tick: all objects that were outside are removed, and no others.
func (m *model) depart(t testing.TB) {
	t.Helper()
	var want []soa.Handle
	for _, id := range slices.Sorted(slices.Values(m.ids)) {
		if m.removes && !m.tree.Config().World.ContainsPoint(m.live[id].Box.Center()) {
			want = append(want, m.handles[id])
			m.forget(id)
		}
	}
	m.gone += len(want)
	if got := m.tree.RemovedOutside(); !slices.Equal(got, want) {
		t.Fatalf("%v departed, want %v, after %v", got, want, m.log)
	}
	for _, h := range want {
		if _, err := m.tree.Resolve(h); !errors.Is(err, soa.ErrStale) || m.tree.Has(h.ID) {
			t.Fatalf("%v departed, and resolves with error %v, after %v", h, err, m.log)
		}
	}
}
