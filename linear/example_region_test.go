package linear_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
)

// A live map of points drops what has left a window around the sensor.
func ExampleTree_RemoveOutside() {
	t, _ := linear.New(linear.Config{})
	var scan [][3]float32
	for x := range 10 {
		scan = append(scan, [3]float32{float32(x), 0, 0})
	}
	t.InsertPoints(nil, scan, linear.Labels{})

	window := linear.BoxAround([3]float32{6, 0, 0}, [3]float32{3, 3, 3}) // about the sensor
	_, n, err := t.RemoveOutside(nil, linear.BoxRegion(window), linear.Filter{})
	fmt.Println(n, t.Len(), err) // the points on the faces stay

	ids, _, _ := t.RemoveIn([]uint32{}, linear.SphereRegion([3]float32{6, 0, 0}, 1), linear.Filter{Motion: linear.MovingOnly})
	fmt.Println(ids, t.Len())

	_, _, err = t.RemoveIn(nil, linear.SphereRegion([3]float32{6, 0, 0}, -1), linear.Filter{})
	fmt.Println(err)
	// Output:
	// 3 7 <nil>
	// [5 6 7] 4
	// linear: sphere about [6 0 0] of radius -1: want finite numbers, and a radius of 0 or more
}

// A recorded removal by region is a call, not a list of IDs: a log of a sliding window stays short.
func ExampleBatch_RemoveOutside() {
	t, _ := linear.New(linear.Config{})
	t.InsertBatch(nil, grid(10))
	replica := t.Clone()

	var b linear.Batch
	b.RemoveOutside(linear.BoxRegion(cube(4, 4, 4, 3)), linear.Filter{})
	b.RemoveIn(linear.SphereRegion([3]float32{4, 4, 4}, 1.5), linear.Filter{Mask: 1})
	b.Tick()
	record, _ := b.MarshalBinary()
	_, err := t.Apply(&b)

	var read linear.Batch
	read.UnmarshalBinary(record)
	replica.Apply(&read)
	fmt.Println(len(record), t.Len(), err, t.Digest() == replica.Digest())
	// Output:
	// 73 314 <nil> true
}
