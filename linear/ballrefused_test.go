package linear_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Invalid balls are rejected with their numbers and index, and change nothing.
func TestBallErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	bad := [][4]float32{
		{1, 2, 3, -1}, {1e6, 1e6, 1e6, -1e-10}, {1, 2, 3, nan}, {1, 2, 3, inf}, {nan, 2, 3, 1}, {1, inf, 3, 1}, {1, 2, -inf, 1},
		{math.MaxFloat32, 0, 0, 1}, {0, -3e38, 0, 3e38}, {0, 0, math.Float32frombits(0x7fffffff), 1}, {math.Float32frombits(0xffffffff), 0, 0, 1},
	}
	good := soa.Ball{Sphere: [4]float32{1, 2, 3, 4}}
	for _, n := range []int{0, 100} {
		tree := newTree(t, linear.Config{})
		balls := make([]soa.Ball, n)
		for i := range balls {
			balls[i].Sphere = [4]float32{float32(i), 0, 0, 1}
		}
		ids, err := tree.InsertBallBatch(nil, balls)
		must(t, err)
		v := tree.View()
		refused := func(s [4]float32, what string, err error) {
			t.Helper()
			v.Store() // nothing has changed
			if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), fmt.Sprintf("sphere %v", s)) {
				t.Errorf("sphere %v: error %v, want one with %q", s, err, what)
			}
		}
		for _, s := range bad {
			id, err := tree.InsertBall(soa.Ball{Sphere: s})
			refused(s, "linear: sphere", err)
			if id != linear.None {
				t.Errorf("the ID is %d", id)
			}
			dst, err := tree.InsertBallBatch([]uint32{7}, []soa.Ball{good, good, {Sphere: s}, good})
			refused(s, "object 2: ", err)
			if !slices.Equal(dst, []uint32{7}) {
				t.Errorf("IDs %v", dst)
			}
			var b linear.Batch
			b.InsertBall(good)
			b.InsertBall(soa.Ball{Sphere: s})
			_, err = tree.Apply(&b)
			refused(s, "change 1 of the batch, InsertBall: ", err)
			if n == 0 {
				continue
			}
			refused(s, "object 5: ", tree.MoveSphere(ids[5], s))
			for _, at := range []int{0, 63, 64, 299, 300} { // in any stride
				to, spheres := make([]uint32, 301), make([][4]float32, 301)
				for i := range to {
					to[i], spheres[i] = ids[i%n], good.Sphere
				}
				spheres[at] = s
				if at < 300 {
					spheres[300] = bad[0]
				}
				refused(s, fmt.Sprintf("object %d of the batch, ID %d: ", at, to[at]), tree.MoveBodies(to, linear.Bodies{Spheres: spheres}))
			}
			b.Reset()
			b.MoveSphere(ids[3], s)
			_, err = tree.Apply(&b)
			refused(s, "change 0 of the batch, MoveSphere: ", err)
		}
		dead := uint32(n)
		for _, err := range []error{tree.MoveSphere(dead, good.Sphere), tree.MoveBodies([]uint32{dead}, linear.Bodies{Spheres: [][4]float32{good.Sphere}})} {
			if !errors.Is(err, linear.ErrUnknown) {
				t.Errorf("error %v", err)
			}
		}
		must(t, tree.MoveBodies(nil, linear.Bodies{Spheres: nil}))
		if _, err := tree.InsertBallBatch(nil, nil); err != nil {
			t.Error(err)
		}
		v.Store()
	}
	if testkit.Panic(func() { must(t, newTree(t, linear.Config{}).MoveBodies([]uint32{1}, linear.Bodies{Spheres: nil})) }) == nil {
		t.Error("no panic")
	}
}
