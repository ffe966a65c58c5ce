package query_test

import (
	"fmt"
	"log"
	"math"
	"slices"

	"github.com/zoctree/zoctree/query"
)

// screen is the viewport of a camera beside the street, with houses from left to right, in 640 x 360 pixels.
func screen() query.Viewport {
	v, err := query.Camera{
		Eye: [3]float64{25, -30, 1}, Forward: [3]float64{0, 1, 0}, Up: [3]float64{0, 0, 1},
		FovY: math.Pi / 4, Aspect: 16.0 / 9, Near: 1, Far: 100,
	}.Viewport(640, 360)
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func ExampleCamera_Viewport() {
	c := query.Camera{
		Eye: [3]float64{-5, 1, 1}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1},
		FovY: 1, Aspect: 1.5, Near: 0.1, Far: query.Unlimited,
	}
	v, err := c.Viewport(1920, 1280)
	if err != nil {
		log.Fatal(err)
	}
	ray, err := v.PickRay(960, 640) // the middle of the image
	if err != nil {
		log.Fatal(err)
	}
	hit, ok := ray.First(street(), query.Filter{})
	fmt.Println("house", hit.ID, hit.Pos, ok)

	_, err = c.Viewport(1920, 0)
	fmt.Println(err)
	// Output:
	// house 0 [0 1 1] true
	// query: a viewport of 1920 x 0 pixels, want 1 or more each
}

// PickRay casts a ray through a pixel. Pixel 25 of row 175 has its centre at 25.5, 175.5.
func ExampleViewport_PickRay() {
	v := screen()
	for _, x := range []float64{25.5, 45.5, 120.5, 620.5} {
		ray, err := v.PickRay(x, 175.5)
		if err != nil {
			log.Fatal(err)
		}
		if hit, ok := ray.First(street(), query.Filter{}); ok {
			fmt.Printf("x %v: house %d, %.2f behind the near plane\n", x, hit.ID, hit.Dist)
		} else {
			fmt.Printf("x %v: nothing\n", x)
		}
	}
	// Output:
	// x 25.5: nothing
	// x 45.5: house 1, 34.30 behind the near plane
	// x 120.5: house 2, 31.91 behind the near plane
	// x 620.5: house 9, 35.26 behind the near plane
}

// A pick with a radius: a swept sphere of radius 0.5 along the ray of a pixel.
func ExampleViewport_PickLine() {
	from, dir, dist, err := screen().PickLine(25.5, 175.5)
	if err != nil {
		log.Fatal(err)
	}
	way := [3]float32{dir[0] * dist, dir[1] * dist, dir[2] * dist}
	ball, err := query.NewSweptSphere(from, 0.5, way)
	if err != nil {
		log.Fatal(err)
	}
	hit, ok := ball.First(street(), query.Filter{})
	fmt.Println("house", hit.ID, ok)
	// Output: house 1 true
}

