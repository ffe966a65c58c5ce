package scene_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// The cubes stay in their world, keep their size, and are the same to the bit
// everywhere.
func TestBouncing(t *testing.T) {
	const n, frames = 4096, 500
	b := scene.NewBouncing(n, 1)
	objects := b.Objects()
	small, slow := 0, 0
	before := append([]soa.AABB(nil), b.Boxes()...)
	b.Step()
	for i, box := range b.Boxes() {
		edge := float64(before[i].Max[0]) - float64(before[i].Min[0])
		if objects[i].Box != before[i] || objects[i].Static {
			t.Fatalf("object %d is %+v, its box %v", i, objects[i], before[i])
		}
		if edge < 1-1e-3 || edge > 100+1e-3 {
			t.Errorf("cube %d has the edge %v", i, edge)
		}
		way := 0.0
		for a := range 3 {
			d := float64(box.Min[a]) - float64(before[i].Min[a])
			way += d * d
		}
		if way = math.Sqrt(way); way > 10+1e-2 {
			t.Errorf("cube %d moves by %v in a frame", i, way)
		}
		if edge < 1+99/1024. {
			small++
		}
		if way < 10/1024. {
			slow++
		}
	}
	// x^10 < 2^-10 for half of all x.
	if small < n*45/100 || small > n*55/100 || slow < n*45/100 || slow > n*55/100 {
		t.Errorf("%d of %d cubes are small, %d slow, want about half", small, n, slow)
	}
	for range frames {
		b.Step()
	}
	moved := 0
	for i, box := range b.Boxes() {
		for a := range 3 {
			if box.Min[a] < -1e-3 || box.Max[a] > scene.BouncingSide+1e-3 {
				t.Fatalf("cube %d is at %v after %d frames", i, box, frames)
			}
		}
		if edge := box.Max[0] - box.Min[0]; math.Abs(float64(edge-(before[i].Max[0]-before[i].Min[0]))) > 1e-2 {
			t.Errorf("cube %d was %v and is %v", i, before[i], box)
		}
		if box != before[i] {
			moved++
		}
	}
	if moved < n*3/4 {
		t.Errorf("%d of %d cubes moved", moved, n)
	}
	if got, want := digest(t, b.Boxes()), "24d5ed1ccfc03482"; got != want {
		t.Errorf("digest %q, want %q", got, want)
	}
}

// A volley flies on by its step, and the next one where it did.
func TestBullets(t *testing.T) {
	b := scene.Bullets{Volley: 600, Pause: 6, Life: 4, Muzzle: [3]float32{10, 20, 30}, Step: 2}
	seen := map[soa.AABB]bool{}
	for k := range b.Volley {
		first := b.Box(0, k, 0)
		seen[first] = true
		testkit.Must(t, first.Check())
		if on := b.Box(0, k, 3); math.Abs(float64(on.Min[0]-first.Min[0])-6) > 1e-5 || on.Min[1] != first.Min[1] {
			t.Errorf("bullet %d is at %v, and three frames later at %v", k, first, on)
		}
		for a := range 3 {
			if next := b.Box(5, k, 0); math.Abs(float64(next.Min[a]-first.Min[a])) > 0.05 {
				t.Errorf("bullet %d is at %v in volley 0 and at %v in volley 5", k, first, next)
			}
		}
	}
	if len(seen) != b.Volley {
		t.Errorf("%d bullets at %d positions", b.Volley, len(seen))
	}
}
