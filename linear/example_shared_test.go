package linear_test

import (
	"fmt"
	"sync"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
)

// A reader holds a version while the writer publishes later versions.
func ExampleNewPublisher() {
	t, _ := linear.New(linear.Config{})
	ids, _ := t.InsertBatch(nil, grid(4))
	s := linear.NewPublisher(t)

	near, _ := query.NewSphere([3]float32{0, 0, 0}, 0.5)
	before := s.Acquire()
	t.Move(ids[0], cube(50, 50, 50, 0.5))
	t.Tick()
	s.Publish()
	after := s.Acquire()
	fmt.Println("before:", near.Append(nil, before.View(), query.Filter{}))
	fmt.Println("after: ", near.Append(nil, after.View(), query.Filter{}))
	st := t.Stats()
	fmt.Println("held:  ", st.Held, "of", st.Versions)
	before.Release()
	after.Release()
	fmt.Println("held:  ", t.Stats().Held)
	// Output:
	// before: [0]
	// after:  []
	// held:   2 of 2
	// held:   0
}

// Two objects that move together touch in every version: concurrent readers never see half of a batch.
func ExamplePublisher_Publish() {
	t, _ := linear.New(linear.Config{})
	at := func(x float32) []linear.AABB { return []linear.AABB{cube(x, 0, 0, 1), cube(x+1, 0, 0, 1)} }
	pair := at(0)
	ids, _ := t.InsertBatch(nil, []linear.Object{{Box: pair[0]}, {Box: pair[1]}})
	s := linear.NewPublisher(t)

	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for range 1000 {
				h := s.Acquire()
				if n := collide.Count(collide.Within(h.View()), collide.Filter{}); n != 1 {
					fmt.Println(n, "pairs")
				}
				h.Release()
			}
		})
	}
	for frame := range 1000 {
		t.MoveBatch(ids, at(float32(frame*frame)))
		t.Tick()
		s.Publish()
	}
	readers.Wait()
	h := s.Acquire()
	defer h.Release()
	far, _ := query.NewBox([3]float32{998000, 0, 0}, [3]float32{999000, 0, 0})
	fmt.Println("at the end:", far.Count(h.View(), query.Filter{}))
	// Output: at the end: 2
}
