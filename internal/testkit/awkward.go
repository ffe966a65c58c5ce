package testkit

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// AwkwardScenes are scenes in which a walk from the nearest on prunes nothing. IDs rise with the index.
var AwkwardScenes = map[string]func(i, n int) soa.AABB{
	"equal": func(i, n int) soa.AABB { return CubeAt([3]float32{3, 4, 5}, 1) },
	"nested": func(i, n int) soa.AABB {
		return CubeAt([3]float32{}, 0.01*float32(i+1))
	},
	"falling": func(i, n int) soa.AABB { // IDs fall along the curve
		return CubeAt([3]float32{float32(n-i) * 0x1p-16}, 2)
	},
	"line": func(i, n int) soa.AABB {
		p := [3]float32{float32(i), float32(i%3) * 0.001, float32(i%7) * 0.001}
		return soa.AABB{Min: p, Max: p}
	},
	"shell": func(i, n int) soa.AABB {
		z := 1 - 2*(float64(i)+0.5)/float64(n)
		s, c := math.Sincos(2.399963229728653 * float64(i))
		r := math.Sqrt(1 - z*z)
		return CubeAt([3]float32{float32(1000 * r * c), float32(1000 * r * s), float32(1000 * z)}, 0)
	},
	"giant": func(i, n int) soa.AABB { // a cloud inside the last object
		if i == n-1 {
			return CubeAt([3]float32{}, 100)
		}
		return CubeAt([3]float32{float32(i % 10), float32(i / 10 % 10), float32(i / 100)}, 0.1)
	},
}

// AwkwardObjects returns objects of one of the [AwkwardScenes].
func AwkwardObjects(name string, n int) []soa.Object {
	objects := make([]soa.Object, n)
	for i := range objects {
		objects[i] = soa.Object{Box: AwkwardScenes[name](i, n), Mask: 1 << (i % 5), Static: i%3 == 0}
	}
	return objects
}

// AwkwardPoints returns points in the middle, at an object, and outside all of them.
func AwkwardPoints(objects []soa.Object) [][3]float32 {
	all := soa.Empty()
	for i := range objects {
		all = all.Union(objects[i].Box)
	}
	out := all.Min
	out[0] -= 3
	return [][3]float32{all.Center(), objects[len(objects)/3].Box.Center(), out}
}
