package occlude_test

import (
	"runtime"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
)

// Thousands of queries after one SetCamera use no more memory than a few, for trees that change and for
// trees that do not.
func TestAnswersWithoutEnd(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	const side = 60
	objects := town(rng, 100, 900, side)
	tree := plant(t, objects, linear.Config{Workers: 1})
	s, err := linear.NewScene(linear.Config{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddInstance(plant(t, objects, linear.Config{Workers: 1}), steps(2, 0, 0), linear.InstanceOptions{}); err != nil {
		t.Fatal(err)
	}
	culler, err := occlude.New(occlude.Config{Width: 96, Height: 54, OccluderMask: walls, MinPixels: 1})
	if err != nil {
		t.Fatal(err)
	}
	v := ahead(side)
	if err := v.look(culler); err != nil {
		t.Fatal(err)
	}
	if err := culler.DrawBoxes(objects[0].Box); err != nil {
		t.Fatal(err)
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	seen, answer := make([]uint32, 0, 3000), new(scene.Answer)
	for _, changes := range []bool{false, true} {
		k := 0
		ask := func() {
			if k++; changes {
				id := uint32(k % len(objects))
				b := shifted(objects[id:id+1], float32(k%7)/8, 0, 0)[0].Box
				if err := tree.Move(id, b); err != nil {
					t.Fatal(err)
				}
				if err := tree.Tick(); err != nil {
					t.Fatal(err)
				}
			}
			seen = culler.Append(seen[:0], tree.View(), query.Filter{})
			answer.Reset()
			culler.AppendScene(answer, s.View(), query.Filter{})
		}
		for range 300 {
			ask()
		}
		before := heap()
		for range testkit.Budget(t, 300, 5000) {
			ask()
		}
		if grown := heap() - before; grown > 64<<10 && !testkit.RaceEnabled {
			t.Errorf("changes %v: %d bytes more after %d answers", changes, grown, k)
		}
	}
	testkit.Allocs(t, 50, func() {
		seen = culler.Append(seen[:0], tree.View(), query.Filter{})
		answer.Reset()
		culler.AppendScene(answer, s.View(), query.Filter{})
	})
}
