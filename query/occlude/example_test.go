package occlude_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
)

const wallBit = 1 << 3 // of the type masks of the examples

// yard returns a tree of a wall and three objects: 1 is behind the wall, 2 beside it, 3 in front of it.
func yard() *linear.Tree {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, []linear.Object{
		{Box: linear.AABB{Min: [3]float32{-10, 20, 0}, Max: [3]float32{10, 21, 6}}, Mask: wallBit},
		{Box: linear.AABB{Min: [3]float32{-1, 30, 0}, Max: [3]float32{1, 32, 2}}, Mask: 1},
		{Box: linear.AABB{Min: [3]float32{15, 30, 0}, Max: [3]float32{17, 32, 2}}, Mask: 1},
		{Box: linear.AABB{Min: [3]float32{-3, 10, 0}, Max: [3]float32{-2, 11, 2}}, Mask: 2},
	})
	return t
}

// stander is the camera of a person at the origin, facing along y.
var stander = query.Camera{
	Eye: [3]float64{0, 0, 1.7}, Forward: [3]float64{0, 1, 0}, Up: [3]float64{0, 0, 1},
	FovY: math.Pi / 3, Aspect: 16. / 9, Near: 0.1, Far: 100,
}

// looking returns a culler with the stander's camera, for which walls are occluders.
func looking() *occlude.Culler {
	culler, _ := occlude.New(occlude.Config{OccluderMask: wallBit})
	culler.SetCamera(stander)
	return culler
}

func ExampleNew() {
	_, err := occlude.New(occlude.Config{Width: 320, Height: 180, OccluderMask: wallBit, Workers: 2})
	fmt.Println(err)
	_, err = occlude.New(occlude.Config{Width: 5000})
	fmt.Println(err)
	// Output:
	// <nil>
	// occlude: a depth buffer of 5000 x 0 pixels, 0 occluders of 0 pixels, 0 workers: want none negative, and at most 4096 pixels a side
}

// Occlusion culling in each frame: set the camera, then query. The wall is an object of the tree and an
// occluder.
func ExampleCuller() {
	tree := yard()
	culler, _ := occlude.New(occlude.Config{OccluderMask: wallBit})
	var visible []uint32
	for frame := range 3 {
		camera := stander
		camera.Eye[0] = float64(10 * frame) // a step to the right
		if err := culler.SetCamera(camera); err != nil {
			fmt.Println(err)
		}
		visible = culler.Append(visible[:0], tree.View(), query.Filter{})
		slices.Sort(visible)
		fmt.Println(visible)
	}
	// Output:
	// [0 2 3]
	// [0 2]
	// [0 2]
}

func ExampleConfig() {
	// Pixels need not be square: here the rows are finer than the columns.
	culler, _ := occlude.New(occlude.Config{Width: 128, Height: 144, OccluderMask: wallBit})
	culler.SetCamera(stander)
	_, width, height, _ := culler.DepthBuffer()
	fmt.Println(width, height)
	// Output: 128 144
}

// MinSize rejects small objects: here a size of less than a tenth of their depth.
func ExampleConfig_leastSize() {
	culler, _ := occlude.New(occlude.Config{OccluderMask: wallBit, MinSize: 0.1})
	culler.SetCamera(stander)
	visible := culler.Append(nil, yard().View(), query.Filter{})
	slices.Sort(visible)
	fmt.Println(visible)
	// Output: [0 3]
}

func ExampleCuller_SetCamera() {
	culler, _ := occlude.New(occlude.Config{})
	camera := stander
	fmt.Println(culler.SetCamera(camera))
	camera.Near, camera.FovY = 200, 1
	fmt.Println(culler.SetCamera(camera)) // the previous camera stays set
	// Output:
	// <nil>
	// query: camera with far 100, want at least near, 200
}

// A plan of the yard: an orthographic view from above. A flat roof over the yard hides all objects.
func ExampleCuller_SetViewProjectionColumnMajor() {
	culler, _ := occlude.New(occlude.Config{Width: 64, Height: 64})
	err := culler.SetViewProjectionColumnMajor([16]float32{
		1. / 40, 0, 0, 0,
		0, 1. / 40, 0, 0,
		0, 0, -1. / 100, 0,
		0, 0, 0.5, 1,
	}, query.ClipZeroToOne)
	fmt.Println(culler.Count(yard().View(), query.Filter{}), err)
	culler.DrawBoxes(linear.AABB{Min: [3]float32{-40, -40, 9}, Max: [3]float32{40, 40, 10}})
	fmt.Println(culler.Count(yard().View(), query.Filter{}))
	// Output:
	// 4 <nil>
	// 0
}

