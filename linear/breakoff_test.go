package linear_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// TestBreakOff cancels each operation that has a callback or a context.
func TestBreakOff(t *testing.T) {
	defer linear.SetParts(linear.SetParts(64, 64, 8))
	objects := sceneOf(t, "city", testkit.Budget(t, 400, 4000))
	operations := append(breakableBuilds(objects), breakableSaves(t, objects)...)
	operations = append(operations, breakableLooks(t, objects)...)
	operations = append(operations, breakableDirectories(objects[:200])...)
	testkit.Covered(t, operations)
	testkit.BreakOff(t, operations)
}

// rebuildParams returns options of a rebuild with a callback.
func rebuildParams(back func()) linear.RebuildOptions {
	return linear.RebuildOptions{Progress: func(linear.Phase, float64) { back() }}
}

func breakableBuilds(objects []soa.Object) []testkit.Operation {
	of := func(name string) []string { return []string{name, "RebuildOptions.Progress"} }
	return []testkit.Operation{
		{Name: "Tree.Build", Of: of("Tree.Build"), Context: true, New: func(t *testing.T, workers int) testkit.Call {
			tree := newTree(t, linear.Config{Workers: workers})
			return testkit.Call{
				State: func() any { return tree.LayoutDigest() },
				Do: func(ctx context.Context, back func()) (any, error) {
					if err := tree.Build(ctx, objects, rebuildParams(back)); err != nil {
						return nil, err
					}
					valid(t, tree)
					defer tree.Clear()
					return storeBits(tree.View().Store()), nil
				},
			}
		}},
		{Name: "Tree.Rebuild", Of: of("Tree.Rebuild"), Context: true, New: func(t *testing.T, workers int) testkit.Call {
			tree := newTree(t, linear.Config{Workers: workers})
			moveOutside(t, tree, objects)
			return testkit.Call{
				State: func() any { return tree.LayoutDigest() },
				Do: func(ctx context.Context, back func()) (any, error) {
					if err := tree.Rebuild(ctx, rebuildParams(back)); err != nil {
						return nil, err
					}
					valid(t, tree)
					return fmt.Sprint(tree.Digest(), tree.Stats().Nodes, tree.Stats().Packets), nil
				},
			}
		}},
	}
}

// snapshotWriter is the interface of snapshot writers.
type snapshotWriter interface {
	WriteSnapshot(ctx context.Context, w io.Writer, opt linear.SnapshotOptions) (n int64, err error)
	Save(ctx context.Context, path string, opt linear.SnapshotOptions) error
}

