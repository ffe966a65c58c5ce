package linear_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Frames in which many objects jump, so that they are written in place and the tree is rebuilt, and some leave the
// world, arrive, or are removed: a tree holds what one holds that places them one by one, and its log names them.
func TestManyJumpFrames(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(1200, testkit.Seed(t))
	fixed := soa.Empty()
	for i := range objects {
		fixed = fixed.Union(objects[i].Box)
	}
	for i, cfg := range []linear.Config{
		{},
		{Log: true, SplitAbove: 5},
		{Frozen: true, Slack: linear.Off},
		{World: fixed, Fixed: true, Outside: linear.OutsideKeep, Log: true},
		{World: fixed, Fixed: true, Outside: linear.OutsideRemove},
		{MinCell: 4, Lifespan: linear.Off},
	} {
		for _, turned := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/turned=%v", i, turned), func(t *testing.T) { checkJumpFrames(t, objects, cfg, turned) })
		}
	}
}

func checkJumpFrames(t *testing.T, objects []soa.Object, cfg linear.Config, turned bool) {
	r := rand.New(rand.NewPCG(testkit.Seed(t), 38))
	tree := newTree(t, cfg)
	cfg.Policy = linear.PolicyIncremental
	other := newTree(t, cfg)
	live := insert(t, tree, objects)
	insert(t, other, objects)
	both := func(f func(tree *linear.Tree) error) {
		must(t, f(tree))
		must(t, f(other))
	}
	both((*linear.Tree).Tick)
	world, rebuilt := tree.Bounds(), 0
	for frame := range testkit.Budget(t, 12, 60) {
		r.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
		ids := live[:len(live)*(6+r.IntN(20))/100]
		var to linear.Bodies
		for range ids {
			var at [3]float32
			for a := range 3 {
				at[a] = world.Min[a] + (world.Max[a]-world.Min[a])*r.Float32()
			}
			if r.IntN(30) == 0 {
				at[r.IntN(3)] += 2000 // out of the world
			}
			if turned && len(to.Boxes) > len(ids)/2 {
				to.Spheres = append(to.Spheres, [4]float32{at[0], at[1], at[2], r.Float32()})
			} else {
				to.Boxes = append(to.Boxes, soa.AABB{Min: at, Max: [3]float32{at[0] + r.Float32(), at[1], at[2] + 1}})
			}
		}
		_, since, _ := tree.View().Changes(0)
		both(func(tree *linear.Tree) error { return tree.MoveBodies(ids, to) })
		if cfg.Log && frame%2 == 0 {
			if changes, _, ok := tree.View().Changes(since); !ok || len(changes) != len(ids) {
				t.Fatalf("%d changes, %v, of %d objects that have moved", len(changes), ok, len(ids))
			}
		}
		if frame%3 == 1 {
			gone := live[len(live)-5:]
			both(func(tree *linear.Tree) error { return tree.RemoveBatch(gone) })
			live = live[:len(live)-5]
		}
		if frame%4 == 3 {
			tree = tree.Clone()
		}
		if frame%2 == 0 { // else the tick makes the moves
			checkJumped(t, tree, other, r, world)
		}
		both((*linear.Tree).Tick)
		rebuilt += tree.Work().Rebuilt
		checkJumped(t, tree, other, r, world)
		live = slices.DeleteFunc(live, func(id uint32) bool { return !tree.Has(id) })
	}
	if rebuilt == 0 {
		t.Error("no frame rebuilt the tree")
	}
}

// checkJumped compares two trees, object by object and in queries.
func checkJumped(t *testing.T, tree, other *linear.Tree, r *rand.Rand, world soa.AABB) {
	t.Helper()
	must(t, tree.Validate())
	must(t, other.Validate())
	if a, b := tree.Digest(), other.Digest(); a != b {
		t.Fatalf("digest %016x, placed one by one %016x", a, b)
	}
	var at [3]float32
	for a := range 3 {
		at[a] = world.Min[a] + (world.Max[a]-world.Min[a])*r.Float32()
	}
	q, err := query.NewBox(at, [3]float32{at[0] + 20, at[1] + 20, at[2] + 20})
	must(t, err)
	a, b := q.Append(nil, tree.View(), query.Filter{}), q.Append(nil, other.View(), query.Filter{})
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Fatalf("box query: %v, placed one by one %v", a, b)
	}
}
