package scene_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/scene"
)

// The iterator yields the instances of all paths, depth-first, with their views and numbers; it ends when
// told, and allocates nothing.
func TestInstances(t *testing.T) {
	rng, deep := testkit.Rand(testkit.Seed(t)), 0
	for _, family := range families {
		for range testkit.Budget(t, 3, 40) {
			s := worldOf(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(12))
			if rng.IntN(4) == 0 {
				s = chainOf(t, rng, family, linear.MaxDepth)
			}
			v := s.View()
			want := spots(v)[1:]
			n := 0
			for part := range scene.Instances(v) {
				inner, number := v, uint32(0)
				for id := range want[n].path.All() {
					inner, number, _ = inner.Instance(id)
				}
				if part.Path != want[n].path || part.View != inner || part.Number != number {
					t.Fatalf("%s: instance %d is %v of part %d, want %v of part %d", family, n, part.Path, part.Number, want[n].path, number)
				}
				if n++; part.Path.Len() > 1 {
					deep++
				}
			}
			if n != len(want) {
				t.Fatalf("%s: %d instances, want %d", family, n, len(want))
			}
			for stop := 1; stop <= min(n, 3); stop++ {
				k := 0
				scene.Instances(v)(func(scene.Part) bool { k++; return k < stop })
				if k != stop {
					t.Fatalf("%d yielded after the iteration was to end at %d", k, stop)
				}
			}
			if !testkit.RaceEnabled {
				if a := testing.AllocsPerRun(5, func() {
					for range scene.Instances(v) {
					}
				}); a != 0 {
					t.Fatalf("%v allocations", a)
				}
			}
		}
	}
	if deep == 0 {
		t.Error("no instance was in an instance")
	}
	v := worldOf(t, rng, "turned", 2, 5)
	if testkit.Panic(func() {
		for range scene.Instances(v.View()) {
			v.Clear()
		}
	}) == nil {
		t.Error("no panic for a scene that has changed")
	}
}
