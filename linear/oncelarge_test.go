package linear_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// shrunkTo returns a tree after the removal of all but left of n objects and some ticks, and the remaining IDs.
func shrunkTo(t *testing.T, cfg linear.Config, n, left int) (*linear.Tree, []uint32) {
	t.Helper()
	tree := newTree(t, cfg)
	ids := insert(t, tree, sceneOf(t, "uniform", n))
	var keep, gone []uint32
	for i, id := range ids {
		if i%(n/left) == 0 && len(keep) < left {
			keep = append(keep, id)
		} else {
			gone = append(gone, id)
		}
	}
	must(t, tree.RemoveBatch(gone))
	for range 70 { // longer than any lifespan
		tick(t, tree)
	}
	return tree, keep
}

// The cost of moving half of the objects and of a tick depends on the present size, not on the former size.
func TestOnceLargeMoves(t *testing.T) {
	n := testkit.Budget(t, 100_000, 1_000_000)
	for _, policy := range []linear.Policy{linear.PolicyAuto, linear.PolicyIncremental, linear.PolicyRefit} {
		cfg := linear.Config{Policy: policy, Workers: 1}
		calls := func(n int) func() {
			tree, ids := shrunkTo(t, cfg, n, 50)
			r := testkit.Rand(1)
			boxes := make([]soa.AABB, 25)
			return func() {
				for i := range boxes {
					boxes[i] = cube(100*r.Float32(), 100*r.Float32(), 100*r.Float32(), 1)
				}
				must(t, tree.MoveBatch(ids[:25], boxes))
				tick(t, tree)
			}
		}
		if ratio := testkit.Ratio(t, 200, calls(n), calls(50)); ratio > 3 {
			t.Errorf("%v: of a tree that had %d objects it takes %.1f times as long", policy, n, ratio)
		}
	}
}

// After removals at once or in small steps, a tree that fits one node is one node under every policy.
func TestOnceLargeNodes(t *testing.T) {
	n := testkit.Budget(t, 20_000, 400_000)
	for _, policy := range []linear.Policy{linear.PolicyAuto, linear.PolicyIncremental, linear.PolicyRefit, linear.PolicyRebuild} {
		for _, left := range []int{1, 64, 224} {
			for _, step := range []int{n, n / 50} {
				tree := newTree(t, linear.Config{Policy: policy})
				ids := insert(t, tree, sceneOf(t, "uniform", n))
				tick(t, tree)
				again := tree.Clone()
				for end := len(ids); end > left; {
					from := max(end-step, left)
					for _, tree := range []*linear.Tree{tree, again} {
						must(t, tree.RemoveBatch(ids[from:end]))
						tick(t, tree)
					}
					end = from
				}
				valid(t, tree)
				if tree.LayoutDigest() != again.LayoutDigest() {
					t.Errorf("%v, %d of %d left: a clone has another layout", policy, left, n)
				}
				if nodes := tree.Stats().Nodes; nodes != 1 {
					t.Errorf("%v, %d of %d left in steps of %d: %d nodes", policy, left, n, step, nodes)
				}
			}
		}
	}
}

// A tick without work does not visit far objects.
func TestIdleTickFar(t *testing.T) {
	ticks := func(far int) func() {
		tree := newTree(t, linear.Config{})
		objects := sceneOf(t, "uniform", 50_000)
		for i := range far {
			x := float32(1e7) * (1 + float32(i)/float32(far))
			objects = append(objects, soa.Object{Box: cube(x, -x, x, 1), Mask: 1})
		}
		insert(t, tree, objects)
		for range 4 {
			tick(t, tree)
		}
		valid(t, tree)
		return func() { tick(t, tree) }
	}
	if ratio := testkit.Ratio(t, 500, ticks(6000), ticks(0)); ratio > 10 {
		t.Errorf("with 6,000 objects far away it takes %.1f times as long", ratio)
	}
}

// The removal of parts from a scene takes as long in the order of their insertion as in the reverse order.
func TestScenePartsLeave(t *testing.T) {
	leave := func(n int) func() {
		s := newScene(t, linear.Config{})
		parts := make([]*linear.Tree, n)
		ids := make([]uint32, n)
		for i := range parts {
			parts[i] = treeOf(t)
			ids[i] = place(t, s, parts[i], at(float64(i), 0, 0), linear.InstanceOptions{})
		}
		deep := newScene(t, linear.Config{})
		place(t, deep, treeOf(t), at(0, 0, 0), linear.InstanceOptions{})
		last := 0
		return func() { // removes a tenth of them, and inserts and removes a deeper part
			for range n / 10 {
				must(t, s.Remove(ids[last]))
				last++
			}
			must(t, s.Remove(place(t, s, deep, at(0, 0, 0), linear.InstanceOptions{})))
		}
	}
	few, many := 1000, 16_000
	if ratio := testkit.Ratio(t, 9, leave(many), leave(few)); ratio > 4*float64(many/few) {
		t.Errorf("%d parts take %.1f times as long as %d", many, ratio, few)
	}
}
