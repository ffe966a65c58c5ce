package query_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/linear/points"
	"github.com/zoctree/zoctree/query"
)

// scan writes a file as a scanner does: a wall of 40 by 40 points, ten centimetres apart, in the coordinates of a
// country, and three points of dust before it.
func scan(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprint(f, "ply\nformat ascii 1.0\nelement vertex 1603\nproperty double x\nproperty double y\nproperty double z\nend_header\n")
	for i := range 1600 {
		fmt.Fprintf(f, "%.3f %.3f %.3f\n", 512600+0.1*float64(i%40), 5403580.25, 300+0.1*float64(i/40))
	}
	for i := range 3 {
		fmt.Fprintf(f, "%.3f %.3f %.3f\n", 512601+0.7*float64(i), 5403577., 302.)
	}
	return f.Close()
}

// cloud is a point cloud with its tree: the ID of a point is its index.
type cloud struct {
	*points.Cloud
	tree *linear.Tree
}

// openCloud reads a file in any format of package points.
func openCloud(path string) (*cloud, error) {
	read, err := points.Open(context.Background(), path, points.Options{})
	if err != nil {
		return nil, err
	}
	tree, err := linear.New(linear.Config{Frozen: true}) // packed tightly, for static data
	if err != nil {
		return nil, err
	}
	_, err = tree.InsertPoints(nil, read.Points, linear.Labels{Mask: 1})
	return &cloud{read, tree}, err
}

// outliers returns the points whose average distance to their k nearest neighbours exceeds a multiple of the usual
// one: dust, in the data of a scanner.
func (c *cloud) outliers(k int, times float64) (ids []uint32, err error) {
	view, mean := c.tree.View(), make([]float64, len(c.Points))
	var near []query.Neighbor
	usual := 0.
	for i, p := range c.Points {
		near, err = query.AppendNearest(near[:0], view, p, k+1, query.Unlimited, query.Filter{}) // with itself
		if err != nil {
			return nil, err
		}
		for _, n := range near {
			mean[i] += float64(n.Dist()) / float64(k)
		}
		usual += mean[i] / float64(len(mean))
	}
	for i, m := range mean {
		if m > times*usual {
			ids = append(ids, uint32(i))
		}
	}
	return ids, nil
}

// thin returns points that are at least a distance apart: the first of each neighbourhood.
func (c *cloud) thin(distance float32) (kept []uint32, err error) {
	view, gone := c.tree.View(), make([]bool, len(c.Points))
	for i, p := range c.Points {
		if _, live := c.tree.Object(uint32(i)); !live || gone[i] {
			continue
		}
		kept = append(kept, uint32(i))
		around, err := query.NewSphere(p, distance)
		if err != nil {
			return nil, err
		}
		for id := range around.All(view, query.Filter{}) {
			gone[id] = true
		}
	}
	return kept, nil
}

// A point cloud is read from a file, cleaned, thinned and queried in the coordinates of the file.
func Example_cloud() {
	folder, err := os.MkdirTemp("", "zoctree")
	failIf(err)
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "wall.ply")
	failIf(scan(path))

	c, err := openCloud(path)
	failIf(err)
	fmt.Println(c.Format, len(c.Points), "points about", c.Origin)

	dust, err := c.outliers(8, 3)
	failIf(err)
	fmt.Println("dust:", dust)
	failIf(c.tree.RemoveBatch(dust))

	kept, err := c.thin(0.25)
	failIf(err)
	fmt.Println("thinned to", len(kept))

	spot, err := query.NewSphere64([3]float64{512602, 5403580.25, 302}, 0.15, c.Origin)
	failIf(err)
	fmt.Println("within 15 cm:", spot.Count(c.tree.View(), query.Filter{}))
	last := c.At(1599)
	fmt.Println("the last of the wall is at", math.Round(1000*last[0])/1000, last[1])
	// Output:
	// PLY ascii 1603 points about [512602 5.403578e+06 302]
	// dust: [1600 1601 1602]
	// thinned to 196
	// within 15 cm: 9
	// the last of the wall is at 512603.9 5.40358025e+06
}
