package linear_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Build makes the tree that InsertBatch makes, byte by byte, and refuses a tree with objects.
func TestBuildIsInsertBatch(t *testing.T) {
	for _, frozen := range []bool{false, true} {
		for _, n := range []int{0, 1, 15, 16, 17, 300, 5000} {
			objects := sceneOf(t, "city", n)
			want, got := newTree(t, linear.Config{Frozen: frozen}), newTree(t, linear.Config{Frozen: frozen})
			insert(t, want, objects)
			must(t, got.Build(context.Background(), objects, linear.RebuildOptions{Frozen: frozen}))
			must(t, got.Validate())
			a, b := storeBits(want.View().Store()), storeBits(got.View().Store())
			for name := range a {
				if !slices.Equal(a[name], b[name]) {
					t.Errorf("n %d, frozen %v: column %s differs", n, frozen, name)
				}
			}
			v := got.View()
			if err := got.Build(nil, objects, linear.RebuildOptions{}); n > 0 && err == nil {
				t.Error("a tree with objects is built")
			}
			v.Len() // it has not changed
		}
	}
}

// Builds of any number of workers, each with a few rows, give one tree bit by bit.
func TestSameTreeInParts(t *testing.T) {
	defer linear.SetParts(linear.SetParts(64, 64, 8))
	for i, scene := range []string{"uniform", "city", "points", "plane", "far", "degenerate", "identical"} {
		for _, n := range testkit.Turn(t, i, []int{1, 2, 3, 63, 127, 128, 129, 500, 5000}) {
			objects := sceneOf(t, scene, n)
			var want []map[string][]byte
			for _, workers := range []int{1, 2, 3, 8} {
				tree := newTree(t, linear.Config{Workers: workers})
				var got []map[string][]byte
				see := func() {
					valid(t, tree)
					bits := storeBits(tree.View().Store())
					bits["places"] = bitsOf(linear.PlacesOf(tree).Where)
					bits["generations"] = bitsOf(linear.PlacesOf(tree).Gen.Low)
					got = append(got, bits)
				}
				ids := insert(t, tree, objects)
				for i, id := range ids {
					if id != uint32(i) {
						t.Fatalf("%s of %d: object %d has ID %d", scene, n, i, id)
					}
				}
				see()
				for _, cut := range []linear.Cut{linear.CutSpace, linear.CutCurve} {
					for _, frozen := range []bool{true, false} {
						must(t, tree.Rebuild(nil, linear.RebuildOptions{Frozen: frozen, Cut: cut}))
						see()
					}
				}
				if want == nil {
					want = got
				}
				for step := range want {
					for name := range want[step] {
						if !bytes.Equal(got[step][name], want[step][name]) {
							t.Errorf("%s of %d, step %d: %d workers gave other %s", scene, n, step, workers, name)
						}
					}
				}
			}
		}
	}
}

// The same where there are large cells, and more of them than workers.
func TestSameLargeCellsInParts(t *testing.T) {
	for _, scene := range testkit.Budget(t, []string{"city"}, []string{"uniform", "city"}) {
		objects := sceneOf(t, scene, 140_000)
		var want map[string][]byte
		for _, workers := range []int{1, 2, 3} {
			tree := newTree(t, linear.Config{Workers: workers, Frozen: true})
			insert(t, tree, objects)
			if h := cellHeights(tree); len(h) == 1 && h[0] > 0 || tree.View().Len() != len(objects) {
				t.Fatalf("%s: cells by height are %v", scene, h)
			}
			got := storeBits(tree.View().Store())
			if want == nil {
				want = got
				valid(t, tree)
			}
			for name := range want {
				if !bytes.Equal(got[name], want[name]) {
					t.Errorf("%s: %d workers gave other %s", scene, workers, name)
				}
			}
		}
	}
}