// breakableSaves write snapshots of trees, scenes and checkpoints, to memory and to files.
func breakableSaves(t *testing.T, objects []soa.Object) (all []testkit.Operation) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, objects)
	scene, err := linear.NewScene(linear.Config{})
	must(t, err)
	_, err = scene.AddInstances(nil, tree, []linear.Transform{transformedAt(0, 0, 0), transformedAt(20, 0, 0)}, linear.InstanceOptions{})
	must(t, err)
	must(t, scene.Tick())
	p, q := linear.NewPublisher(tree), linear.NewScenePublisher(scene)
	p.Publish()
	q.Publish()
	for name, w := range map[string]snapshotWriter{"Tree": tree, "Scene": scene, "Checkpoint": p.Checkpoint(), "SceneCheckpoint": q.Checkpoint()} {
		state := func() any { return fmt.Sprint(tree.LayoutDigest(), scene.LayoutDigest()) }
		options := func(back func()) linear.SnapshotOptions {
			return linear.SnapshotOptions{Progress: func(float64) { back() }}
		}
		all = append(all, testkit.Operation{
			Name: name + ".WriteSnapshot", Of: []string{name + ".WriteSnapshot", "SnapshotOptions.Progress"}, Context: true, Alone: true,
			New: func(*testing.T, int) testkit.Call {
				return testkit.Call{State: state, Do: func(ctx context.Context, back func()) (any, error) {
					var b bytes.Buffer
					_, err := w.WriteSnapshot(ctx, &b, options(back))
					return b.Bytes(), err
				}}
			},
		}, testkit.Operation{
			Name: name + ".WriteSnapshot to a writer that panics", Of: []string{name + ".WriteSnapshot"}, Alone: true,
			New: func(*testing.T, int) testkit.Call {
				return testkit.Call{State: state, Do: func(ctx context.Context, back func()) (any, error) {
					var b bytes.Buffer
					_, err := w.WriteSnapshot(ctx, writes(func(p []byte) (int, error) { back(); return b.Write(p) }), linear.SnapshotOptions{})
					return b.Bytes(), err
				}}
			},
		}, testkit.Operation{
			Name: name + ".Save", Of: []string{name + ".Save", "SnapshotOptions.Progress"}, Context: true, Alone: true, Slow: true,
			New: func(t *testing.T, _ int) testkit.Call {
				dir := t.TempDir()
				path := filepath.Join(dir, "file")
				must(t, os.WriteFile(path, []byte("an old file"), 0o600))
				return testkit.Call{
					State: func() any { return fmt.Sprint(state(), listing(t, dir)) },
					Do: func(ctx context.Context, back func()) (any, error) {
						if err := w.Save(ctx, path, options(back)); err != nil {
							return nil, err
						}
						return os.ReadFile(path)
					},
				}
			},
		})
	}
	return all
}

type writes func(p []byte) (int, error)

func (w writes) Write(p []byte) (int, error) { return w(p) }

// listing is the names and sizes of all files below a folder.
func listing(t *testing.T, dir string) (list []string) {
	t.Helper()
	must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			list = append(list, fmt.Sprint(path, " ", info.Size()))
		}
		return err
	}))
	return list
}

// breakableLooks returns operations that iterate over trees, scenes and maps.
func breakableLooks(t *testing.T, objects []soa.Object) []testkit.Operation {
	tree := newTree(t, linear.Config{})
	insert(t, tree, objects)
	scene, err := linear.NewScene(linear.Config{})
	must(t, err)
	_, err = scene.AddInstances(nil, tree, []linear.Transform{transformedAt(0, 0, 0), transformedAt(20, 0, 0)}, linear.InstanceOptions{})
	must(t, err)
	must(t, scene.Tick())
	var values linear.Map[int]
	for i := range objects {
		_, err = values.Insert(objects[i].Box, i)
		must(t, err)
	}
	dir := filepath.Join(t.TempDir(), "boxes")
	must(t, linear.CreateDirectory(nil, dir, numberedFrom(0, objects, func() {}), linear.DirectoryOptions{Shard: 50}))
	d, err := linear.OpenDirectory(dir, linear.CheckSafe)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	must(t, d.Prepare(nil, everywhere))
	version := d.Acquire()
	t.Cleanup(func() { must(t, version.Release()) })
	return []testkit.Operation{
		testkit.Iteration("DirectoryVersion.Parts", testkit.Keys(version.Parts())),
		testkit.Iteration("Tree.All", testkit.Keys(tree.All())),
		testkit.Iteration("View.All", testkit.Keys(tree.View().All())),
		testkit.Iteration("Scene.All", testkit.Keys(scene.All())),
		testkit.Iteration("Tree.Cells", tree.Cells()),
		testkit.Iteration("Tree.Packets", tree.Packets()),
		testkit.Iteration("Tree.PacketsOf", tree.PacketsOf(largestCell(tree))),
		testkit.Iteration("Map.All", testkit.Keys(values.All())),
		testkit.Iteration("SceneView.Parts", testkit.Keys(scene.View().Parts())),
	}
}

// largestCell returns a cell with the most packets of a tree.
func largestCell(tree *linear.Tree) linear.Cell {
	return slices.MaxFunc(slices.Collect(tree.Cells()), func(a, b linear.Cell) int { return a.Packets - b.Packets })
}

