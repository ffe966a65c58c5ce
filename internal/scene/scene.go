// Package scene makes the objects, cameras and queries that tests and
// benchmarks use. It imports nothing of package testing.
//
// Everything is a function of its arguments and the seed, to the bit, on every
// platform: the generator is PCG; products are rounded before they are added, or
// are exact, so that it does not matter which of them a compiler fuses; and of
// package math only operations that IEEE 754 defines exactly, such as the square
// root, are used.
//
// All scenes put z upwards. Object i has the type mask 1<<(i%5); city objects
// are static but for every seventh (i%7 == 0), in the other scenes every third
// is static (i%3 == 0).
package scene

import "github.com/zoctree/zoctree/soa"

// Scene is a way to make n objects. The object at index i becomes ID i of a
// new tree.
type Scene struct {
	Name string
	// Make returns n objects. It panics if n < 0.
	Make func(n int, seed uint64) []soa.Object
}

// All returns every scene. Uniform, city and surface are those that
// benchmarks report.
func All() []Scene {
	return []Scene{
		{"uniform", uniform},
		{"city", city},
		{"surface", surface},
		{"clustered", clustered},
		{"identical", identical},
		{"plane", plane},
		{"huge", huge},
		{"sorted", sorted},
		{"points", points},
		{"degenerate", degenerate},
		{"far", far},
	}
}

// ByName returns the scene of that name.
func ByName(name string) (s Scene, ok bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Scene{}, false
}

// Bounds returns the union of all boxes, [soa.Empty] when there are none.
func Bounds(objects []soa.Object) soa.AABB {
	b := soa.Empty()
	for i := range objects {
		b = b.Union(objects[i].Box)
	}
	return b
}

// label gives every object its mask, and the static flag where isStatic says so.
func label(objects []soa.Object, isStatic func(i int) bool) []soa.Object {
	for i := range objects {
		objects[i].Mask = 1 << (i % 5)
		objects[i].Static = isStatic(i)
	}
	return objects
}

func everyThird(i int) bool         { return i%3 == 0 }
func allButEverySeventh(i int) bool { return i%7 != 0 }

// around returns the box of those half edges about a centre.
func around(c, half [3]float64) (b soa.AABB) {
	for a := range 3 {
		b.Min[a] = float32(c[a] - half[a])
		b.Max[a] = float32(c[a] + half[a])
	}
	return b
}