// The error names the first invalid box, for any number of workers, and the tree is unchanged.
func TestBadBoxInParts(t *testing.T) {
	defer linear.SetParts(linear.SetParts(64, 64, 8))
	const n = 1000
	nan := float32(math.NaN())
	for _, workers := range []int{1, 2, 3, 8} {
		for _, bad := range [][]int{{0}, {n - 1}, {124, 125, 126}, {333, 332}, {500, 499}, {999, 7}} {
			objects := slices.Clone(sceneOf(t, "uniform", n))
			for _, i := range bad {
				objects[i].Box.Max[i%3] = nan
			}
			tree := newTree(t, linear.Config{Workers: workers})
			dst := []uint32{42}
			ids, err := tree.InsertBatch(dst, objects)
			want := fmt.Sprintf("object %d:", slices.Min(bad))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("%d workers, bad %v: error %v, want one of %q", workers, bad, err, want)
			}
			if !slices.Equal(ids, dst) || tree.Len() != 0 || tree.View().Slots() != 0 {
				t.Fatalf("%d workers: %d IDs, %d objects, %d slots after an error", workers, len(ids), tree.Len(), tree.View().Slots())
			}
			valid(t, tree)
			objects = sceneOf(t, "uniform", n)
			if ids := insert(t, tree, objects); len(ids) != n {
				t.Fatalf("%d IDs", len(ids))
			}
			valid(t, tree)
		}
	}
}

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

// A tree is the same, to the last bit, whether or not its build squeezes keys.
func TestSqueezedBuild(t *testing.T) {
	defer linear.SetSqueeze(linear.SetSqueeze(0))
	for i, scene := range []string{"uniform", "city", "plane", "clustered", "points", "surface", "huge", "degenerate", "identical", "far"} {
		for _, n := range testkit.Turn(t, i, []int{4095, 4096, 20_000}) {
			for _, cfg := range []linear.Config{{}, {Frozen: true}} {
				objects := sceneOf(t, scene, n)
				var want map[string][]byte
				for _, least := range []int{64, 5, 0} { // never, by default, always
					linear.SetSqueeze(least)
					tree := newTree(t, cfg)
					insert(t, tree, objects)
					valid(t, tree)
					rebuild(t, tree, cfg.Frozen)
					valid(t, tree)
					got := storeBits(tree.View().Store())
					if want == nil {
						want = got
						continue
					}
					for name := range got {
						if !bytes.Equal(got[name], want[name]) {
							t.Errorf("%s of %d, %+v, squeezed from %d shared bits on: other %s", scene, n, cfg, least, name)
						}
					}
				}
			}
		}
	}
}

// A flush places pending objects one by one if they are at most one in twelve of all objects, in large trees
// one in eight, and rebuilds for a single object more.
func TestRebuildFromShare(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(1<<15+1, 1)
	for _, c := range []struct{ objects, share int }{{800, 12}, {1 << 15, 12}, {1<<15 + 1, 8}} {
		for _, more := range []int{0, 1} {
			pending := c.objects/c.share + more
			tree := newTree(t, linear.Config{PendingMin: 1 << 20})
			insert(t, tree, objects[:c.objects-pending])
			tick(t, tree)
			insert(t, tree, objects[c.objects-pending:c.objects])
			tick(t, tree)
			homed, rebuilt := pending, 0
			if more > 0 {
				homed, rebuilt = 0, c.objects
			}
			if w := tree.Work(); w.Placed != homed || w.Rebuilt != rebuilt {
				t.Errorf("%d of %d objects pending: %d homed and %d moved by rebuilds, want %d and %d",
					pending, c.objects, w.Placed, w.Rebuilt, homed, rebuilt)
			}
		}
	}
}

// During a rebuild the profiler label is the reported phase, and afterwards it is removed.
func TestRebuildLabels(t *testing.T) {
	defer linear.ProfileLabels(linear.ProfileLabels(true))
	tree, err := linear.New(linear.Config{})
	must(t, err)
	if _, err := tree.InsertBatch(nil, testkit.SceneByName(t, "uniform").Make(300, 1)); err != nil {
		t.Fatal(err)
	}
	seen := map[linear.Phase]bool{}
	err = tree.Rebuild(nil, linear.RebuildOptions{Progress: func(p linear.Phase, _ float64) {
		if got, want := testkit.Labels(t), fmt.Sprintf(`{"phase":"%v", "zoctree.op":"build"}`, p); got != want {
			t.Errorf("labels %s, want %s", got, want)
		}
		seen[p] = true
	}})
	if err != nil || len(seen) != 4 {
		t.Errorf("%d phases, %v", len(seen), err)
	}
	if got := testkit.Labels(t); got != "" {
		t.Errorf("labels %s are left", got)
	}
}

// The names of the phases of a build are the values of their labels, in the order of a build.
func TestPhaseNames(t *testing.T) {
	var names []string
	for p := linear.PhaseEncode; p <= linear.PhaseFill; p++ {
		names = append(names, p.String())
	}
	if want := []string{"encode", "sort", "topology", "fill"}; !slices.Equal(names, want) {
		t.Errorf("phases %q, want %q", names, want)
	}
}
