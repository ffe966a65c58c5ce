package scene_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
)

// Eyes stand on free ground, and a walk proceeds step by step.
func TestStreet(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(5000, 3)
	free := func(c *scene.Camera) {
		t.Helper()
		if c.Eye[2] != 1.7 || c.Forward[2] != 0 {
			t.Errorf("an eye at %v looks along %v", c.Eye, c.Forward)
		}
		for i := range objects {
			inside := true
			for a := range 3 {
				inside = inside && c.Eye[a] > float64(objects[i].Box.Min[a])-0.5 && c.Eye[a] < float64(objects[i].Box.Max[a])+0.5
			}
			if inside {
				t.Errorf("object %d is at an eye", i)
			}
		}
	}
	street, walk := scene.Street(objects, 10, 1), scene.Walk(objects, 60, 1)
	for i := range street {
		free(&street[i])
	}
	for i := range walk {
		if free(&walk[i]); i == 0 {
			continue
		}
		step := 0.0
		for a := range 3 {
			d := walk[i].Eye[a] - walk[i-1].Eye[a]
			step += d * d
		}
		if step > 0.251 || step < 0.249 {
			t.Errorf("frame %d is %v away from the one before, squared", i, step)
		}
	}
	if len(street) != 10 || len(walk) != 60 || street[0].Eye == street[1].Eye {
		t.Errorf("%d and %d cameras", len(street), len(walk))
	}
	if got, want := digest(t, planesOf(street))+digest(t, planesOf(walk)), "ac9054298635e674c7624be9fadb97ac"; got != want {
		t.Errorf("digest %q, want %q", got, want)
	}
}

// Houses are convex and counterclockwise, and houses of a town overlap little.
func TestPrismTown(t *testing.T) {
	prisms, objects := scene.PrismTown(500, 2000, 1)
	if len(prisms) != 500 || len(objects) != 2000 {
		t.Fatalf("%d houses, %d objects", len(prisms), len(objects))
	}
	corners := map[int]int{}
	for i, p := range prisms {
		n := len(p.Base)
		corners[n]++
		for k, a := range p.Base {
			b, c := p.Base[(k+1)%n], p.Base[(k+2)%n]
			if turn := (b[0]-a[0])*(c[1]-b[1]) - (b[1]-a[1])*(c[0]-b[0]); turn < 0.1 {
				t.Errorf("house %d turns by %v at %v", i, turn, b)
			}
		}
		if p.Z0 != 0 || p.Z1 < 5 || p.Z1 > 17 {
			t.Errorf("house %d from %v to %v", i, p.Z0, p.Z1)
		}
	}
	if corners[4] < 100 || corners[5] < 100 || corners[6] < 100 {
		t.Errorf("houses by their corners: %v", corners)
	}
	var flat []float32
	for _, p := range prisms {
		for _, c := range p.Base {
			flat = append(flat, c[0], c[1], p.Z1)
		}
	}
	if got, want := digest(t, flat)+digest(t, records(objects)), "fdace77a1012b52e03f3cc51ba21e72f"; got != want {
		t.Errorf("digest %q, want %q", got, want)
	}
}

func TestPartitionPinned(t *testing.T) {
	first, later := scene.Partition(0), scene.Partition(7)
	if n := len(first); n != 1332 || first[n-1].Mask != scene.PartitionMask || first[n-1].Box != later[n-1].Box || first[0].Box == later[0].Box {
		t.Errorf("%d objects, the last %+v", n, first[n-1])
	}
	c := scene.Audience()
	if got, want := digest(t, records(later))+digest(t, c.Planes()), "1b05de92fcb53159a66dce5e46773d2a"; got != want {
		t.Errorf("digest %q, want %q", got, want)
	}
}
