package query_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// avenue returns a tree of ten unit boxes along the x axis, ten units apart. Every other box is a tree (mask 2), the
// rest are houses (mask 1), and the last one moves.
func avenue() *linear.Tree {
	var objects []linear.Object
	for i := range 10 {
		x := float32(10 * i)
		objects = append(objects, linear.Object{
			Box:    linear.AABB{Min: [3]float32{x, -0.5, -0.5}, Max: [3]float32{x + 1, 0.5, 0.5}},
			Mask:   1 << (i % 2),
			Static: i < 9,
		})
	}
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, objects)
	return t
}

// along is a camera that faces along the avenue, as far as x = 55.
func along() query.Frustum {
	f, _ := query.Camera{
		Eye: [3]float64{-5, 0, 0}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1},
		FovY: math.Pi / 3, Aspect: 16.0 / 9, Near: 0.1, Far: 60,
	}.Frustum()
	return f
}

func ExampleCamera_Frustum() {
	c := query.Camera{
		Eye: [3]float64{-5, 0, 0}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1},
		FovY: 1, Aspect: 1.5, Near: 0.1, Far: query.Unlimited,
	}
	f, err := c.Frustum()
	fmt.Println(f.Count(avenue().View(), query.Filter{}), err)

	c.Near = 100
	c.Far = 1
	_, err = c.Frustum()
	fmt.Println(err)
	// Output:
	// 10 <nil>
	// query: camera with far 1, want at least near, 100
}

// A plane holds the points with nx*x + ny*y + nz*z + d >= 0: here 20 <= x <= 40.
func ExampleFrustumPlanes() {
	all := [4]float32{0, 0, 0, 1} // a plane that holds every point
	f, err := query.FrustumPlanes([6][4]float32{{1, 0, 0, -20}, {-1, 0, 0, 40}, all, all, all, all})
	ids := f.Append(nil, avenue().View(), query.Filter{})
	fmt.Println(ids, err) // touching counts as inside
	// Output: [2 3 4] <nil>
}

// A minimum size culls objects that are smaller than a 25th of their depth from the eye.
func ExampleFrustum_MinSize() {
	f, err := along().MinSize(1. / 25)
	fmt.Println(f.Append(nil, avenue().View(), query.Filter{}), err)

	planes, _ := query.FrustumPlanes(f.Planes()) // which do not define the eye
	_, err = planes.MinSize(1. / 25)
	fmt.Println(err)
	// Output:
	// [0 1 2] <nil>
	// query: a minimum size of 0.04, but the frustum has no depth: it was made of planes, or of a parallel projection
}

// An orthographic projection of the cube from -16 to 16 whose depth runs from 0 to 1.
func ExampleFrustumColumnMajor() {
	m := [16]float32{
		1. / 16, 0, 0, 0,
		0, 1. / 16, 0, 0,
		0, 0, 1. / 32, 0,
		0, 0, 0.5, 1,
	}
	f, err := query.FrustumColumnMajor(m, query.ClipZeroToOne)
	fmt.Println(f.Append(nil, avenue().View(), query.Filter{}), err)
	// Output: [0 1] <nil>
}

// The same matrix, in row-major order.
func ExampleFrustumRowMajor() {
	m := [16]float32{
		1. / 16, 0, 0, 0,
		0, 1. / 16, 0, 0,
		0, 0, 1. / 32, 0.5,
		0, 0, 0, 1,
	}
	f, err := query.FrustumRowMajor(m, query.ClipZeroToOne)
	fmt.Println(f.Append(nil, avenue().View(), query.Filter{}), err)
	// Output: [0 1] <nil>
}

// The caller's slice is reused from frame to frame; filters select by mask and by motion.
func ExampleFrustum_Append() {
	v, camera := avenue().View(), along()
	var visible []uint32
	for _, f := range []query.Filter{{}, {Mask: 2}, {Mask: 1 | 2, Motion: query.MovingOnly}} {
		visible = camera.Append(visible[:0], v, f)
		slices.Sort(visible)
		fmt.Println(visible)
	}
	// Output:
	// [0 1 2 3 4 5]
	// [1 3 5]
	// []
}

func ExampleFrustum_Count() {
	fmt.Println(along().Count(avenue().View(), query.Filter{Mask: 1}))
	// Output: 3
}

func ExampleFrustum_Any() {
	v := avenue().View()
	fmt.Println(along().Any(v, query.Filter{Motion: query.StaticOnly}), along().Any(v, query.Filter{Mask: 4}))
	// Output: true false
}

func ExampleFrustum_All() {
	sum := 0
	for id := range along().All(avenue().View(), query.Filter{}) {
		if id > 3 {
			break
		}
		sum += int(id)
	}
	fmt.Println(sum)
	// Output: 6
}

// Ranges yield slots without reading an ID: the results as they lie in memory.
func ExampleFrustum_Ranges() {
	v := avenue().View()
	along().Ranges(v, query.Filter{}, func(r query.Range) bool {
		for slot := r.First; slot < r.First+r.Count; slot++ {
			for lane, id := range v.IDs(slot) {
				if r.Mask == 0 || r.Mask>>lane&1 != 0 {
					fmt.Print(id, " at x = ", v.Box(slot, lane).Min[0], "\n")
				}
			}
		}
		return true
	})
	// Output:
	// 0 at x = 0
	// 1 at x = 10
	// 2 at x = 20
	// 3 at x = 30
	// 4 at x = 40
	// 5 at x = 50
}

// A camera of float32 numbers.
func ExampleCamera32() {
	f, err := query.Camera32{
		Eye: [3]float32{-5, 0, 0}, Forward: [3]float32{1, 0, 0}, Up: [3]float32{0, 0, 1},
		FovY: 1, Aspect: 1.5, Near: 0.1, Far: query.Unlimited,
	}.Frustum()
	fmt.Println(f.Count(avenue().View(), query.Filter{}), err)
	// Output: 10 <nil>
}

// The same camera, in a world whose origin is far away from the zero point of the tree.
func ExampleCamera_About() {
	origin := [3]float64{6_378_137, 0, 1e7}
	c := query.Camera{
		Eye: [3]float64{6_378_132, 0, 1e7}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1},
		FovY: 1, Aspect: 1.5, Near: 0.1, Far: query.Unlimited,
	}
	f, err := c.About(origin).Frustum()
	fmt.Println(f.Count(avenue().View(), query.Filter{}), err)
	// Output: 10 <nil>
}

// A zero matrix is rejected, and not taken for a frustum that holds every object.
func ExampleFrustumColumnMajor_refused() {
	var viewProjection [16]float32
	_, err := query.FrustumColumnMajor(viewProjection, query.ClipZeroToOne)
	fmt.Println(err)
	// Output: query: row 0 (x) of the matrix, [0 0 0 0], has no normal: its first three numbers are zero
}
