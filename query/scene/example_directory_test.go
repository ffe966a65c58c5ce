package scene_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// A Directory holds an out-of-core data set, possibly larger than memory. Queries are the same as for a
// scene and return the program's own numbers.
func Example_directory() {
	folder, _ := os.MkdirTemp("", "zoctree")
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "pillars")
	pillars := func(yield func(uint64, linear.Object) bool) {
		for i := range 1000 {
			x := float32(i)
			if !yield(uint64(i)<<32, linear.Object{Box: linear.AABB{Min: [3]float32{x, 0, 0}, Max: [3]float32{x + 0.5, 1, 1}}}) {
				return
			}
		}
	}
	if err := linear.CreateDirectory(context.Background(), path, pillars, linear.DirectoryOptions{Shard: 100}); err != nil {
		fmt.Println(err)
		return
	}
	d, err := linear.OpenDirectory(path, linear.CheckSafe)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()

	area := linear.AABB{Min: [3]float32{250, 0, 0}, Max: [3]float32{253, 1, 1}}
	if err := d.Prepare(context.Background(), area); err != nil {
		fmt.Println(err)
		return
	}
	box, _ := query.NewBox(area.Min, area.Max)
	var found []uint64
	for path, id := range scene.All(box, d.View(), query.Filter{}) {
		number, _ := d.Global(path.At(0), id)
		found = append(found, number>>32)
	}
	slices.Sort(found)
	fmt.Println(found)
	// Output: [250 251 252 253]
}
