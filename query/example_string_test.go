package query_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Every query has a String method, for %v and debuggers.
func ExampleRay_String() {
	box, _ := query.NewBox([3]float32{0, 0, 0}, [3]float32{1, 2, 3})
	point, _ := query.NewPoint([3]float32{1, 2, 3})
	sphere, _ := query.NewSphere([3]float32{1, 2, 3}, 0.7)
	ray, _ := query.NewRay([3]float32{1, 2, 3}, [3]float32{0, 0, -1}, 50)
	endless, _ := query.NewRay([3]float32{1, 2, 3}, [3]float32{0, 0, -1}, query.Unlimited)
	moving, _ := query.NewSweptBox(linear.AABB{Max: [3]float32{1, 1, 1}}, [3]float32{0, 5, 0})
	rolling, _ := query.NewSweptSphere([3]float32{1, 2, 3}, 0.7, [3]float32{0, 5, 0})
	turned, _ := query.NewOrientedBox(linear.OrientedBox{Center: [3]float32{1, 2, 3}, Axes: [3][3]float32{{1, 1, 0}, {-1, 1, 0}, {0, 0, 2}}})
	nearby, _ := query.NewNearby([3]float32{1, 2, 3})
	for _, q := range []any{box, point, sphere, ray, endless, moving, rolling, turned, nearby, query.Ray{}, query.Sphere{}} {
		fmt.Println(q)
	}
	// Output:
	// box [0 0 0] to [1 2 3]
	// point [1 2 3]
	// sphere [1 2 3] radius 0.7
	// ray from [1 2 3] along [0 0 -1] to 50
	// ray from [1 2 3] along [0 0 -1]
	// box [0 0 0] to [1 1 1] moved by [0 5 0]
	// sphere [1 2 3] radius 0.7 moved by [0 5 0]
	// oriented box [1 2 3] with half axes [1 1 0] [-1 1 0] [0 0 2]
	// nearby [1 2 3]
	// ray without hits
	// sphere [0 0 0] radius 0
}

func ExampleFrustum_String() {
	all := [4]float32{0, 0, 0, 1}
	f, _ := query.FrustumPlanes([6][4]float32{{1, 0, 0, -20}, {-1, 0, 0, 40}, all, all, all, all})
	fmt.Println(f)
	c, _ := query.ConvexPlanes([][4]float32{{0, 0, 1, -0.5}})
	fmt.Println(c)
	v, _ := query.ViewportRowMajor([16]float32{0: 1, 5: 1, 10: 1, 15: 1}, query.ClipZeroToOne, 640, 480)
	fmt.Println(v)
	// Output:
	// frustum [0.125 0 0 -2.5] [-0.125 0 0 5] all all all all
	// convex [0 0 0.125 -0.0625]
	// viewport 640 x 480
}

func ExampleFilter_String() {
	fmt.Println(query.Filter{})
	fmt.Println(query.Filter{Mask: 5, Motion: query.StaticOnly, Exact: true, Only: make([]uint64, 2)})
	fmt.Println(query.ClipReversedZ|query.ClipInfiniteFar, query.MovingOnly)
	// Output:
	// all
	// mask 0x5, static, exact, only of 128 IDs
	// 1 to 0, infinite far moving
}
