package scene

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// Frustum is a named frustum of six planes.
type Frustum struct {
	Name   string
	Planes [6][4]float32
}

// EdgeFrusta returns edge cases of frusta, fitted to the objects: exact contact, no volume,
// everything inside, coefficients at the ends of float32, no normal. Every coefficient is finite.
func EdgeFrusta(objects []soa.Object) []Frustum {
	world, one := soa.AABB{Max: [3]float32{1, 1, 1}}, soa.AABB{Max: [3]float32{1, 1, 1}}
	if len(objects) > 0 {
		world, one = Bounds(objects), objects[len(objects)/2].Box
	}
	middle, spot := centre(&world), centre(&one)
	half := func(b soa.AABB, f float64) (h [3]float64) {
		for a := range 3 {
			h[a] = (float64(b.Max[a])/2 - float64(b.Min[a])/2) * f
		}
		return h
	}
	part := boxPlanes(around(middle, half(world, 0.5)))
	diagonal := unit([3]float64{1, 2, 3})
	through := planeOf(diagonal, -dot(diagonal, middle))
	radius := math.Sqrt(dot(half(world, 1), half(world, 1))) + 1
	lens := func(near, far float64) [6][4]float32 {
		c := NewCamera(along(middle, diagonal, -radius), diagonal, near, far)
		return c.Planes()
	}
	away := boxPlanes(world)
	away[0], away[1] = [4]float32{1, 0, 0, -world.Max[0]}, [4]float32{-1, 0, 0, world.Min[0]}
	away[0][3], away[1][3] = down(away[0][3]), down(away[1][3])

	frusta := []Frustum{
		{"box: middle of the world", part},
		{"box: exactly the world", boxPlanes(world)},
		{"box: the world with room", boxPlanes(around(middle, half(world, 4)))},
		{"box: exactly an object", boxPlanes(one)},
		{"box: inside an object", boxPlanes(around(spot, half(one, 0.25)))},
		{"box: a point of an object", boxPlanes(around(spot, [3]float64{}))},
		{"box: a corner of the world", boxPlanes(soa.AABB{Min: world.Max, Max: world.Max})},
		{"box: negative zeros", negativeZeros(part)},
		{"camera: near equals far", lens(radius, radius)},
		{"camera: near beyond far", lens(radius*1.5, radius)},
		{"camera: near and far zero", lens(0, 0)},
		{"camera: far infinite", lens(0.1, math.Inf(1))},
		{"half space through the middle", [6][4]float32{through, through, through, through, through, through}},
		{"facing away: a thin gap", away},
		{"facing away: the world between", turned(boxPlanes(world))},
		{"denormal coefficients", scaled(part, math.Ldexp(1, -140))},
		{"smallest coefficients", scaled(part, math.Ldexp(1, -149))},
		{"very large coefficients", scaled(part, math.Ldexp(1, 120))},
		{"largest coefficients", scaled(part, math.MaxFloat32)},
		{"large normal, small distance", filled(2e38, 2e38, -2e38, 1e-45)},
		{"small normal, large distance", filled(1e-45, -1e-45, 1e-45, math.MaxFloat32)},
		{"small normal, large negative distance", filled(1e-45, -1e-45, 1e-45, -math.MaxFloat32)},
		{"no normal, distance zero", filled(0, 0, 0, 0)},
		{"no normal, negative zeros", filled(negativeZero, negativeZero, negativeZero, negativeZero)},
		{"no normal, positive distance", filled(0, 0, 0, 1)},
		{"no normal, negative distance", filled(0, 0, 0, -1)},
		{"no normal, largest negative distance", filled(0, 0, 0, -math.MaxFloat32)},
	}
	for i := range frusta {
		frusta[i].Planes = scaled(frusta[i].Planes, 1) // infinities become the largest number
	}
	return frusta
}

var negativeZero = float32(math.Copysign(0, -1))

// boxPlanes returns the inward planes of the six faces.
func boxPlanes(b soa.AABB) [6][4]float32 {
	return [6][4]float32{
		{1, 0, 0, -b.Min[0]}, {-1, 0, 0, b.Max[0]},
		{0, 1, 0, -b.Min[1]}, {0, -1, 0, b.Max[1]},
		{0, 0, 1, -b.Min[2]}, {0, 0, -1, b.Max[2]},
	}
}

