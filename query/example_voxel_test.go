package query_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// slope is a scan of a plane, z = x/4, over a square of 8 m: dense near the sensor, at the origin.
func slope(seed uint64, points int) (scan [][3]float32) {
	r := rand.New(rand.NewPCG(seed, 0))
	for range points {
		near := r.Float32()
		x, y := 8*near*r.Float32(), 8*near*r.Float32()
		scan = append(scan, [3]float32{x, y, x / 4})
	}
	return scan
}

// A voxel filter keeps a map of scans small, and as dense near the sensor as elsewhere: at most four points in each
// voxel of 0.25 m. The points of a voxel are found by a box query, here for their centroid.
func Example_voxelFilter() {
	thin := linear.Thin{Cell: 0.25, Keep: linear.KeepFirst, Most: 4}
	tree, err := linear.New(linear.Config{Thin: thin})
	failIf(err)
	var ids []uint32
	for scan := range uint64(3) {
		ids, err = tree.InsertPoints(ids[:0], slope(scan, 20_000), linear.Labels{})
		failIf(err)
		failIf(tree.Tick())
		dropped := 0
		for _, id := range ids {
			if id == linear.None {
				dropped++
			}
		}
		fmt.Printf("scan %d: %d inserted, %d dropped, %d in the map\n", scan, len(ids)-dropped, dropped, tree.Len())
	}

	v := tree.View()
	cell, err := thin.CellBox([3]float32{1.9, 1.1, 0.4})
	failIf(err)
	box, err := query.NewBox(cell.Min, cell.Max)
	failIf(err)
	var sum [3]float32
	n := float32(0)
	for id := range box.All(v, query.Filter{}) {
		o, _ := v.Object(id)
		for a, x := range o.Box.Min {
			sum[a] += x
		}
		n++
	}
	fmt.Printf("voxel %.2f to %.2f: %v points about %.2f\n", cell.Min, cell.Max, n, [3]float32{sum[0] / n, sum[1] / n, sum[2] / n})
	// Output:
	// scan 0: 3308 inserted, 16692 dropped, 3308 in the map
	// scan 1: 345 inserted, 19655 dropped, 3653 in the map
	// scan 2: 128 inserted, 19872 dropped, 3781 in the map
	// voxel [1.75 1.00 0.25] to [2.00 1.25 0.50]: 4 points about [1.93 1.14 0.48]
}