// The same matrix in row-major order.
func ExampleCuller_SetViewProjectionRowMajor() {
	culler, _ := occlude.New(occlude.Config{})
	err := culler.SetViewProjectionRowMajor([16]float32{
		1. / 40, 0, 0, 0,
		0, 1. / 40, 0, 0,
		0, 0, -1. / 100, 0.5,
		0, 0, 0, 1,
	}, query.ClipZeroToOne)
	fmt.Println(culler.Count(yard().View(), query.Filter{}), err)
	// Output: 4 <nil>
}

// Large world coordinates: the yard is at 4,000,000, where float32 has a resolution of a quarter of a unit.
func ExampleCuller_SetViewProjectionColumnMajor64() {
	const at = 4_000_000
	culler, _ := occlude.New(occlude.Config{})
	err := culler.SetViewProjectionColumnMajor64([16]float64{
		1. / 40, 0, 0, 0,
		0, 1. / 40, 0, 0,
		0, 0, -1. / 100, 0,
		-at / 40., 0, 0.5, 1,
	}, query.ClipZeroToOne, [3]float64{at, 0, 0})
	fmt.Println(culler.Count(yard().View(), query.Filter{}), err)
	// Output: 4 <nil>
}

// The same matrix in row-major order.
func ExampleCuller_SetViewProjectionRowMajor64() {
	const at = 4_000_000
	culler, _ := occlude.New(occlude.Config{})
	err := culler.SetViewProjectionRowMajor64([16]float64{
		1. / 40, 0, 0, -at / 40.,
		0, 1. / 40, 0, 0,
		0, 0, -1. / 100, 0.5,
		0, 0, 0, 1,
	}, query.ClipZeroToOne, [3]float64{at, 0, 0})
	fmt.Println(culler.Count(yard().View(), query.Filter{}), err)
	// Output: 4 <nil>
}

// A second wall, which is not an object of the tree, is drawn as an occluder and hides object 2.
func ExampleCuller_DrawBoxes() {
	culler := looking()
	err := culler.DrawBoxes(linear.AABB{Min: [3]float32{5, 15, 0}, Max: [3]float32{30, 16, 8}})
	visible := culler.Append(nil, yard().View(), query.Filter{})
	slices.Sort(visible)
	fmt.Println(visible, err)
	// Output: [0 3] <nil>
}

// A four-cornered house is drawn as a hull under two transforms, one of which rotates it.
func ExampleCuller_DrawHulls() {
	house, _ := occlude.NewPrism([][2]float32{{-3, -4}, {3, -4}, {3, 4}, {-3, 4}}, 0, 9)
	here, _ := linear.NewTransform([12]float64{1, 0, 0, 12, 0, 1, 0, 20, 0, 0, 1, 0})
	there, _ := linear.Similarity([3]float64{-30, 40, 0}, [4]float64{0, 0, 1, 2}, 1)
	culler := looking()
	culler.DrawHulls([]occlude.Hull{house, house}, []linear.Transform{here, there})
	fmt.Println(culler.Count(yard().View(), query.Filter{Mask: 1}))
	// Output: 0
}

// The wall hides objects even if the filter excludes the wall.
func ExampleCuller_Append() {
	culler := looking()
	fmt.Println(culler.Append(nil, yard().View(), query.Filter{Mask: 1}))
	// Output: [2]
}

func ExampleCuller_Count() {
	fmt.Println(looking().Count(yard().View(), query.Filter{}))
	// Output: 3
}

func ExampleCuller_Any() {
	v := yard().View()
	fmt.Println(looking().Any(v, query.Filter{Mask: 2}), looking().Any(v, query.Filter{Mask: 4}))
	// Output: true false
}

func ExampleCuller_All() {
	culler := looking()
	sum := 0
	for id := range culler.All(yard().View(), query.Filter{}) {
		sum += int(id)
	}
	fmt.Println(sum)
	// Output: 5
}

func ExampleCuller_Ranges() {
	v := yard().View()
	looking().Ranges(v, query.Filter{Mask: 1 | 2}, func(r query.Range) bool {
		for lane, id := range v.IDs(r.First) {
			if r.Mask>>lane&1 != 0 {
				fmt.Println(id, "at y =", v.Box(r.First, lane).Min[1])
			}
		}
		return true
	})
	// Unordered output:
	// 3 at y = 10
	// 2 at y = 30
}

// A light need not be computed if its bounds are occluded.
func ExampleCuller_Occluded() {
	culler := looking()
	culler.Count(yard().View(), query.Filter{}) // draws the wall
	light := linear.AABB{Min: [3]float32{-2, 40, 0}, Max: [3]float32{2, 44, 3}}
	fmt.Println(culler.Occluded(light))
	light.Max[2] = 30 // reaches above the wall
	fmt.Println(culler.Occluded(light))
	// Output:
	// true
	// false
}

