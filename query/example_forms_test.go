package query_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// failIf panics at an error.
func failIf(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Every volume has the same forms of query; they differ in the form of the result.
func ExampleVolume() {
	v := street()
	box, err := query.NewBox([3]float32{0, 0, 0}, [3]float32{10, 1, 1})
	failIf(err)

	fmt.Println("a slice, kept from frame to frame", box.Append(nil, v, query.Filter{}))
	fmt.Println("a number", box.Count(v, query.Filter{}))
	fmt.Println("whether there is one", box.Any(v, query.Filter{}))
	for id := range box.All(v, query.Filter{}) { // stops when the loop does
		fmt.Println("one after the other", id)
		break
	}
	box.Ranges(v, query.Filter{}, func(r query.Range) bool { // no copy: for renderers that read columns
		fmt.Println("slots", r.Count)
		return true
	})
	fmt.Println("its work", box.Explain(v, query.Filter{}, nil).Tested)
	// Output:
	// a slice, kept from frame to frame [0 1 2]
	// a number 3
	// whether there is one true
	// one after the other 0
	// slots 1
	// its work 10
}

// A point query finds the objects that contain a point, as a click on a map does.
func ExamplePoint_Append() {
	v := street()
	p, err := query.NewPoint([3]float32{21, 1, 1})
	failIf(err)
	fmt.Println(p.Append(nil, v, query.Filter{}), p.Count(v, query.Filter{}))
	fmt.Println(p.Any(v, query.Filter{Mask: 2}))
	p.Ranges(v, query.Filter{}, func(r query.Range) bool {
		fmt.Printf("lanes %b of a slot\n", r.Mask)
		return true
	})
	fmt.Println(p.Explain(v, query.Filter{}, nil).Tested, "boxes tested")
	// Output:
	// [4] 1
	// false
	// lanes 10000 of a slot
	// 10 boxes tested
}

// A sphere query of radius 3 about the first house, with the work that it took.
func ExampleSphere_Ranges() {
	v := street()
	s, err := query.NewSphere([3]float32{2, 1, 1}, 3)
	failIf(err)
	s.Ranges(v, query.Filter{}, func(r query.Range) bool {
		for lane, id := range v.IDs(r.First) {
			if r.Mask == 0 || r.Mask>>lane&1 != 0 {
				fmt.Println("house", id)
			}
		}
		return true
	})
	c := s.Explain(v, query.Filter{}, nil)
	fmt.Println(c.Packets, "packet,", c.Tested, "boxes")
	// Output:
	// house 0
	// house 1
	// 1 packet, 10 boxes
}

// A convex volume: the part of the street between two planes.
func ExampleConvex_Append() {
	v := street()
	wedge, err := query.ConvexPlanes([][4]float32{{1, 0, 0, -12}, {-1, 0, 0, 26}})
	failIf(err)
	fmt.Println(wedge.Append(nil, v, query.Filter{}), wedge.Count(v, query.Filter{Mask: 1}))
	for id := range wedge.All(v, query.Filter{Mask: 2}) {
		fmt.Println("of type 2:", id)
	}
	fmt.Println(wedge.Any(v, query.Filter{Motion: query.MovingOnly}))
	fmt.Println(wedge.Explain(v, query.Filter{}, nil).Tested, "boxes tested")
	// Output:
	// [2 3 4 5] 2
	// of type 2: 3
	// of type 2: 5
	// false
	// 10 boxes tested
}

// An oriented box query: a room that stands slantwise.
func ExampleOrientedBox_Append() {
	v := street()
	turned, err := query.NewOrientedBox(linear.OrientedBox{
		Center: [3]float32{8.5, 3, 1},
		Axes:   [3][3]float32{{2, 2, 0}, {-2, 2, 0}, {0, 0, 1}},
	})
	failIf(err)
	fmt.Println(turned.Append(nil, v, query.Filter{}), turned.Count(v, query.Filter{}), turned.Any(v, query.Filter{}))
	for id := range turned.All(v, query.Filter{Mask: 1}) {
		fmt.Println("of type 1:", id)
	}
	turned.Ranges(v, query.Filter{}, func(r query.Range) bool {
		fmt.Printf("lanes %b\n", r.Mask)
		return true
	})
	fmt.Println(turned.Explain(v, query.Filter{}, nil).Tested, "boxes tested")
	// Output:
	// [1 2] 2 true
	// of type 1: 2
	// lanes 110
	// 10 boxes tested
}

// A swept box: a crate is pushed along a street and hits houses in the order of time.
func ExampleSweptBox_Append() {
	v := row()
	crate := linear.AABB{Min: [3]float32{0, 0, 0}, Max: [3]float32{1, 1, 1}}
	push, err := query.NewSweptBox(crate, [3]float32{10, 0, 0})
	failIf(err)
	for _, h := range push.Append(nil, v, query.Filter{}) {
		fmt.Printf("object %d after %.1f of the way\n", h.ID, h.Dist)
	}
	id, time, ok := push.FirstID(v, query.Filter{})
	fmt.Println("first", id, time, ok)
	fmt.Println(push.AppendIDs(nil, v, query.Filter{}), push.Count(v, query.Filter{}), push.Any(v, query.Filter{}))
	for h := range push.All(v, query.Filter{}) {
		fmt.Println("at", h.Pos, "normal", h.Normal)
		break
	}
	fmt.Println(push.Explain(v, query.Filter{}, nil).Ranges, "hits")
	// Output:
	// object 0 after 0.3 of the way
	// object 1 after 0.7 of the way
	// first 0 0.3 true
	// [0 1] 2 true
	// at [4 0.5 0.5] normal [-1 0 0]
	// 2 hits
}

// The crate passes through ghosts: FirstFunc calls a function of the program for each candidate.
func ExampleSweptBox_FirstFunc() {
	ghost := map[uint32]bool{0: true}
	push, err := query.NewSweptBox(linear.AABB{Min: [3]float32{0, 0, 0}, Max: [3]float32{1, 1, 1}}, [3]float32{10, 0, 0})
	failIf(err)
	id, time, ok := push.FirstFunc(row(), query.Filter{}, func(id uint32, tEnter float32) (t float32, hit bool) {
		return tEnter, !ghost[id]
	})
	fmt.Printf("%d %.1f %v\n", id, time, ok)
	// Output:
	// 1 0.7 true
}

// A swept sphere: a ball that rolls along x touches later than the box around it would.
func ExampleSweptSphere_Append() {
	v := row()
	ball, err := query.NewSweptSphere([3]float32{0, 1.5, 0}, 1, [3]float32{10, 0, 0})
	failIf(err)
	for _, h := range ball.Append(nil, v, query.Filter{}) {
		fmt.Printf("object %d at time %.3f, normal %.2f\n", h.ID, h.Dist, h.Normal)
	}
	id, time, ok := ball.FirstID(v, query.Filter{})
	fmt.Printf("first %d %.3f %v\n", id, time, ok)
	fmt.Println(ball.AppendIDs(nil, v, query.Filter{}), ball.Count(v, query.Filter{}), ball.Any(v, query.Filter{}))
	for h := range ball.All(v, query.Filter{}) {
		fmt.Println("then", h.ID)
	}
	fmt.Println(ball.Explain(v, query.Filter{}, nil).Ranges, "hits")
	// Output:
	// object 0 at time 0.313, normal [-0.87 0.50 0.00]
	// object 1 at time 0.713, normal [-0.87 0.50 0.00]
	// first 0 0.313 true
	// [0 1] 2 true
	// then 0
	// then 1
	// 2 hits
}

// FirstFunc tests a rounder shape than the box: the program returns the time of its contact.
func ExampleSweptSphere_FirstFunc() {
	ball, err := query.NewSweptSphere([3]float32{0, 0, 0}, 0.5, [3]float32{10, 0, 0})
	failIf(err)
	middles := []float64{5, 9, 13} // of balls of radius 1 in the boxes
	id, time, ok := ball.FirstFunc(row(), query.Filter{}, func(id uint32, _ float32) (t float32, hit bool) {
		t = float32((middles[id] - 1 - 0.5) / 10)
		return t, t <= 1
	})
	fmt.Printf("%d %.2f %v\n", id, time, ok)
	// Output:
	// 0 0.35 true
}

// Explain counts the work of a ray: most nodes of a tree are never visited.
func ExampleRay_Explain() {
	ray, err := query.NewRay([3]float32{0, 0, 0}, [3]float32{1, 0, 0}, 100)
	failIf(err)
	a := ray.Explain(row(), query.Filter{}, nil)
	b := ray.Explain(street(), query.Filter{}, nil)
	fmt.Println(a.Ranges, "and", b.Ranges, "hits,", a.Add(b).Tested, "boxes tested")
	// Output:
	// 3 and 10 hits, 13 boxes tested
}

// A batch of rays runs on several workers, sorted along a curve. Each result is the hit of [query.Ray.First].
func ExampleRayBatch_Find() {
	var rays []query.Ray
	for y := range 3 {
		ray, err := query.NewRay([3]float32{0, float32(y), 0}, [3]float32{1, 0, 0}, 100)
		failIf(err)
		rays = append(rays, ray)
	}
	var batch query.RayBatch // kept from frame to frame
	failIf(batch.Find(context.Background(), row(), rays, query.Filter{}))
	for i := range rays {
		fmt.Println(i, len(batch.Of(i)))
	}
	// Output:
	// 0 1
	// 1 1
	// 2 0
}

// A batch of two cameras: the IDs of each, in ascending order.
func ExampleFrustumBatch_Of() {
	look := query.Camera{Eye: [3]float64{6, 1, 20}, Forward: [3]float64{0, 0, -1}, Up: [3]float64{0, 1, 0}, FovY: 0.5, Aspect: 1, Near: 0.1, Far: 50}
	left, err := look.Frustum()
	failIf(err)
	look.Eye[0] += 20
	right, err := look.Frustum()
	failIf(err)
	var batch query.FrustumBatch
	failIf(batch.Find(context.Background(), street(), []query.Frustum{left, right}, query.Filter{}))
	fmt.Println(batch.Of(0), batch.Of(1))
	// Output:
	// [0 1 2] [4 5 6]
}

// A filter from outside, such as a request, is validated before use: queries panic at a filter that is out of range.
func ExampleFilter_Check() {
	fmt.Println(query.Filter{Mask: 1, Motion: query.StaticOnly}.Check())
	fmt.Println(query.Filter{Motion: 9}.Check())
	// Output:
	// <nil>
	// query: Filter.Motion 9 is not 0 to 2
}

// A world in metres about the centre of the Earth: queries in float64, with the origin of the tree.
func ExampleNewRay64() {
	origin := [3]float64{4_177_120.25, 855_110.5, 4_728_330.75}
	far := func(x, y, z float64) [3]float64 { return [3]float64{origin[0] + x, origin[1] + y, origin[2] + z} }
	v := row()

	ray, err := query.NewRay64(far(0, 0, 0), [3]float64{1, 0, 0}, 100, origin)
	failIf(err)
	id, dist, _ := ray.FirstID(v, query.Filter{})
	fmt.Println("ray:", id, dist)

	ball, err := query.NewSphere64(far(7, 0, 0), 1.5, origin)
	failIf(err)
	fmt.Println("sphere:", ball.Append(nil, v, query.Filter{}))

	point, err := query.NewPoint64(far(9, 0, 0), origin)
	failIf(err)
	fmt.Println("point:", point.Append(nil, v, query.Filter{}))

	slab, err := query.ConvexPlanes64([][4]float64{{1, 0, 0, -(origin[0] + 11)}}, origin)
	failIf(err)
	fmt.Println("half space:", slab.Append(nil, v, query.Filter{}))
	// Output:
	// ray: 0 4
	// sphere: [0 1]
	// point: [1]
	// half space: [2]
}

// Frusta of an engine that has planes or matrices of float64 about a distant origin.
func ExampleFrustumPlanes64() {
	origin := [3]float64{1e7, 0, 0}
	v := row()
	box := [6][4]float64{ // of x from 1e7+7 to 1e7+11, and of y and z from -5 to 5
		{1, 0, 0, -(1e7 + 7)}, {-1, 0, 0, 1e7 + 11}, {0, 1, 0, 5}, {0, -1, 0, 5}, {0, 0, 1, 5}, {0, 0, -1, 5},
	}
	planes, err := query.FrustumPlanes64(box, origin)
	failIf(err)
	fmt.Println(planes.Append(nil, v, query.Filter{}))

	// The same as the matrix of an orthographic camera, by rows and by columns.
	rows := [16]float64{
		0.5, 0, 0, -(1e7 + 9) / 2,
		0, 0.2, 0, 0,
		0, 0, 0.2, 0,
		0, 0, 0, 1,
	}
	var columns [16]float64
	for i, x := range rows {
		columns[i%4*4+i/4] = x
	}
	byRows, err := query.FrustumRowMajor64(rows, query.ClipMinusOneToOne, origin)
	failIf(err)
	byColumns, err := query.FrustumColumnMajor64(columns, query.ClipMinusOneToOne, origin)
	failIf(err)
	fmt.Println(byRows.Append(nil, v, query.Filter{}), byRows == byColumns)
	// Output:
	// [1]
	// [1] true
}
