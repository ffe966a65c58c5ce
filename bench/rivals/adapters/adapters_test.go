package adapters

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/bench/rivals/rivaltest"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// A slice gives the exact results for all queries.
func TestSlice(t *testing.T) { rivaltest.Run(t, func() index.Index { return NewSlice() }) }

// compare runs the same queries on both and expects the same results, except that a library may omit
// objects outside the bounds of a frustum, and choose among ties.
func compare(t *testing.T, x, slice index.Index, objects []soa.Object, seed uint64) {
	t.Helper()
	extent := index.Extent(objects)
	var volumes []index.Volume
	for _, c := range scene.Cameras(objects, 0.1, 8, seed) {
		volumes = append(volumes, index.Frustum(c.Planes(), extent))
	}
	for _, b := range scene.BoxQueries(objects, 20, 8, seed) {
		volumes = append(volumes, index.Box(b))
	}
	for i := range 8 { // touching
		b := objects[i*len(objects)/8].Box
		volumes = append(volumes, index.Box(soa.AABB{Min: b.Max, Max: b.Max}), index.Box(b))
	}
	for _, s := range scene.SphereQueries(objects, 20, 8, seed) {
		volumes = append(volumes, index.Sphere(s.Center, s.Radius))
	}
	total := 0
	for i := range volumes {
		v := &volumes[i]
		if p, ok := x.(index.Partial); ok && !p.Answers(v) {
			continue
		}
		got := x.(index.Volumes).Append(nil, v)
		want := slice.(index.Volumes).Append(nil, v)
		bounds := v.Bounds()
		near := index.Box(bounds)
		want = slices.DeleteFunc(want, func(id uint32) bool { return !near.Meets(&objects[id].Box) })
		total += len(want)
		if !testkit.SameIDSet(t, got, want) {
			t.Fatalf("volume %d: %d objects, want %d", i, len(got), len(want))
		}
	}
	if total == 0 {
		t.Error("nothing is found")
	}
	if rays, ok := x.(index.Rays); ok {
		for i, q := range scene.RayQueries(objects, 20, seed) {
			r := index.NewRay(q.Origin, q.Dir, q.MaxT)
			want := slice.(index.Rays).AppendHits(nil, &r)
			if got := rays.AppendHits(nil, &r); !slices.Equal(got, want) {
				t.Fatalf("ray %d: %v, want %v", i, got, want)
			}
			if h, ok := rays.First(&r); ok != (len(want) > 0) || ok && h != want[0] {
				t.Fatalf("ray %d: first %v, %v, want the first of %v", i, h, ok, want)
			}
		}
	}
	for i, p := range scene.PointQueries(objects, 20, seed) {
		for _, k := range []int{0, 1, 8, len(objects) + 3} {
			got := x.(index.Nearest).AppendNearest(nil, p, k)
			want := slice.(index.Nearest).AppendNearest(nil, p, k)
			if !slices.EqualFunc(got, want, index.Neighbor.Ties) {
				t.Fatalf("%d nearest of point %d: %v, want %v", k, i, got, want)
			}
		}
	}
}

// Libraries give the results of a slice: those of boxes also after changes.
func TestLibraries(t *testing.T) {
	n := 3000
	if testing.Short() || testkit.RaceEnabled {
		n = 400
	}
	for _, c := range []struct {
		name   string
		x      index.Index
		points bool
		scenes []string
	}{
		{"tidwall", NewTidwall(), false, []string{"uniform", "city", "surface", "sorted"}},
		{"rtreego", NewRtreego(), false, []string{"uniform", "city", "surface", "sorted"}},
		{"gonum", NewGonum(), true, []string{"uniform", "city", "points"}},
		{"kyroy", NewKyroy(), true, []string{"uniform", "city", "points"}},
	} {
		for _, distribution := range c.scenes {
			t.Run(c.name+"/"+distribution, func(t *testing.T) {
				seed := testkit.Seed(t)
				objects := testkit.SceneByName(t, distribution).Make(n, seed)
				for i := range objects {
					if b := &objects[i].Box; c.points {
						b.Min = b.Center()
						b.Max = b.Min
					}
				}
				slice := NewSlice()
				c.x.Build(objects)
				slice.Build(objects)
				compare(t, c.x, slice, objects, seed)
				if c.points {
					return
				}
				r := rand.New(rand.NewPCG(seed, 1))
				for i := range objects {
					id := uint32(r.IntN(n))
					objects[id].Box = objects[(i+7)%n].Box
					if i%2 == 0 {
						c.x.(index.Mover).Move(id, objects[id].Box)
					} else {
						c.x.(index.Remover).Remove(id)
						c.x.(index.Inserter).Insert(id, objects[id])
					}
					slice.Move(id, objects[id].Box)
				}
				compare(t, c.x, slice, objects, seed+1)
			})
		}
	}
}

// An object with an extent is no point. Duplicate and unknown IDs are detected.
func TestMisuse(t *testing.T) {
	box := []soa.Object{{Box: soa.AABB{Max: [3]float32{0, 0, 1}}}}
	rivaltest.Panics(t, map[string]func(){
		"gonum of a box": func() { NewGonum().Build(box) },
		"kyroy of a box": func() { NewKyroy().Build(box) },
	})
	for name, x := range map[string]index.Index{"slice": NewSlice(), "tidwall": NewTidwall(), "rtreego": NewRtreego()} {
		after := func(f func()) func() { return func() { x.Build(box); f() } }
		rivaltest.Panics(t, map[string]func(){
			name + ": insert":      after(func() { x.(index.Inserter).Insert(0, box[0]) }),
			name + ": remove":      after(func() { x.(index.Remover).Remove(1) }),
			name + ": move":        after(func() { x.(index.Mover).Move(7, box[0].Box) }),
			name + ": remove gone": after(func() { x.(index.Remover).Remove(0); x.(index.Remover).Remove(0) }),
		})
	}
}
