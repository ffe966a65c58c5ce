package query_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// row is a tree of three cubes of edge 2 along x: IDs 0, 1, 2.
func row() linear.View {
	tree, _ := linear.New(linear.Config{})
	var objects []linear.Object
	for _, x := range []float32{4, 8, 12} {
		objects = append(objects, linear.Object{
			Box:  linear.AABB{Min: [3]float32{x, -1, -1}, Max: [3]float32{x + 2, 1, 1}},
			Mask: 1,
		})
	}
	tree.InsertBatch(nil, objects)
	return tree.View()
}

func ExampleRay_First() {
	ray, err := query.NewRay([3]float32{0, 0.5, 0}, [3]float32{1, 0, 0}, query.Unlimited)
	if err != nil {
		fmt.Println(err)
		return
	}
	if hit, ok := ray.First(row(), query.Filter{}); ok {
		fmt.Println("object", hit.ID, "at distance", hit.Dist, "at", hit.Pos, "normal", hit.Normal)
	}
	// Output: object 0 at distance 4 at [4 0.5 0] normal [-1 0 0]
}

func ExampleRay_Append() {
	// From the right to the left: the direction counts, 2 per unit of Dist.
	ray, _ := query.NewRay([3]float32{16, 0, 0}, [3]float32{-2, 0, 0}, 5)
	var hits []query.Hit
	hits = ray.Append(hits[:0], row(), query.Filter{})
	for _, h := range hits {
		fmt.Println(h.ID, h.Dist)
	}
	// Output:
	// 2 1
	// 1 3
	// 0 5
}

// FirstID returns the ID and the distance of the first hit, which is often enough for a game.
func ExampleRay_FirstID() {
	ray, _ := query.NewRay([3]float32{0, 0.5, 0}, [3]float32{1, 0, 0}, query.Unlimited)
	id, dist, ok := ray.FirstID(row(), query.Filter{})
	fmt.Println(id, dist, ok)
	// Output: 0 4 true
}

// FirstFunc tests balls in the boxes: the ray misses the first ball and passes the corner of its box.
func ExampleRay_FirstFunc() {
	centers := [][3]float64{{5, 0, 0}, {9, 0, 0}, {13, 0, 0}}
	radii := []float64{0.25, 1, 1}
	origin := [3]float64{0, 0.5, 0}
	ray, _ := query.NewRay([3]float32{0, 0.5, 0}, [3]float32{1, 0, 0}, query.Unlimited)
	id, dist, ok := ray.FirstFunc(row(), query.Filter{}, func(id uint32, _ float32) (t float32, hit bool) {
		c, r := centers[id], radii[id]
		y, z := origin[1]-c[1], origin[2]-c[2]
		if y*y+z*z > r*r {
			return 0, false
		}
		t = float32(c[0] - origin[0] - math.Sqrt(r*r-y*y-z*z))
		return t, true
	})
	fmt.Printf("%d %.3f %v\n", id, dist, ok)
	// Output: 1 8.134 true
}

func ExampleRay_AppendIDs() {
	ray, _ := query.NewRay([3]float32{16, 0, 0}, [3]float32{-1, 0, 0}, 8)
	ids := ray.AppendIDs(nil, row(), query.Filter{})
	slices.Sort(ids)
	fmt.Println(ids, ray.Count(row(), query.Filter{}))
	// Output: [1 2] 2
}

// A shadow ray tests whether the line between two points is free.
func ExampleRay_Any() {
	lamp, eye := [3]float32{0, 5, 0}, [3]float32{0, -5, 0}
	shadow, _ := query.NewRay(lamp, [3]float32{eye[0] - lamp[0], eye[1] - lamp[1], eye[2] - lamp[2]}, 1)
	fmt.Println(shadow.Any(row(), query.Filter{}))
	// Output: false
}

func ExampleRay_All() {
	ray, _ := query.NewRay([3]float32{5, 0, 0}, [3]float32{1, 0, 0}, query.Unlimited)
	for hit := range ray.All(row(), query.Filter{Mask: 1}) {
		fmt.Println(hit.ID, hit.Dist)
		if hit.ID == 1 {
			break
		}
	}
	// Output:
	// 0 0
	// 1 3
}

// A swept box: the distance that a crate slides to the right until it touches an object.
func ExampleSweptBox() {
	crate := linear.AABB{Min: [3]float32{-1, 0, 0}, Max: [3]float32{0, 1, 1}}
	slide, _ := query.NewSweptBox(crate, [3]float32{16, 0, 0})
	hit, ok := slide.First(row(), query.Filter{})
	fmt.Println(ok, hit.ID, hit.Dist, hit.Pos, hit.Normal)
	// Output: true 0 0.25 [4 0.5 0.5] [-1 0 0]
}

// A swept sphere: a ball rolls past the edge of a cube that the box around it would hit.
func ExampleSweptSphere() {
	for _, y := range []float32{1.9, 1.4} {
		ball, _ := query.NewSweptSphere([3]float32{0, y, 1.9}, 1, [3]float32{6, 0, 0})
		hit, ok := ball.First(row(), query.Filter{})
		fmt.Println(ok, hit.ID, hit.Pos)
	}
	// Output:
	// false 0 [0 0 0]
	// true 0 [4 1 1]
}

func ExampleRayBatch() {
	var rays []query.Ray
	for _, y := range []float32{0, 5} {
		r, _ := query.NewRay([3]float32{0, y, 0}, [3]float32{1, 0, 0}, 10)
		rays = append(rays, r)
	}
	var batch query.RayBatch
	if err := batch.FindAll(nil, row(), rays, query.Filter{}); err != nil {
		fmt.Println(err)
	}
	for i := range rays {
		fmt.Println("ray", i, "hits", len(batch.Of(i)))
	}
	// Output:
	// ray 0 hits 2
	// ray 1 hits 0
}

// Neither the ray nor the search has a distance limit.
func ExampleUnlimited() {
	ray, err := query.NewRay([3]float32{0, 0, 0}, [3]float32{1, 0, 0}, query.Unlimited)
	fmt.Println(ray.Count(row(), query.Filter{}), err)
	near, err := query.AppendNearest(nil, row(), [3]float32{1e6, 0, 0}, 1, query.Unlimited, query.Filter{})
	fmt.Println(near[0].ID, err)
	// Output:
	// 3 <nil>
	// 2 <nil>
}
