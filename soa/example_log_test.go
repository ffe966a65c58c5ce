package soa_test

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// A tree writes its log of changes, and a reader reads it.
func ExampleLog() {
	l := soa.NewLog()
	l.Insert(0, soa.Object{Mask: 1}, [4]float32{3: -1}, 1)
	l.Tick()

	seen := l.Next()
	l.Set(0, soa.Object{Mask: 2}, [4]float32{3: -1}, false, 1)
	l.Remove(0, 0)
	l.Tick()

	changes, ok := l.Since(seen)
	fmt.Println(len(changes), ok)
	for _, c := range changes {
		fmt.Println(c.ID, c.Object.Mask, c.Removed)
	}
	l.Tick()
	_, ok = l.Since(seen) // a frame too late
	fmt.Println(ok)
	// Output:
	// 2 true
	// 0 2 false
	// 0 0 true
	// false
}
