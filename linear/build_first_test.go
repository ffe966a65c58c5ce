package linear_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Build makes the tree that InsertBatch makes, byte by byte.
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
		}
	}
}

// A build that is cancelled, at any report of its progress, leaves an empty tree, new or emptied, which can be
// built again.
func TestBuildCancelled(t *testing.T) {
	objects := sceneOf(t, "city", 3000)
	for _, emptied := range []bool{false, true} {
		for stop := 0; ; stop++ {
			tree := newTree(t, linear.Config{Workers: 1})
			if emptied {
				insert(t, tree, objects[:200])
				ids := make([]uint32, 200)
				for i := range ids {
					ids[i] = uint32(i)
				}
				must(t, tree.RemoveBatch(ids))
			}
			ctx, cancel := context.WithCancel(context.Background())
			reports, last := 0, linear.PhaseEncode
			err := tree.Build(ctx, objects, linear.RebuildOptions{Progress: func(p linear.Phase, share float64) {
				if p < last || share < 0 || share > 1 {
					t.Errorf("phase %v after %v, share %v", p, last, share)
				}
				if last = p; reports == stop {
					cancel()
				}
				reports++
			}})
			cancel()
			if err == nil {
				if stop < 5 || last != linear.PhaseFill {
					t.Errorf("%d reports, the last of %v", reports, last)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || tree.Len() != 0 || tree.View().Len() != 0 {
				t.Fatalf("stopped at report %d: %v, %d objects", stop, err, tree.Len())
			}
			if err := tree.Validate(); err != nil {
				t.Fatalf("stopped at report %d: %v", stop, err)
			}
			if stop%2 == 0 { // the remains of the earlier objects do not affect later builds
				insert(t, tree, objects[:40])
				for range 20 {
					must(t, tree.Tick())
				}
				must(t, tree.Validate())
				tree.Clear()
			}
			must(t, tree.Build(nil, objects, linear.RebuildOptions{}))
			if err := tree.Validate(); err != nil || tree.Len() != len(objects) {
				t.Fatalf("built after report %d: %v, %d objects", stop, err, tree.Len())
			}
		}
	}
}

// A rejected Build leaves the tree unchanged.
func TestBuildRefused(t *testing.T) {
	objects := sceneOf(t, "city", 20)
	tree := newTree(t, linear.Config{})
	bad := slices.Clone(objects)
	bad[7].Box = soa.Empty()
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for name, err := range map[string]error{
		"box": tree.Build(nil, bad, linear.RebuildOptions{}),
		"cut": tree.Build(nil, objects, linear.RebuildOptions{Cut: 99}),
		"ctx": tree.Build(done, objects, linear.RebuildOptions{}),
	} {
		if err == nil || tree.Len() != 0 {
			t.Errorf("%s: %v, %d objects", name, err, tree.Len())
		}
	}
	insert(t, tree, objects)
	if err := tree.Build(nil, objects, linear.RebuildOptions{}); err == nil || tree.Len() != 20 {
		t.Errorf("a tree of objects: %v, %d objects", err, tree.Len())
	}
}

// A panic of the program's Progress, at any report, leaves an empty tree, which can be built again.
func TestBuildPanics(t *testing.T) {
	objects := sceneOf(t, "city", 3000)
	for stop, all := 0, false; !all; stop++ {
		tree := newTree(t, linear.Config{Workers: 1})
		reports := 0
		func() {
			defer func() { all = recover() == nil }()
			must(t, tree.Build(nil, objects, linear.RebuildOptions{Progress: func(linear.Phase, float64) {
				if reports++; reports > stop {
					panic("stop")
				}
			}}))
		}()
		if all {
			break
		}
		if err := tree.Validate(); err != nil || tree.Len() != 0 {
			t.Fatalf("panic at report %d: %v, %d objects", stop, err, tree.Len())
		}
		must(t, tree.Build(nil, objects, linear.RebuildOptions{}))
		if err := tree.Validate(); err != nil || tree.Len() != len(objects) {
			t.Fatalf("built after the panic at report %d: %v, %d objects", stop, err, tree.Len())
		}
	}
}
