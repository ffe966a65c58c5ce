package points_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/linear/points"
	"github.com/zoctree/zoctree/query"
)

// Survey points, in metres north and east of a far origin, are inserted into a tree. The query finds the points
// within 2.5 m of a position in file coordinates.
func ExampleRead() {
	const survey = `x,y,z,intensity
512600.125,5403580.25,300.5,17
512601.375,5403581.5,301,40
512609.25,5403588.75,300.25,3
`
	cloud, err := points.Read(context.Background(), strings.NewReader(survey), "survey.csv", points.Options{Columns: []string{"intensity"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cloud)
	fmt.Println("origin", cloud.Origin)

	tree, err := linear.New(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	ids, err := tree.InsertPoints(nil, cloud.Points, linear.Labels{Mask: 1}) // into an empty tree: 0, 1, 2, ...
	if err != nil {
		log.Fatal(err)
	}
	around, err := query.NewSphere64([3]float64{512600, 5403580, 300}, 2.5, cloud.Origin)
	if err != nil {
		log.Fatal(err)
	}
	found := around.Append(nil, tree.View(), query.Filter{})
	slices.Sort(found)
	for _, id := range found {
		fmt.Println(id, "of", len(ids), "at", cloud.At(int(id)), "intensity", cloud.Columns["intensity"][id])
	}
	// Output:
	// CSV: 3 points in [512600.125 5.40358025e+06 300.25] .. [512609.25 5.40358875e+06 301]
	// origin [512608 5.403584e+06 304]
	// 0 of 3 at [512600.125 5.40358025e+06 300.5] intensity 17
	// 1 of 3 at [512601.375 5.4035815e+06 301] intensity 40
}

// A table with its own column names, semicolons, decimal commas, and a point that was not measured. Kept maps
// the points back to rows of the file.
func ExampleOptions() {
	const table = `# station 4
Punkt;Rechts;Hoch;Hoehe
T1;512600,125;5403580,25;300,5
T2;512601,375;inf;301
T3;512609,25;5403588,75;300,25
`
	cloud, err := points.Read(context.Background(), strings.NewReader(table), "station.csv", points.Options{
		Axes:        [3]string{"Rechts", "Hoch", "Hoehe"},
		Texts:       []string{"Punkt"},
		SkipInvalid: true,
		MaxPoints:   1000,
	})
	if err != nil {
		log.Fatal(err)
	}
	for i := range cloud.Points {
		fmt.Println(cloud.Texts["Punkt"][i], cloud.At(i), "row", cloud.Kept[i])
	}
	fmt.Println(cloud.Skipped)
	// Output:
	// T1 [512600.125 5.40358025e+06 300.5] row 0
	// T3 [512609.25 5.40358875e+06 300.25] row 2
	// [1 points that are not finite]
}

// A survey that may be larger than memory is written as an out-of-core directory, chunk by chunk. An error of the file
// cancels the creation, so that no part of a directory remains.
func ExampleChunks() {
	dir, err := os.MkdirTemp("", "points")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "survey.xyz")
	if err := os.WriteFile(path, []byte("512600.125 5403580.25 300.5\n512601.375 5403581.5 301\n512609.25 5403588.75 300.25\n"), 0o600); err != nil {
		log.Fatal(err)
	}

	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var origin [3]float64
	objects := func(yield func(uint64, linear.Object) bool) {
		for chunk, err := range points.Chunks(ctx, path, points.Options{}) {
			if err != nil {
				cancel(err)
				return
			}
			origin = chunk.Origin
			for i, p := range chunk.Points {
				if !yield(uint64(chunk.Kept[i]), linear.Object{Box: linear.AABB{Min: p, Max: p}, Mask: 1}) {
					return
				}
			}
		}
	}
	survey := filepath.Join(dir, "survey")
	if err := linear.CreateDirectory(ctx, survey, objects, linear.DirectoryOptions{}); err != nil {
		log.Fatal(err, context.Cause(ctx))
	}
	d, err := linear.OpenDirectory(survey, linear.CheckSafe)
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	fmt.Println(d.Len(), "points about", origin)
	// Output:
	// 3 points about [512608 5.403584e+06 304]
}

// The triangles of a mesh, for instance for an occluder.
func ExampleCloud_AppendTriangles() {
	const square = `ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face 1
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
1 1 0
0 1 0
4 0 1 2 3
`
	mesh, err := points.Read(context.Background(), strings.NewReader(square), "", points.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mesh)
	for i := range mesh.Faces() {
		fmt.Println("face", mesh.Face(i))
	}
	fmt.Println("triangles", mesh.AppendTriangles(nil))
	// Output:
	// PLY ascii: 1 faces of 4 vertices in [0 0 0] .. [1 1 0]
	// face [0 1 2 3]
	// triangles [[0 1 2] [0 2 3]]
}

// A file is read by its path, with progress. An error names the line of the file.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "points")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "two.obj")
	if err := os.WriteFile(path, []byte("v 1 2 3\nv 4 five 6\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	_, err = points.Open(context.Background(), path, points.Options{
		Progress: func(done, total int64) { fmt.Println(done, "of", total, "bytes") },
	})
	fmt.Println(strings.TrimPrefix(err.Error(), dir+string(filepath.Separator)))
	// Output:
	// 19 of 19 bytes
	// two.obj: line 2: y: "five" is not a number
}
