package show_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/show"
)

// drawn reports whether a picture is written and well-formed.
func drawn(svg func(io.Writer) error) bool {
	var file bytes.Buffer
	if err := svg(&file); err != nil {
		log.Fatal(err)
	}
	return strings.HasPrefix(file.String(), "<svg") && strings.HasSuffix(strings.TrimSpace(file.String()), "</svg>")
}

// Every kind of query as a picture of its visits.
func ExampleScene_SVG() {
	view := grid().View()
	box, err := show.AskBox(view, linear.AABB{Min: [3]float32{3, 3, 0}, Max: [3]float32{12, 8, 0}}, query.Filter{})
	if err != nil {
		log.Fatal(err)
	}
	near, err := show.AskNearest(view, [3]float32{10, 10, 0}, 8, query.Filter{})
	if err != nil {
		log.Fatal(err)
	}
	ray, err := show.AskRay(view, [3]float32{0, 4, 0}, [3]float32{1, 0, 0}, 20, query.Filter{})
	if err != nil {
		log.Fatal(err)
	}
	planes := [6][4]float32{{1, 0, 0, -5}, {-1, 0, 0, 9}, {0, 1, 0, -5}, {0, -1, 0, 9}, {0, 0, 1, 1}, {0, 0, -1, 1}}
	camera, err := show.AskPlanes(view, planes, nil, query.Filter{})
	if err != nil {
		log.Fatal(err)
	}
	box.Against([]int{93, 94, 95}) // results of another program: the picture marks the differences
	for _, q := range []*show.Query{box, near, ray, camera} {
		fmt.Println(q.Name, len(q.Hits), drawn(show.Scene{Kind: show.Walk, View: view, Query: q, Width: 640}.SVG))
	}
	// Output:
	// box 60 true
	// nearest 8 8 true
	// ray 21 true
	// camera 25 true
}

// A tree as an icicle: the widths are numbers of objects, and a row is a level of cells.
func ExampleIcicle_SVG() {
	p, err := show.Profile(grid().View(), nil)
	if err != nil {
		log.Fatal(err)
	}
	levels := show.Levels(p)
	var objects int64
	for _, values := range levels {
		objects += values[show.Objects]
	}
	fmt.Println(objects, "objects", drawn(show.Icicle{Profile: p, Width: 800, Value: show.Objects, Rows: len(levels)}.SVG))
	// Output:
	// 900 objects true
}

// A wall hides two thirds of a grid.
func ExampleOcclusion_SVG() {
	const wall = 1 << 4 // of type masks
	tree := grid()
	if _, err := tree.Insert(linear.Object{Box: linear.AABB{Min: [3]float32{-5, 8, -5}, Max: [3]float32{35, 9, 5}}, Mask: wall, Static: true}); err != nil {
		log.Fatal(err)
	}
	camera := query.Camera{Eye: [3]float64{15, -20, 0}, Forward: [3]float64{0, 1, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1.6, Near: 0.1, Far: 100}
	eye, err := occlude.New(occlude.Config{Width: 256, OccluderMask: wall})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(drawn(show.Occlusion{Scene: show.Scene{View: tree.View(), Width: 640}, Eye: eye, Camera: camera}.SVG))
	// Output:
	// true
}

// Two instances of one grid in a camera's view.
func ExampleInstances_SVG() {
	s, err := linear.NewScene(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	part := grid()
	for i := range 2 {
		pose, err := linear.Similarity([3]float64{float64(40 * i), 0, 0}, [4]float64{0, 0, 0, 1}, 1)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := s.AddInstance(part, pose, linear.InstanceOptions{}); err != nil {
			log.Fatal(err)
		}
	}
	planes := [6][4]float32{{1, 0, 0, -5}, {-1, 0, 0, 60}, {0, 1, 0, 0}, {0, -1, 0, 15}, {0, 0, 1, 1}, {0, 0, -1, 1}}
	fmt.Println(drawn(show.Instances{Scene: s, Width: 640, Planes: planes}.SVG))
	// Output:
	// true
}
