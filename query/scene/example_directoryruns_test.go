package scene_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// The objects of a directory keep the numbers that the program assigned, independent of their shard and
// their ID in it.
func Example_directoryRuns() {
	folder, _ := os.MkdirTemp("", "zoctree")
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "pillars")
	pillars := func(yield func(uint64, linear.Object) bool) {
		for i := range 1000 {
			x := float32(i)
			if !yield(uint64(10_000+i), linear.Object{Box: linear.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 0.5, 1, 1}}}) {
				return
			}
		}
	}
	if err := linear.CreateDirectory(context.Background(), path, pillars, linear.DirectoryOptions{Shard: 100}); err != nil {
		panic(err)
	}
	d := made(linear.OpenDirectory(path, linear.CheckSafe))
	defer d.Close()
	fmt.Println("of keys in", d.World())

	box := made(query.NewBox([3]float32{2, 0, 0}, [3]float32{5, 1, 1}))
	near := linear.AABB{Min: [3]float32{2, 0, 0}, Max: [3]float32{5, 1, 1}}
	h := d.Acquire()
	shards, _ := h.Missing(near)
	fmt.Println("not in this view:", shards, "shard; sequence", h.Sequence())
	h.Release()

	d.Prepare(context.Background(), near)
	h = d.Acquire()
	defer h.Release()
	var a scene.Answer
	a.Reset()
	scene.Append(&a, box, h.View(), query.Filter{})
	for i := range a.Runs {
		place, ids := a.Run(i)
		_, shard := a.In(place)
		numbers, ok := h.AppendGlobal(nil, shard, ids)
		fmt.Println(numbers, ok)
		number, _ := h.Global(shard, ids[0])
		same, _ := d.AppendGlobal(nil, shard, ids) // in the newest version
		fmt.Println(number, len(same))
	}
	// Output:
	// of keys in [0 0 0] to [1024 1024 1024], cells of 2^-11
	// not in this view: 1 shard; sequence 1
	// [10002 10003 10004 10005] true
	// 10002 4
}
