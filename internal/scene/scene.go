// Package scene generates the objects, cameras and queries of tests and benchmarks. It does not
// import package testing.
//
// All results are functions of the arguments and the seed, bit-identical on every platform. The
// generator is PCG. Products are rounded before they are added, or are exact, so that fused
// multiply-add has no effect. Of package math only operations that IEEE 754 defines exactly, such
// as the square root, are used.
//
// In all scenes z points up. Object i has the type mask 1<<(i%5). City objects are static except
// every seventh (i%7 == 0); in the other scenes every third is static (i%3 == 0).
package scene

import "github.com/zoctree/zoctree/soa"

// Scene is a named generator of n objects. The object at index i becomes ID i of a new tree.
type Scene struct {
	Name string
	// Make returns n objects. It panics if n < 0.
	Make func(n int, seed uint64) []soa.Object
}

// All returns every scene. Benchmarks report uniform, city and surface.
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

// ByName returns the scene with the given name.
func ByName(name string) (s Scene, ok bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Scene{}, false
}

// Bounds returns the union of all boxes, or [soa.Empty] without objects.
func Bounds(objects []soa.Object) soa.AABB {
	b := soa.Empty()
	for i := range objects {
		b = b.Union(objects[i].Box)
	}
	return b
}

// label sets the mask and the static flag of every object.
func label(objects []soa.Object, isStatic func(i int) bool) []soa.Object {
	for i := range objects {
		objects[i].Mask = 1 << (i % 5)
		objects[i].Static = isStatic(i)
	}
	return objects
}

func everyThird(i int) bool         { return i%3 == 0 }
func allButEverySeventh(i int) bool { return i%7 != 0 }

// around returns the box with the given centre and half edges.
func around(c, half [3]float64) (b soa.AABB) {
	for a := range 3 {
		b.Min[a] = float32(c[a] - half[a])
		b.Max[a] = float32(c[a] + half[a])
	}
	return b
}
