package linear_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// numbersOf returns objects with consecutive numbers, from one given number.
func numbersOf(objects []soa.Object, first int) map[uint64]soa.Object {
	m := map[uint64]soa.Object{}
	for i, o := range objects {
		m[numberOf(first+i)] = o
	}
	return m
}

// shapeOf returns the data that decides in which shards a directory has its objects.
func shapeOf(d *linear.Directory) (all []string) {
	all = append(all, fmt.Sprint(d.World()))
	for _, s := range d.Shards() {
		all = append(all, fmt.Sprint(s.Objects, s.Box, s.Keys))
	}
	return all
}

// A directory of few objects adapts its world to new objects, as if it had been created with them. From the
// second shard on its world stays fixed, and so does a given world.
func TestDirectoryFitted(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(1000, 1)
	for i := range objects { // about zero, and apart
		for a := range 3 {
			objects[i].Box.Min[a] = 50*objects[i].Box.Min[a] - 2000
			objects[i].Box.Max[a] = 50*objects[i].Box.Max[a] - 2000
		}
	}
	opt := linear.DirectoryOptions{Shard: 100}
	want := created(t, maps.All(numbersOf(objects, 0)), opt)
	for _, n := range []int{0, 1, 5, 100} {
		for _, steps := range []int{1, 3} {
			t.Run(fmt.Sprintf("%d objects in %d steps", n, steps), func(t *testing.T) {
				d := created(t, maps.All(numbersOf(objects[:n], 0)), opt)
				for step := range steps { // all but the last make one shard at most
					from, to := n+step*(100-n)/steps, n+(step+1)*(100-n)/steps
					if step == steps-1 {
						to = len(objects)
					}
					d = openedDirectory(t, d.Folder())
					must(t, d.Replace(t.Context(), maps.All(numbersOf(objects[from:to], from)), nil))
				}
				if have, want := shapeOf(d), shapeOf(want); !slices.Equal(have, want) {
					t.Errorf("%d shards in %v, want %d in %v", len(have)-1, have[0], len(want)-1, want[0])
				}
				must(t, d.Prepare(t.Context(), everywhere))
				if !maps.Equal(contents(t, d), numbersOf(objects, 0)) {
					t.Error("other objects")
				}
				keysHold(t, d)
				// Some shards are unchanged: their keys belong to this world.
				world := d.World()
				far := soa.Object{Box: cube(1e6, 1e6, 1e6, 1)}
				must(t, d.Replace(t.Context(), maps.All(map[uint64]soa.Object{1 << 50: far}), nil))
				if d = openedDirectory(t, d.Folder()); d.World() != world {
					t.Errorf("the world of several shards is %v, it was %v", d.World(), world)
				}
			})
		}
	}
	for _, n := range []int{0, 1, 5} {
		given := linear.DirectoryOptions{Shard: 100, World: soa.AABB{Max: [3]float32{64, 64, 64}}}
		d := created(t, maps.All(numbersOf(objects[:n], 0)), given)
		world := d.World()
		must(t, d.Replace(t.Context(), maps.All(numbersOf(objects, 0)), nil))
		if d.World() != world || world.Side() > 128 {
			t.Errorf("%d objects: the world is %v, %v was given", n, d.World(), world)
		}
	}
}

// The number of files that a call writes is limited; a call beyond the limit changes nothing.
func TestDirectoryReplaceMost(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(1000, 1)
	d := created(t, maps.All(numbersOf(objects[:10], 0)), linear.DirectoryOptions{Shard: 16})
	defer linear.SetReplaceMost(linear.SetReplaceMost(20))
	before := shapeOf(d)
	err := d.Replace(t.Context(), maps.All(numbersOf(objects, 0)), nil)
	if err == nil || !strings.Contains(err.Error(), "of at most 16 objects: a call writes at most 20") {
		t.Error(err)
	}
	files, err := os.ReadDir(d.Folder())
	if err != nil || len(files) != 2 || !slices.Equal(shapeOf(d), before) {
		t.Errorf("%v, %v, %d shards", files, err, len(d.Shards()))
	}
	must(t, d.Replace(t.Context(), maps.All(numbersOf(objects[:100], 0)), nil))
	if n := d.Len(); n != 100 {
		t.Errorf("%d objects", n)
	}
}
