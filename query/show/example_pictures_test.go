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

// made returns the result of a constructor.
func made[T any](x T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return x
}

// Queries of several kinds as pictures of their visits.
func ExampleScene_SVG() {
	view := grid().View()
	box := made(query.NewBox([3]float32{3, 3, 0}, [3]float32{12, 8, 0}))
	ray := made(query.NewRay([3]float32{0, 4, 0}, [3]float32{1, 0, 0}, 20))
	disc := made(query.NewSweptSphere([3]float32{5, 5, 0}, 1, [3]float32{0, 10, 0}))
	eye := [3]float64{5, 5, 0}
	camera := made(query.Camera{Eye: eye, Forward: [3]float64{1}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 0.1, Far: 9}.Frustum())

	overlaps := made(show.TraceQuery(box, view, query.Filter{}))
	overlaps.Against([]int{93, 94, 95}) // results of another program: the picture marks the differences
	visible := made(show.TraceQuery(camera, view, query.Filter{}))
	visible.Origin = &eye // a dot at the position of the camera
	for _, trace := range []*show.Trace{
		overlaps,
		visible,
		made(show.TraceQuery(ray, view, query.Filter{})),
		made(show.TraceQuery(disc, view, query.Filter{})),
		made(show.TraceNearest(view, [3]float32{10, 10, 0}, 8, query.Filter{})),
	} {
		fmt.Println(trace.Name, len(trace.Hits), drawn(show.Scene{Kind: show.Walk, View: view, Trace: trace, Width: 640}.SVG))
	}
	// Output:
	// box 60 true
	// camera 49 true
	// ray 21 true
	// swept sphere 35 true
	// nearest 8 8 true
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
	culler := made(occlude.New(occlude.Config{Width: 256, OccluderMask: wall}))
	fmt.Println(drawn(show.Occlusion{Scene: show.Scene{View: tree.View(), Width: 640}, Culler: culler, Camera: camera}.SVG))
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
		transform, err := linear.Similarity([3]float64{float64(40 * i), 0, 0}, [4]float64{0, 0, 0, 1}, 1)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := s.AddInstance(part, transform, linear.InstanceOptions{}); err != nil {
			log.Fatal(err)
		}
	}
	frustum := made(query.FrustumPlanes([6][4]float32{{1, 0, 0, -5}, {-1, 0, 0, 60}, {0, 1, 0, 0}, {0, -1, 0, 15}, {0, 0, 1, 1}, {0, 0, -1, 1}}))
	fmt.Println(drawn(show.Instances{Scene: s, Width: 640, Frustum: frustum}.SVG))
	// Output:
	// true
}