// A rubber band selects the objects in a rectangle of pixels, drawn from right to left. A click selects at a pixel.
func ExampleViewport_PickFrustum() {
	v := screen()
	band, err := v.PickFrustum(330, 200, 80.5, 100)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(slices.Sorted(band.Precise().All(street(), query.Filter{})))

	click, err := v.PickFrustum(120.5, 175.5, 120.5, 175.5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(slices.Sorted(click.Precise().All(street(), query.Filter{})))
	// Output:
	// [2 3 4 5]
	// [2]
}

// An orthographic map from above, 50 by 10 units in 500 x 100 pixels, y upward.
func ExampleViewportColumnMajor() {
	m := [16]float32{ // x from 0 to 50, y from -4 to 6, z from 10 down to -10
		1. / 25, 0, 0, 0,
		0, 1. / 5, 0, 0,
		0, 0, -1. / 20, 0,
		-1, -1. / 5, 0.5, 1,
	}
	v, err := query.ViewportColumnMajor(m, query.ClipZeroToOne, 500, 100)
	if err != nil {
		log.Fatal(err)
	}
	ray, err := v.PickRay(110, 50) // x = 11, y = 1
	if err != nil {
		log.Fatal(err)
	}
	hit, ok := ray.First(street(), query.Filter{})
	fmt.Println("house", hit.ID, hit.Pos, ok)
	// Output: house 2 [11 1 2] true
}

// The same matrix, in row-major order.
func ExampleViewportRowMajor() {
	m := [16]float32{
		1. / 25, 0, 0, -1,
		0, 1. / 5, 0, -1. / 5,
		0, 0, -1. / 20, 0.5,
		0, 0, 0, 1,
	}
	v, err := query.ViewportRowMajor(m, query.ClipZeroToOne, 500, 100)
	if err != nil {
		log.Fatal(err)
	}
	f, err := v.PickFrustum(0, 0, 60, 100) // x = 0 to 6
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(slices.Sorted(f.All(street(), query.Filter{})))
	// Output: [0 1]
}

// A map of a world whose street begins at 4,000,000, with the tree about that point.
func ExampleViewportColumnMajor64() {
	town := [3]float64{4_000_000, 0, 0}
	m := [16]float64{
		1. / 25, 0, 0, 0,
		0, 1. / 5, 0, 0,
		0, 0, -1. / 20, 0,
		-1 - 4_000_000./25, -1. / 5, 0.5, 1,
	}
	v, err := query.ViewportColumnMajor64(m, query.ClipZeroToOne, town, 500, 100)
	if err != nil {
		log.Fatal(err)
	}
	ray, err := v.PickRay(110, 50) // x = 4,000,011
	if err != nil {
		log.Fatal(err)
	}
	hit, ok := ray.First(street(), query.Filter{})
	fmt.Println("house", hit.ID, ok)
	// Output: house 2 true
}

// The same matrix, in row-major order.
func ExampleViewportRowMajor64() {
	town := [3]float64{4_000_000, 0, 0}
	m := [16]float64{
		1. / 25, 0, 0, -1 - 4_000_000./25,
		0, 1. / 5, 0, -1. / 5,
		0, 0, -1. / 20, 0.5,
		0, 0, 0, 1,
	}
	v, err := query.ViewportRowMajor64(m, query.ClipZeroToOne, town, 500, 100)
	if err != nil {
		log.Fatal(err)
	}
	_, err = v.PickRay(math.Inf(1), 50)
	fmt.Println(err)
	// Output: query: no ray at +Inf, 50 of 500 x 100 pixels: a number is not finite
}

// The planes of a camera, as clipping planes for another program.
func ExampleFrustum_Planes() {
	f, err := query.FrustumPlanes([6][4]float32{
		{1, 0, 0, 0}, {-1, 0, 0, 12}, {0, 1, 0, 0}, {0, -1, 0, 2}, {0, 0, 2, 2}, {0, 0, 0, 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range f.Planes() {
		fmt.Println(p) // each times a power of two
	}
	again, err := query.FrustumPlanes(f.Planes())
	fmt.Println(again == f, err)
	// Output:
	// [0.125 0 0 0]
	// [-0.125 0 0 1.5]
	// [0 0.125 0 0]
	// [0 -0.125 0 0.25]
	// [0 0 0.125 0.125]
	// [0 0 0 1]
	// true <nil>
}

// The edges of a camera's frustum, to be drawn.
func ExampleFrustum_Corners() {
	f, err := query.Camera{
		Eye: [3]float64{}, Forward: [3]float64{0, 0, -1}, Up: [3]float64{0, 1, 0},
		FovY: math.Pi / 2, Aspect: 2, Near: 1, Far: 4,
	}.Frustum()
	if err != nil {
		log.Fatal(err)
	}
	c, err := f.Corners()
	if err != nil {
		log.Fatal(err)
	}
	for i, p := range c {
		for bit := 1; bit < 8; bit *= 2 { // an edge joins corners that differ in one bit
			if k := i | bit; k != i && i == 0 {
				fmt.Printf("%.1f to %.1f\n", p, c[k])
			}
		}
	}
	_, err = query.Frustum{}.Corners()
	fmt.Println(err)
	// Output:
	// [-2.0 -1.0 -1.0] to [2.0 -1.0 -1.0]
	// [-2.0 -1.0 -1.0] to [-2.0 1.0 -1.0]
	// [-2.0 -1.0 -1.0] to [-8.0 -4.0 -4.0]
	// query: the frustum is not bounded: plane 0 is [0 0 0 0]
}

// A program that keeps its vectors in float32 has the same camera.
func ExampleCamera32_Viewport() {
	small := query.Camera32{Forward: [3]float32{0, 0, -1}, Up: [3]float32{0, 1, 0}, FovY: 1, Aspect: 1.6, Near: 0.1, Far: 100}
	a, err := small.Viewport(1280, 800)
	if err != nil {
		log.Fatal(err)
	}
	b, err := small.Camera().Viewport(1280, 800)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a == b)
	// Output: true
}