// negativeZeros returns the planes with every 0 replaced by -0.
func negativeZeros(planes [6][4]float32) [6][4]float32 {
	for p := range planes {
		for i, v := range planes[p] {
			if v == 0 {
				planes[p][i] = negativeZero
			}
		}
	}
	return planes
}

// turned returns the planes facing the opposite way.
func turned(planes [6][4]float32) [6][4]float32 {
	for p := range planes {
		for i := range planes[p] {
			planes[p][i] = -planes[p][i]
		}
	}
	return planes
}

// scaled returns the planes multiplied by f; values that overflow become the largest number.
func scaled(planes [6][4]float32, f float64) [6][4]float32 {
	for p := range planes {
		for i, v := range planes[p] {
			planes[p][i] = float32(min(max(float64(v)*f, -math.MaxFloat32), math.MaxFloat32))
		}
	}
	return planes
}

func filled(nx, ny, nz, d float32) (planes [6][4]float32) {
	for p := range planes {
		planes[p] = [4]float32{nx, ny, nz, d}
	}
	return planes
}

// down returns the float32 below f.
func down(f float32) float32 { return math.Nextafter32(f, float32(math.Inf(-1))) }

// EdgeBoxes returns edge cases of boxes, fitted to the objects: exact contact, no volume, the ends of float32.
func EdgeBoxes(objects []soa.Object) []soa.AABB {
	const most = math.MaxFloat32
	minus0 := float32(math.Copysign(0, -1))
	all, one := soa.AABB{}, soa.AABB{}
	if len(objects) > 0 {
		all, one = Bounds(objects), objects[len(objects)/2].Box
	}
	beyond := func(x float32) float32 { return math.Nextafter32(x, most) }
	return []soa.AABB{
		{Min: [3]float32{-most, -most, -most}, Max: [3]float32{most, most, most}},
		all, one, {}, // the last is the origin
		{Min: one.Min, Max: one.Min}, {Min: one.Max, Max: one.Max}, {Min: all.Max, Max: all.Max},
		{Min: [3]float32{minus0, minus0, minus0}, Max: [3]float32{0, minus0, 0}},
		{Min: [3]float32{one.Max[0], one.Min[1], one.Min[2]}, Max: [3]float32{most, one.Max[1], one.Max[2]}},
		{Min: [3]float32{beyond(one.Max[0]), one.Min[1], one.Min[2]}, Max: [3]float32{most, one.Max[1], one.Max[2]}},
		{Min: [3]float32{-most, -most, one.Max[2]}, Max: [3]float32{most, most, one.Max[2]}}, // a plane
		{Min: [3]float32{-0x1p-149, -0x1p-149, -0x1p-149}, Max: [3]float32{0x1p-149, 0x1p-149, 0x1p-149}},
		{Min: [3]float32{most, most, most}, Max: [3]float32{most, most, most}},
	}
}

// EdgeSpheres returns edge cases of spheres, fitted to the objects.
func EdgeSpheres(objects []soa.Object) []Sphere {
	const most = math.MaxFloat32
	all, one := soa.AABB{}, soa.AABB{}
	if len(objects) > 0 {
		all, one = Bounds(objects), objects[len(objects)/2].Box
	}
	beside := one.Max
	beside[0] += 3 // touches exactly, up to the rounding of the sum
	return []Sphere{
		{}, {Radius: 0x1p-149}, {Radius: 0x1p-75}, {Radius: most}, {Radius: 0x1p62}, {Radius: 0x1.fffffep61},
		{Center: one.Min}, {Center: one.Max, Radius: 0x1p-149}, {Center: one.Center(), Radius: 1},
		{Center: beside, Radius: beside[0] - one.Max[0]},
		{Center: all.Center(), Radius: 100}, {Center: all.Center(), Radius: 1e5}, {Center: all.Center(), Radius: 1e30},
		{Center: [3]float32{most, most, most}, Radius: most}, {Center: [3]float32{most, -most, 0}, Radius: 1},
		{Center: [3]float32{-most, 0, 0}, Radius: most},
	}
}