// The wall is in the middle of the picture, 20 units away.
func ExampleCuller_DepthBuffer() {
	culler := looking()
	culler.Count(yard().View(), query.Filter{})
	pix, width, height, stride := culler.DepthBuffer()
	fmt.Printf("%d x %d: %.2f, and open at the top: %v\n", width, height, 1/pix[height/2*stride+width/2], pix[width/2] == 0)
	// Output: 320 x 180: 20.00, and open at the top: true
}

// The depth buffer as an image, for png.Encode.
func ExampleCuller_DepthImage() {
	culler := looking()
	culler.Count(yard().View(), query.Filter{})
	img := culler.DepthImage()
	fmt.Println(img.Bounds(), img.Gray16At(160, 90).Y > 0, img.Gray16At(160, 0).Y)
	// Output: (0,0)-(320,180) true 0
}

// After a camera cut the memory of former occluders is useless but harmless.
func ExampleCuller_Reset() {
	culler, tree := looking(), yard()
	culler.Count(tree.View(), query.Filter{})
	culler.Reset()
	culler.SetCamera(stander)
	fmt.Println(culler.Explain(tree.View(), query.Filter{}, nil).Remembered)
	// Output: 0
}

// The visible objects are a subset of the objects in the frustum.
func ExampleCuller_Frustum() {
	culler, v := looking(), yard().View()
	fmt.Println(culler.Frustum().Count(v, query.Filter{}), culler.Count(v, query.Filter{}))
	// Output: 4 3
}

func ExampleCuller_Explain() {
	culler := looking()
	c := culler.Explain(yard().View(), query.Filter{}, nil)
	fmt.Println("occluders drawn:", c.Occluders, "occluded:", c.HiddenObjects)
	// Output: occluders drawn: 1 occluded: 1
}

// Counters summed over several frames.
func ExampleCounters() {
	culler, tree := looking(), yard()
	remembered := 0
	for range 3 {
		culler.SetCamera(stander)
		c := culler.Explain(tree.View(), query.Filter{}, nil)
		remembered += c.Remembered
		culler.Count(tree.View(), query.Filter{}) // Explain remembers nothing
	}
	fmt.Println(remembered)
	// Output: 2
}

func ExampleHull() {
	var nothing occlude.Hull // draws nothing
	culler := looking()
	culler.DrawHulls([]occlude.Hull{nothing}, nil)
	fmt.Println(culler.Explain(yard().View(), query.Filter{}, nil).Drawn)
	// Output: 0
}

// A tent: two slopes, two gables, a floor.
func ExampleNewHull() {
	tent, err := occlude.NewHull(
		[][3]float32{{-9, 12, 0}, {9, 12, 0}, {-9, 18, 0}, {9, 18, 0}, {-9, 15, 7}, {9, 15, 7}},
		[][]int32{{0, 2, 3, 1}, {0, 1, 5, 4}, {2, 4, 5, 3}, {0, 4, 2}, {1, 3, 5}},
	)
	culler := looking()
	culler.DrawHulls([]occlude.Hull{tent}, nil)
	fmt.Println(culler.Explain(yard().View(), query.Filter{}, nil).Drawn, err)
	// Output: 1 <nil>
}

func ExampleNewPrism() {
	_, err := occlude.NewPrism([][2]float32{{0, 0}, {4, 0}, {1, 1}, {0, 4}}, 0, 3) // not convex
	fmt.Println(err)
	// Output: occlude: corner 3 of a hull, [0 4 0], is outside face 3 by 2.5298221281347035
}

func ExampleNewPolygon() {
	poster, err := occlude.NewPolygon([3]float32{10, 25, 0}, [3]float32{20, 25, 0}, [3]float32{20, 25, 5}, [3]float32{10, 25, 5})
	culler := looking()
	culler.DrawHulls([]occlude.Hull{poster}, nil)
	fmt.Println(culler.Append(nil, yard().View(), query.Filter{Mask: 1}), err)
	// Output: [] <nil>
}

