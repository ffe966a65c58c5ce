package linear_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/zoctree/zoctree/linear"
)

// pillars yields objects in a row, each with an ID of the program's own.
func pillars(yield func(uint64, linear.Object) bool) {
	for i := range 1000 {
		x := float32(i)
		o := linear.Object{Box: linear.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 0.5, 1, 1}}, Mask: 1}
		if !yield(uint64(10_000+i), o) {
			return
		}
	}
}

// pillarsIn creates a directory of pillars and opens it.
func pillarsIn(folder string) *linear.Directory {
	path := filepath.Join(folder, "pillars")
	if err := linear.CreateDirectory(context.Background(), path, pillars, linear.DirectoryOptions{Shard: 100}); err != nil {
		panic(err)
	}
	d, err := linear.OpenDirectory(path, linear.CheckSafe)
	if err != nil {
		panic(err)
	}
	return d
}

// A stream of any length is written as a folder of shards.
func ExampleCreateDirectory() {
	folder, _ := os.MkdirTemp("", "zoctree")
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "pillars")

	opt := linear.DirectoryOptions{Shard: 100}
	fmt.Println(linear.CreateDirectory(context.Background(), path, pillars, opt))
	err := linear.CreateDirectory(context.Background(), path, pillars, opt)
	fmt.Println(errors.Is(err, fs.ErrExist))

	d, err := linear.OpenDirectory(path, linear.CheckSafe)
	fmt.Println(d.Len(), d.Shards()[0].Objects <= 100, err)
	d.Close()
	// Output:
	// <nil>
	// true
	// 1000 true <nil>
}

// Prepare maps and checks the shards that a camera may see in the next second, before they enter its view.
func ExampleDirectory_Prepare() {
	folder, _ := os.MkdirTemp("", "zoctree")
	defer os.RemoveAll(folder)
	d := pillarsIn(folder)
	defer d.Close()

	sees := linear.AABB{Min: [3]float32{200, 0, 0}, Max: [3]float32{210, 1, 1}}
	moves := float32(30) // distance in one second
	swept := sees
	swept.Max[0] += moves
	fmt.Println(d.Prepare(context.Background(), swept))

	_, missing := d.Missing(sees)
	fmt.Println("in view:", d.View().Total() < d.Len(), "missing:", missing)
	view := d.View()
	for i, s := range d.Shards() {
		if view.Still() && s.Box.Overlaps(swept) { // instances are shards, at their own coordinates
			tree, _, transform := view.Tree(uint32(i))
			fmt.Println("in view:", tree.Len() > 0, transform.Kind() == linear.TransformIdentity)
			break
		}
	}

	// A missing shard file is an error only of the calls that need the shard.
	last := d.Shards()[len(d.Shards())-1]
	os.Remove(last.Path)
	err := d.Prepare(context.Background(), last.Box)
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	fmt.Println(d.Prepare(context.Background(), swept))
	// Output:
	// <nil>
	// in view: true missing: 0
	// in view: true true
	// true
	// <nil>
}

// A batch rewrites only the shards that contain its objects.
func ExampleDirectory_Replace() {
	folder, _ := os.MkdirTemp("", "zoctree")
	defer os.RemoveAll(folder)
	d := pillarsIn(folder)
	defer d.Close()

	far := linear.Object{Box: linear.AABB{Min: [3]float32{7000, 0, 0}, Max: [3]float32{7001, 1, 1}}, Mask: 2}
	changes := map[uint64]linear.Object{10_000: far, 77: far} // one object moves, one is new
	gone := slices.Values([]uint64{10_001, 10_002})
	fmt.Println(d.Replace(context.Background(), maps.All(changes), gone))
	fmt.Println(d.Len(), "objects, sequence", d.Sequence())

	err := d.Replace(context.Background(), nil, gone)
	fmt.Println(errors.Is(err, linear.ErrUnknown), d.Sequence())
	// Output:
	// <nil>
	// 999 objects, sequence 2
	// true 2
}

// A scene holds the shards of a directory beside a live object, for queries over both.
func ExampleDirectoryVersion_Parts() {
	folder, _ := os.MkdirTemp("", "zoctree")
	defer os.RemoveAll(folder)
	d := pillarsIn(folder)
	defer d.Close()
	d.Prepare(context.Background(), linear.AABB{Max: [3]float32{1000, 1, 1}})

	world, _ := linear.NewScene(linear.Config{})
	world.Tree().Insert(linear.Object{Box: linear.AABB{Min: [3]float32{5, 0, 0}, Max: [3]float32{6, 1, 1}}})
	version := d.Acquire()
	var shardOf linear.Column[uint32] // by instance
	for shard, part := range version.Parts() {
		id, err := world.AddInstance(part, linear.Transform{}, linear.InstanceOptions{})
		if err != nil {
			panic(err)
		}
		shardOf.Set(id, shard)
	}
	fmt.Println(world.View().Total(), "objects, an instance of each shard:", world.View().Instances().Len() == len(d.Shards()))
	number, ok := version.Global(shardOf.Get(0), 7) // of object 7 in instance 0
	fmt.Println(number >= 10_000, ok)
	world.Clear() // before the release
	fmt.Println(version.Release())
	// Output:
	// 1001 objects, an instance of each shard: true
	// true true
	// <nil>
}

// A reader keeps its version until it releases it.
func ExampleDirectory_Acquire() {
	folder, _ := os.MkdirTemp("", "zoctree")
	defer os.RemoveAll(folder)
	d := pillarsIn(folder)
	defer d.Close()
	d.Prepare(context.Background(), linear.AABB{Max: [3]float32{1000, 1, 1}})

	h := d.Acquire()
	d.Replace(context.Background(), nil, slices.Values([]uint64{10_500}))
	fmt.Println(h.View().Total(), d.View().Total())
	fmt.Println(h.Release())
	// Output:
	// 1000 999
	// <nil>
}

// An object is looked up by the number that the program has assigned to it.
func ExampleDirectory_Lookup() {
	folder, _ := os.MkdirTemp("", "zoctree")
	defer os.RemoveAll(folder)
	d := pillarsIn(folder)
	defer d.Close()
	_, _, ok := d.Lookup(10_500)
	fmt.Println("before Prepare:", ok)
	d.Prepare(context.Background(), linear.AABB{Max: [3]float32{1000, 1, 1}})

	h := d.Acquire() // a version, which stays the same while others replace objects
	defer h.Release()
	shard, id, ok := h.Lookup(10_500)
	part, _, _ := h.View().Instance(shard)
	o, _ := part.Objects().Object(id)
	fmt.Println(ok, o.Box)
	number, _ := h.Global(shard, id)
	fmt.Println(number)
	_, _, ok = h.Lookup(77)
	fmt.Println(ok)
	// Output:
	// before Prepare: false
	// true [500 0 0] to [500.5 1 1]
	// 10500
	// false
}
