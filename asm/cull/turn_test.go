package cull_test

import (
	"testing"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
)

// The kernels that move a box and planes read and write only their arguments, and set nothing else of the volume.
// Package space tests the planes.
func TestSetTurnedMemory(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		known := 0
		for k := range 200 {
			at := []kernel.Place{kernel.Tail, kernel.Head}[k%2]
			numbers, box, part := kernel.Room[[24]float64](t, at, 1), kernel.Room[[12]float64](t, at, 1), kernel.Room[[15]float64](t, at, 1)
			for i := range numbers[0] {
				numbers[0][i] = rng.NormFloat64()
			}
			numbers[0][9], numbers[0][22] = 0x1p-40, 4
			for a := range 3 {
				box[0][a], box[0][3+a], box[0][9+a] = -rng.Float64(), rng.Float64(), 1
				part[0][a], part[0][3+a], part[0][9+a], part[0][12+a] = -1, 1, 1, 1
			}
			var heap cull.Convex
			c := &kernel.Put(t, at, []cull.Convex{{Wide: [cull.MaxPlanes]float32{31: 5}, Near: cull.Box{6}}})[0]
			got, want := c.SetTurned(&numbers[0], &box[0], &part[0], 0), heap.SetTurned(&numbers[0], &box[0], &part[0], 0)
			if got != want || got == cull.TurnedCuts && (c.N != heap.N || c.Coef != heap.Coef || c.Off != heap.Off || c.N > 12) {
				t.Fatalf("%v, %d planes, want %v, %d", got, c.N, want, heap.N)
			}
			planes := &kernel.Room[cull.MovingPlanes](t, at, 1)[0]
			*planes = cull.MovingPlanes{N: rng.IntN(cull.MaxPlanes + 1)}
			for i := range planes.N {
				planes.X[i], planes.Y[i], planes.D[i], planes.Square[i] = rng.NormFloat64(), 1, rng.NormFloat64()+2, 1
			}
			got, want = c.SetPlanes(planes, &numbers[0], &part[0]), heap.SetPlanes(planes, &numbers[0], &part[0])
			if got != want || got == cull.TurnedCuts && (c.N != heap.N || c.Coef != heap.Coef || c.Off != heap.Off) {
				t.Fatalf("%v, %d planes, want %v, %d", got, c.N, want, heap.N)
			}
			if c.Wide != ([cull.MaxPlanes]float32{31: 5}) || c.Near != (cull.Box{6}) {
				t.Fatal("another field has changed")
			}
			if got != cull.TurnedUnknown {
				known++
			}
		}
		t.Logf("%d of 200 by the kernel", known)
	})
}