// Figure 4 of C. Shagam and J. Pfeiffer, Dynamic Irregular Octrees (2003): 1,331 spheres move behind a
// partition. The frustum holds most of them, and half are visible.
func Example_partition() {
	tree, _ := linear.New(linear.Config{})
	ids, _ := tree.InsertBatch(nil, append(spheres(0), partition))
	culler, _ := occlude.New(occlude.Config{Width: 512, Height: 288, OccluderMask: wallBit})
	var visible []uint32
	for frame := range 4 {
		boxes := make([]linear.AABB, len(ids))
		for i, o := range append(spheres(frame), partition) {
			boxes[i] = o.Box
		}
		tree.MoveBatch(ids, boxes)
		tree.Tick()
		culler.SetCamera(audience)
		inFrustum := culler.Frustum().Count(tree.View(), query.Filter{Mask: 1})
		visible = culler.Append(visible[:0], tree.View(), query.Filter{Mask: 1})
		fmt.Println(inFrustum, len(visible))
	}
	// Output:
	// 1115 508
	// 1113 507
	// 1114 507
	// 1114 508
}

// partition is a wall in front of the lower part of the spheres.
var partition = linear.Object{Box: linear.AABB{Min: [3]float32{-40, -2, -40}, Max: [3]float32{40, 0, 3.75}}, Mask: wallBit, Static: true}

// audience is a camera in front of the spheres.
var audience = query.Camera{
	Eye: [3]float64{0, -30, 4}, Forward: [3]float64{0, 1, -0.05}, Up: [3]float64{0, 0, 1},
	FovY: math.Pi / 5, Aspect: 16. / 9, Near: 0.1, Far: 200,
}

// spheres returns the boxes of 11 x 11 x 11 balls, each of which oscillates along its own path.
func spheres(frame int) (objects []linear.Object) {
	swing := func(i, k int) float32 { // between -1 and 1
		t := (frame*(1+i*k%5) + 7*i + 13*k) % 60
		return float32(max(t, 60-t)-45) / 15
	}
	for i := range 1331 {
		var o linear.Object
		for a, k := range [3]int{i % 11, i / 11 % 11, i / 121} {
			c := float32(5*k) - 25 + swing(i, a+1)
			if a == 1 {
				c += 40
			}
			o.Box.Min[a], o.Box.Max[a] = c-0.7, c+0.7
		}
		o.Mask = 1
		objects = append(objects, o)
	}
	return objects
}

// A mesh of four triangles is drawn as an occluder, first in place and then under a transform.
func ExampleCuller_DrawMesh() {
	ridge, err := occlude.NewMesh(
		[][3]float32{{-30, 15, -9}, {30, 15, -9}, {-30, 20, 7}, {30, 20, 7}, {-30, 25, -9}, {30, 25, -9}},
		[][3]int32{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}},
	)
	if err != nil {
		fmt.Println(err)
	}
	culler, _ := occlude.New(occlude.Config{}) // the wall of the yard is not an occluder
	culler.SetCamera(stander)
	culler.DrawMesh(ridge, linear.Transform{})
	fmt.Println(culler.Append(nil, yard().View(), query.Filter{Mask: 1 | 2}))

	away, _ := linear.Similarity([3]float64{36, 0, 0}, [4]float64{0, 0, 0, 1}, 1)
	culler.SetCamera(stander)
	culler.DrawMesh(ridge, away) // only the right half of the view
	fmt.Println(culler.Append(nil, yard().View(), query.Filter{Mask: 1 | 2}))
	// Output:
	// [3]
	// [3 1]
}

// The triangles share corners by position; one triangle is degenerate.
func ExampleNewMesh() {
	corners := [][3]float32{{0, 0, 0}, {4, 0, 0}, {0, 4, 1}, {4, 0, 0}, {0, 4, 1}, {4, 4, 0}}
	mesh, err := occlude.NewMesh(corners, [][3]int32{{0, 1, 2}, {3, 4, 5}, {1, 3, 5}})
	fmt.Printf("%+v %v\n", mesh.Counts(), err)
	_, err = occlude.NewMesh(corners, [][3]int32{{0, 1, 6}})
	fmt.Println(err)
	// Output:
	// {Corners:4 Triangles:2 Degenerate:1 BoundaryEdges:4 NonManifoldEdges:0} <nil>
	// occlude: triangle 0 of a mesh of 6 corners, [0 1 6], names a corner that does not exist
}

func ExampleMesh_Counts() {
	corners := [][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	pyramid, _ := occlude.NewMesh(corners, [][3]int32{{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}})
	c := pyramid.Counts()
	fmt.Println("closed:", c.BoundaryEdges == 0 && c.NonManifoldEdges == 0)
	// Output: closed: true
}

// A configuration can be validated without a culler.
func ExampleConfig_Check() {
	camera := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1.6, Near: 0.1, Far: 100}
	fmt.Println(occlude.Config{}.Check(camera))
	fmt.Println(occlude.Config{MinSize: -1}.Check(camera))
	// Output:
	// <nil>
	// occlude: a minimum size of -1, want a finite one of 0 or more
}
