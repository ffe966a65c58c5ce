package occlude_test

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
)

// A house with a pitched roof does not fill its box. It occludes by its hull, which the culler draws when the
// house is large on the image.
func ExampleCuller_SetShapes() {
	gable, _ := occlude.NewHull( // a wall with a gable in the middle
		[][3]float32{{-10, 0, 0}, {10, 0, 0}, {0, 0, 6}, {-10, 1, 0}, {10, 1, 0}, {0, 1, 6}},
		[][]int32{{0, 1, 2}, {5, 4, 3}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}})
	tree := yard() // object 0 is the wall, 1 is behind it
	bird, _ := tree.Insert(linear.Object{Box: linear.AABB{Min: [3]float32{12, 30, 6}, Max: [3]float32{13, 31, 7}}, Mask: 1})
	handle, _ := tree.Handle(0)
	at, _ := linear.NewTransform([12]float64{1, 0, 0, 0, 0, 1, 0, 20, 0, 0, 1, 0})

	culler := looking()
	fmt.Println("by its box: bird hidden", !slices.Contains(culler.Append(nil, tree.View(), query.Filter{}), bird))

	var shapes linear.Column[occlude.Shape]
	shapes.Set(0, occlude.Shape{Hull: &gable, Transform: at, Object: handle})
	culler.SetShapes(&shapes)
	culler.SetCamera(stander)
	visible := culler.Append(nil, tree.View(), query.Filter{})
	slices.Sort(visible)
	fmt.Println("by its hull:", visible)
	// Output:
	// by its box: bird hidden true
	// by its hull: [0 2 3 4]
}

// The zero Shape does not occlude; Bounds makes an object occlude by its bounds, as without shapes.
func ExampleShape() {
	tree := yard()
	for _, shape := range []occlude.Shape{{}, {Bounds: true}} {
		var shapes linear.Column[occlude.Shape]
		shapes.Set(0, shape)
		culler := looking()
		culler.SetShapes(&shapes)
		fmt.Println(culler.Count(tree.View(), query.Filter{}))
	}
	// Output:
	// 4
	// 3
}

// A part occludes as a whole, in each of its instances. The parts of the street are a wall with two lamps; here
// no object of it is an occluder, but the part has a shape.
func ExampleCuller_SetPartShapes() {
	s, culler := street(), looking()
	wall, _ := occlude.NewPrism([][2]float32{{-10, 0}, {10, 0}, {10, 1}, {-10, 1}}, 0, 6)
	var shapes linear.Column[occlude.Shape]
	for part, v := range s.View().Parts() {
		if part > 0 && v.Total() == 3 {
			shapes.Set(part, occlude.Shape{Hull: &wall})
		}
	}
	culler.SetPartShapes(&shapes)
	var visible scene.Answer
	culler.AppendScene(&visible, s.View(), query.Filter{Mask: 1})
	for i := range visible.Runs {
		at, ids := visible.Run(i)
		fmt.Println(visible.Path(at), ids)
	}
	// Output: /0 [1]
}

// A mast leans away from the wall that hides it. The corners of its box are visible above the wall; with Exact the
// culler tests the oriented box.
func ExampleCuller_Append_exact() {
	mast := linear.OrientedBox{Center: [3]float32{0, 31, 4.5}, Axes: [3][3]float32{{0, 9.2, 4.4}, {0.1, 0, 0}, {0, -0.044, 0.092}}}
	tree, culler := yard(), looking()
	id, _ := tree.Insert(linear.Object{Box: mast.Box(), Mask: 1})
	fmt.Println(tree.SetOriented(id, mast))
	for _, exact := range []bool{false, true} {
		culler.SetCamera(stander)
		visible := culler.Append(nil, tree.View(), query.Filter{Exact: exact})
		fmt.Println(slices.Contains(visible, id))
	}
	// Output:
	// <nil>
	// true
	// false
}