// numberedFrom yields objects with numbers from first on, and calls back.
func numberedFrom(first uint64, objects []soa.Object, back func()) iter.Seq2[uint64, linear.Object] {
	return func(yield func(uint64, linear.Object) bool) {
		for i, o := range objects {
			if back(); !yield(first+uint64(i), o) {
				return
			}
		}
	}
}

func breakableDirectories(objects []soa.Object) []testkit.Operation {
	nothing := func() {}
	open := func(t *testing.T, dir string) *linear.Directory {
		d, err := linear.OpenDirectory(dir, linear.CheckSafe)
		must(t, err)
		return d
	}
	contents := func(t *testing.T, d *linear.Directory) string {
		must(t, d.Prepare(nil, everywhere))
		return fmt.Sprint(d.Len(), d.View().Total(), d.View().Bounds())
	}
	create := func(name string, opt linear.DirectoryOptions, stream, progress bool) testkit.Operation {
		return testkit.Operation{
			Name: name, Of: []string{"CreateDirectory", "DirectoryOptions.Progress"}, Context: true, Slow: true,
			New: func(t *testing.T, workers int) testkit.Call {
				parent := t.TempDir()
				opt := opt
				opt.Workers = workers
				return testkit.Call{
					State: func() any { return listing(t, parent) },
					Do: func(ctx context.Context, back func()) (any, error) {
						dir, inStream := filepath.Join(parent, "boxes"), nothing
						if stream {
							inStream = back
						}
						if progress {
							opt.Progress = func(uint64, uint64) { back() }
						}
						if err := linear.CreateDirectory(ctx, dir, numberedFrom(0, objects, inStream), opt); err != nil {
							return nil, err
						}
						d := open(t, dir)
						defer os.RemoveAll(dir)
						defer d.Close()
						return contents(t, d), nil
					},
				}
			},
		}
	}
	made := func(t *testing.T) (dir string) {
		dir = filepath.Join(t.TempDir(), "boxes")
		must(t, linear.CreateDirectory(nil, dir, numberedFrom(0, objects, nothing), linear.DirectoryOptions{Shard: 50}))
		return dir
	}
	return []testkit.Operation{
		create("CreateDirectory, stream", linear.DirectoryOptions{Shard: 50}, true, false),
		create("CreateDirectory, progress", linear.DirectoryOptions{Shard: 20}, false, true),
		{Name: "Directory.Replace", Of: []string{"Directory.Replace"}, Context: true, Alone: true, Slow: true, New: func(t *testing.T, _ int) testkit.Call {
			dir := made(t)
			d := open(t, dir)
			t.Cleanup(func() { d.Close() })
			n := len(objects) / 8
			replace := func(ctx context.Context, first int, back func()) error {
				other := len(objects)/2 - first
				return d.Replace(ctx, numberedFrom(uint64(10_000+first), objects[first:first+n], back), testkit.Keys(numberedFrom(uint64(10_000+other), objects[:n], back)))
			}
			must(t, d.Replace(nil, numberedFrom(10_000, objects[:n], nothing), nil))
			return testkit.Call{
				State: func() any { return fmt.Sprint(listing(t, dir), d.Len(), d.Sequence()) },
				Do: func(ctx context.Context, back func()) (any, error) {
					if err := replace(ctx, len(objects)/2, back); err != nil {
						return nil, err
					}
					answer := contents(t, d)
					return answer, replace(nil, 0, nothing)
				},
			}
		}},
		{Name: "Directory.Prepare", Of: []string{"Directory.Prepare"}, Context: true, Silent: true, Alone: true, Slow: true, New: func(t *testing.T, _ int) testkit.Call {
			dir := made(t)
			return testkit.Call{Do: func(ctx context.Context, _ func()) (any, error) {
				d := open(t, dir)
				defer d.Close()
				if err := d.Prepare(ctx, everywhere); err != nil {
					return nil, err
				}
				return contents(t, d), nil
			}}
		}},
	}
}
