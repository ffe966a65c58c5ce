package linear_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// reuses are calls that replace the object with the ID 3 of a tree, whose IDs are 0 to 4.
func reuses(t testing.TB) map[string]func(tree *linear.Tree) {
	objects := grid(2)[:5]
	only := func(id uint32, err error) {
		must(t, err)
		if id != 3 {
			t.Fatalf("the new object has the ID %d", id)
		}
	}
	var b linear.Batch
	ids := []uint32{3}
	return map[string]func(tree *linear.Tree){
		"Remove": func(tree *linear.Tree) {
			must(t, tree.Remove(3))
			only(tree.Insert(objects[3]))
		},
		"RemoveBatch": func(tree *linear.Tree) {
			must(t, tree.RemoveBatch(ids))
			var err error
			ids, err = tree.InsertBatch(ids[:0], objects[3:4])
			only(ids[0], err)
		},
		"Insert after Clear": func(tree *linear.Tree) {
			tree.Clear()
			for _, o := range objects {
				_, err := tree.Insert(o)
				must(t, err)
			}
		},
		"Insert after Trim": func(tree *linear.Tree) {
			must(t, tree.Remove(4))
			must(t, tree.Remove(3))
			tree.Trim()
			only(tree.Insert(objects[3]))
			_, err := tree.Insert(objects[4])
			must(t, err)
		},
		"Batch": func(tree *linear.Tree) {
			b.Reset()
			b.Remove(3)
			b.Insert(objects[3])
			_, err := tree.Apply(&b)
			must(t, err)
		},
	}
}

// Handles are stale when their ID has been reused 2^15 and 2^16 times, though its generations have equal low halves
// then: in trees, trees of files, files, replicas and published versions.
func TestHandlesOfManyReuses(t *testing.T) {
	all := reuses(t)
	for _, name := range slices.Sorted(maps.Keys(all))[:testkit.Budget(t, testkit.Again(2, 1), len(all))] {
		reuse := all[name]
		t.Run(name, func(t *testing.T) {
			tree, replica := newTree(t, linear.Config{Log: true}), newTree(t, linear.Config{Log: true})
			insert(t, tree, grid(2)[:5])
			insert(t, replica, grid(2)[:5])
			var publisher *linear.Publisher
			stale, n := []linear.Handle{}, 0
			to := func(next int) (h linear.Handle) {
				for ; n < next; n++ {
					h, ok := tree.Handle(3)
					if !ok || h.Gen != uint32(2*n+1) {
						t.Fatalf("after %d reuses the handle is %v, %v", n, h, ok)
					}
					if n < 3 || n&(1<<15-1) < 2 || n&(1<<15-1) > 1<<15-3 {
						stale = append(stale, h)
					}
					reuse(tree)
					reuse(replica)
					if publisher != nil && n%7 == 0 {
						publisher.Publish()
					}
				}
				h, _ = tree.Handle(3)
				return h
			}
			see := func(what string, v linear.View, h linear.Handle) {
				t.Helper()
				if slot, lane, ok := v.LocateHandle(h); !ok || v.IDs(slot)[lane] != 3 {
					t.Fatalf("%s: the handle %v of a live object is located: %v", what, h, ok)
				}
				if got, ok := v.Handle(3); !ok || got != h {
					t.Fatalf("%s: the handle %v, %v, want %v", what, got, ok, h)
				}
				for _, old := range stale {
					if _, _, ok := v.LocateHandle(old); ok {
						t.Fatalf("%s: the stale handle %v is located, that of the object is %v", what, old, h)
					}
				}
			}
			check := func(h linear.Handle) {
				t.Helper()
				valid(t, tree)
				file := written(t, tree)
				snapshot := opened(t, file, linear.CheckFull)
				from, err := snapshot.Load()
				must(t, err)
				for what, tree := range map[string]*linear.Tree{"tree": tree, "replica": replica, "tree of a file": from} {
					if id, err := tree.Resolve(h); err != nil || id != 3 {
						t.Fatalf("%s: handle %v is resolved to %d, %v", what, h, id, err)
					}
					for _, old := range stale {
						if _, err := tree.Resolve(old); !errors.Is(err, soa.ErrStale) {
							t.Fatalf("%s: the stale handle %v is resolved, %v", what, old, err)
						}
					}
					see(what, tree.View(), h)
				}
				if tree.LayoutDigest() != from.LayoutDigest() || tree.Digest() != replica.Digest() || !bytes.Equal(file, written(t, from)) {
					t.Fatal("the tree of a file, or a replica, has another digest")
				}
				see("file", snapshot.View(), h)
				must(t, snapshot.Close())
			}
			check(to(1<<14 + 1))
			check(to(1<<15 - 1)) // the last generation of 16 bits
			publisher = linear.NewPublisher(tree)
			before := publisher.Acquire()
			last, _ := tree.Handle(3)
			check(to(1 << 15))
			check(to(1<<15 + 20))
			publisher.Publish()
			now, c := publisher.Acquire(), publisher.Checkpoint()
			then, _ := tree.Handle(3)
			want := written(t, tree)
			check(to(1<<16 + 3))
			var file bytes.Buffer
			if _, err := c.WriteTo(&file); err != nil || !bytes.Equal(file.Bytes(), want) {
				t.Errorf("a checkpoint: %v, or another file", err)
			}
			c.Release()
			seeThen := func(v linear.View, h linear.Handle) {
				t.Helper()
				all := stale
				stale = slices.DeleteFunc(slices.Clone(all), func(old linear.Handle) bool { return old == h })
				see("version", v, h)
				stale = all
			}
			seeThen(before.View(), last)
			seeThen(now.View(), then)
			before.Release()
			now.Release()
			publisher.Publish()
			after := publisher.Acquire()
			h, _ := tree.Handle(3)
			see("version", after.View(), h)
			after.Release()
			if diff := publisher.Differs(); diff != nil {
				t.Error(diff)
			}
		})
	}
}

// A published version has the generations of a build whose IDs follow trimmed ones.
func TestVersionOfBuildAfterTrim(t *testing.T) {
	tree := newTree(t, linear.Config{})
	publisher := linear.NewPublisher(tree)
	for round := range 4 {
		tree.Clear()
		tree.Trim()
		insert(t, tree, grid(3))
		publisher.Publish()
		want, _ := tree.Handle(2)
		v := publisher.Acquire()
		if got, ok := v.View().Handle(2); !ok || got != want || got.Gen != uint32(2*round+1) {
			t.Errorf("round %d: the version has the handle %v, %v, the tree %v", round, got, ok, want)
		}
		v.Release()
	}
}
