package scene_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// inAnswer is an object of an answer.
type inAnswer struct {
	path scene.Path
	id   uint32
}

// inAnswers returns the objects of an answer, in its order.
func inAnswers(a *scene.Answer) (list []inAnswer) {
	for ref, id := range a.All() {
		list = append(list, inAnswer{a.Path(ref), id})
	}
	return list
}

// Levels in scenes agree with MinSize to the last bit, under transforms of every family, at any depth, on every
// tier, with and without hysteresis: an object is below a size exactly if the frustum with that minimum size leaves
// it out.
func TestLevels(t *testing.T) {
	const margin = 0.25
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		for k, family := range families {
			if !testkit.OfTier(t, k) {
				continue
			}
			rng := testkit.Rand(seed<<8 + uint64(k))
			counts := map[uint8]int{}
			held := 0
			for range testkit.Budget(t, 4, 100) {
				s := worldOf(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(12))
				if rng.IntN(8) == 0 {
					s = chainOf(t, rng, family, linear.MaxDepth)
				}
				v := s.View()
				all := spots(v)
				for range 8 {
					center, corner, size, ok := targetOf(rng, all)
					if !ok {
						continue
					}
					w, ok := watch(t, rng, center, corner, size)
					if !ok || !(w.least > 0x1p-60 && w.least < 0x1p60) {
						continue
					}
					sizes := []float32{w.least * 4, w.least, w.least / 4}
					levels, err := w.plain.Levels(margin, sizes...)
					testkit.Must(t, err)
					var a scene.Answer
					scene.Append(&a, w.plain, v, someFilter(rng))
					objects := inAnswers(&a)
					// The objects that a frustum with a minimum size keeps.
					keeps := map[float32]map[inAnswer]bool{}
					below := func(o inAnswer, s float32) bool {
						kept := keeps[s]
						if kept == nil {
							sized, err := w.plain.MinSize(s)
							testkit.Must(t, err)
							var some scene.Answer
							scene.Append(&some, sized, v, query.Filter{})
							kept = map[inAnswer]bool{}
							for _, o := range inAnswers(&some) {
								kept[o] = true
							}
							keeps[s] = kept
						}
						return !kept[o]
					}
					columns := map[scene.Path]*linear.Column[uint8]{}
					was := map[inAnswer]uint8{}
					for _, o := range objects {
						if columns[o.path] == nil {
							columns[o.path] = new(linear.Column[uint8])
						}
						was[o] = uint8(rng.IntN(len(sizes) + 1))
						columns[o.path].Set(o.id, was[o])
					}
					plain := scene.AppendLevels([]uint8{9}, &a, &levels, v, nil)
					kept := scene.AppendLevels(nil, &a, &levels, v, func(ref scene.InstanceRef) *linear.Column[uint8] { return columns[a.Path(ref)] })
					if plain[0] != 9 || len(plain) != 1+len(objects) || len(kept) != len(objects) {
						t.Fatalf("%s: %d and %d levels of %d objects", family, len(plain)-1, len(kept), len(objects))
					}
					for i, o := range objects {
						level, after := 0, 0
						for k, s := range sizes {
							if below(o, s) {
								level++
							}
							limit := float32(float64(s) * (1 - margin))
							if k < int(was[o]) {
								limit = float32(float64(s) * (1 + margin))
							}
							if below(o, limit) {
								after++
							}
						}
						counts[plain[1+i]]++
						if level != after {
							held++
						}
						if int(plain[1+i]) != level || int(kept[i]) != after || int(columns[o.path].Get(o.id)) != after {
							t.Fatalf("%s: object %v has the level %d, want %d; after %d %d, want %d", family, o, plain[1+i], level, was[o], kept[i], after)
						}
					}
				}
			}
			if len(counts) < 4 || held == 0 {
				t.Errorf("%s: levels %v, %d held", family, counts, held)
			}
		}
	})
}

// Levels of an answer in steady state allocate nothing, and other answers panic.
func TestLevelsCalls(t *testing.T) {
	s, tree := newScene(t), planted(t, testkit.Rand(1), 300)
	for i := range 20 {
		place(t, s, tree, transformOf(testkit.Rand(uint64(i)), "turned"), linear.InstanceOptions{})
	}
	testkit.Must(t, s.Tick())
	f, err := query.Camera{Eye: [3]float64{-1000, 0, 0}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 1, Near: 1, Far: math.Inf(1)}.Frustum()
	testkit.Must(t, err)
	levels, err := f.Levels(0.125, 0.1, 0.001)
	testkit.Must(t, err)
	var a scene.Answer
	v := s.View()
	scene.Append(&a, f, v, query.Filter{})
	if a.Len() == 0 {
		t.Fatal("nothing is seen")
	}
	dst := make([]uint8, 0, a.Len())
	var column linear.Column[uint8]
	column.Grow(1000)
	last := func(scene.InstanceRef) *linear.Column[uint8] { return &column }
	testkit.Allocs(t, 5, func() { dst = scene.AppendLevels(dst[:0], &a, &levels, v, last) })
	if slices.Max(dst) == 0 {
		t.Error("all have level 0")
	}
	other := newScene(t)
	if got := fmt.Sprint(testkit.Panic(func() { scene.AppendLevels(nil, &a, &levels, other.View(), nil) })); !strings.Contains(got, "no instance has the ID") {
		t.Errorf("panic %v", got)
	}
}
