package linear_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// undone are the states of a tree in which a build is cancelled.
var undone = []struct {
	name  string
	cfg   linear.Config
	waits bool // moves are deferred
	empty bool // for Build, else for Rebuild
	make  func(t *testing.T, tree *linear.Tree, objects []soa.Object)
}{
	{name: "new", empty: true, make: func(*testing.T, *linear.Tree, []soa.Object) {}},
	{name: "cleared", empty: true, make: func(t *testing.T, tree *linear.Tree, objects []soa.Object) {
		insert(t, tree, objects)
		tree.Clear()
	}},
	{name: "emptied", empty: true, make: func(t *testing.T, tree *linear.Tree, objects []soa.Object) {
		must(t, tree.RemoveBatch(insert(t, tree, objects)))
	}},
	{name: "emptied with a log", cfg: linear.Config{Log: true}, empty: true, make: func(t *testing.T, tree *linear.Tree, objects []soa.Object) {
		ids := insert(t, tree, objects)
		must(t, tree.RemoveBatch(ids[1:]))
		tick(t, tree)
		must(t, tree.Remove(ids[0]))
	}},
	{name: "built", make: func(t *testing.T, tree *linear.Tree, objects []soa.Object) {
		insert(t, tree, objects)
	}},
	{name: "of balls", make: func(t *testing.T, tree *linear.Tree, objects []soa.Object) {
		for i, id := range insert(t, tree, objects) {
			if c := objects[i].Box.Center(); i%3 == 0 {
				must(t, tree.MoveSphere(id, [4]float32{c[0], c[1], c[2], 1}))
			}
		}
		tick(t, tree)
	}},
	{name: "left and pending", make: func(t *testing.T, tree *linear.Tree, objects []soa.Object) {
		ids := insert(t, tree, objects)
		must(t, tree.RemoveBatch(ids[:len(ids)/2]))
		for _, o := range objects[:100] {
			_, err := tree.Insert(o)
			must(t, err)
		}
	}},
	{name: "outside", make: moveOutside},
	{name: "outside a fixed world", cfg: linear.Config{World: cube(0, 0, 0, 4), Fixed: true}, make: moveOutside},
	{name: "moves wait", waits: true, make: func(t *testing.T, tree *linear.Tree, objects []soa.Object) {
		ids := insert(t, tree, objects)
		tree.View()
		for i := range 200 {
			must(t, tree.Move(ids[i], objects[len(objects)-1-i].Box))
		}
		for _, id := range ids[300:340] {
			must(t, tree.Remove(id))
		}
	}},
}

// moveOutside moves a third of the objects far from the others: boxes of nodes and the bounds
// of centres are larger than they need to be.
func moveOutside(t *testing.T, tree *linear.Tree, objects []soa.Object) {
	ids := insert(t, tree, objects)
	n := len(ids) / 3
	boxes := make([]soa.AABB, n)
	for _, far := range []float32{5000, 900} {
		for i := range boxes {
			boxes[i] = cube(far+float32(i), far, -far, 0.5)
		}
		must(t, tree.MoveBatch(ids[:n], boxes))
	}
	must(t, tree.RemoveBatch(ids[n/2:n]))
}

// A Build or Rebuild that is cancelled, or whose Progress panics, at any report, leaves the tree unchanged: it
// equals a tree without that call, and its views stay valid. The next build makes the same tree as on the
// other.
func TestBuildUndone(t *testing.T) {
	defer linear.SetParts(linear.SetParts(64, 64, 8))
	objects := sceneOf(t, "city", testkit.Budget(t, 600, 6000))
	for _, state := range undone {
		for _, workers := range []int{1, 2, 4} {
			for _, panics := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/workers=%d/panics=%v", state.name, workers, panics), func(t *testing.T) {
					cfg := state.cfg
					cfg.Workers = workers
					tree, reference := newTree(t, cfg), newTree(t, cfg)
					state.make(t, tree, objects)
					state.make(t, reference, objects)
					run := func(tree *linear.Tree, ctx context.Context, progress func()) error {
						opt := linear.RebuildOptions{Frozen: panics, Progress: func(linear.Phase, float64) { progress() }}
						if state.empty {
							return tree.Build(ctx, objects, opt)
						}
						return tree.Rebuild(ctx, opt)
					}
					var view linear.View
					if !state.waits {
						view = tree.View()
					}
					stop, done := 0, false
					for ; !done; stop++ {
						ctx, cancel := context.WithCancel(context.Background())
						calls := 0
						failure := testkit.Panic(func() {
							if err := run(tree, ctx, func() {
								if calls++; calls != stop+1 {
									return
								}
								if panics {
									panic(stop)
								}
								cancel()
							}); err != nil {
								panic(err)
							}
						})
						cancel()
						if done = failure == nil; done {
							break
						}
						if err, _ := failure.(error); panics && failure != stop || !panics && !errors.Is(err, context.Canceled) {
							t.Fatalf("report %d: %v", stop, failure)
						}
						if !state.waits && view.Slots() != reference.View().Slots() {
							t.Fatalf("report %d: a view of %d slots, want %d", stop, view.Slots(), reference.View().Slots())
						}
						if got, want := tree.LayoutDigest(), reference.LayoutDigest(); got != want {
							t.Fatalf("report %d: the tree has the digest %x, it was %x", stop, got, want)
						}
						valid(t, tree)
					}
					if stop < 5 {
						t.Errorf("broken off at %d reports", stop)
					}
					must(t, run(reference, nil, func() {}))
					if got, want := tree.LayoutDigest(), reference.LayoutDigest(); got != want {
						t.Errorf("the tree has the digest %x in the end, want %x", got, want)
					}
					valid(t, tree)
				})
			}
		}
	}
}
