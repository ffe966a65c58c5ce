package lab

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// The scene agrees with its references, and these detect a scene with moved instances.
func TestInstances(t *testing.T) {
	b := must.Get(NewInstances(60, 30, 1))
	if got := b.View.Total(); got != uint64(len(b.Flat.Objects)) || b.Flat.Tree.Len() != len(b.Flat.Objects) {
		t.Fatalf("%d objects in the scene, %d in the flat tree, want %d", got, b.Flat.Tree.Len(), len(b.Flat.Objects))
	}
	var planes [][6][4]float32
	for _, c := range scene.Cameras(b.Flat.Objects, 0.1, 8, 1) {
		planes = append(planes, c.Planes())
	}
	frusta := must.Get(b.Flat.Agreed(NewFrusta(planes)))
	given := scene.BoxQueries(b.Flat.Objects, 20, 8, 1)
	boxes := must.Get(b.Flat.Agreed(NewBoxes(given)))
	rays := must.Get(NewRays(scene.RayQueries(b.Flat.Objects, 8, 1), RayFirst))
	points := scene.PointQueries(b.Flat.Objects, 8, 1)
	checks := map[string]func() error{
		"frusta": func() error { return b.CheckFrusta(planes, frusta.(*Volumes[query.Frustum]).Queries) },
		"boxes":  func() error { return b.CheckBoxes(given, boxes.(*Volumes[query.Box]).Queries) },
		"rays":   func() error { return b.CheckRays(rays.Given, rays.Queries) },
		"points": func() error { return b.CheckNearest(points, 8) },
		"pairs":  b.CheckPairs,
	}
	for name, check := range checks {
		if err := check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := b.RaysTask(rays.Queries).Do(); n == 0 {
		t.Error("no ray has hit anything")
	}
	if n := b.NearestTask(points, 8).Do(); n != 8*8 {
		t.Errorf("%d neighbours of 8 points, want 8 of each", n)
	}
	// The flat tree finds the objects that the scene finds, up to rounding; the scene finds more.
	for name, n := range map[string][2]uint64{
		"frusta": {VolumesTask(b, frusta.(*Volumes[query.Frustum]).Queries).Do(), b.Flat.QueryTask(frusta).Do()},
		"boxes":  {VolumesTask(b, boxes.(*Volumes[query.Box]).Queries).Do(), b.Flat.QueryTask(boxes).Do()},
		"pairs":  {b.PairsTask(true).Do(), b.Flat.QueryTask(&AllPairs{}).Do()},
		"once":   {b.PairsTask(false).Do(), b.PairsTask(true).Do()},
	} {
		if n[0] == 0 || n[0] >= n[1] {
			t.Errorf("%s: %d found in the scene, %d in the flat tree", name, n[0], n[1])
		}
	}
	if scene, flat := b.Bytes(); scene <= 0 || flat <= 0 {
		t.Errorf("%d bytes of the scene, %d of the flat tree", scene, flat)
	}
	for i := range b.Where {
		b.Where[i].Rows[3] += float64(3 + i%5) // pairs do not notice if all go the same way
		b.Where[i].Rows[11] += 1
	}
	for name, check := range checks {
		if err := check(); err == nil {
			t.Errorf("%s: the reference agrees with instances at other positions", name)
		}
	}
}

// Another scene of the same parts has the same instances.
func TestNewScene(t *testing.T) {
	b := must.Get(NewInstances(45, 10, 2))
	s := must.Get(b.NewScene(linear.InstanceOptions{Turns: true}))
	for i := range b.Where {
		part, transform, ok := s.Instance(uint32(i))
		if !ok || part != linear.Part(b.Parts[b.Where[i].Part]) || transform != b.Transforms[i] {
			t.Fatalf("instance %d has another part or transform", i)
		}
	}
	must.Do(s.Validate())
}

// Solids intersect as boxes do, and as rotated cubes.
func TestSolids(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	identity := [12]float64{0: 1, 5: 1, 10: 1}
	random := func() (b soa.AABB) {
		for a := range 3 {
			b.Min[a] = float32(rng.Float64() * 10)
			b.Max[a] = b.Min[a] + float32(rng.Float64()*6)
		}
		return b
	}
	overlaps := 0
	for range 1000 {
		a, b := random(), random()
		s, q := solidOf(&identity, &a), solidOf(&identity, &b)
		surely, possibly := s.meets(&q, 0)
		if want := a.Overlaps(b); surely != want || possibly != want {
			t.Fatalf("%v and %v: surely %v, possibly %v", a, b, surely, possibly)
		} else if want {
			overlaps++
		}
	}
	if overlaps < 100 || overlaps > 900 {
		t.Errorf("%d of 1000 boxes overlap", overlaps)
	}
	cube := soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}}
	c := math.Sqrt(0.5)
	for x, want := range map[float64]bool{2.3: true, 2.41: true, 2.42: false, 3: false} {
		rows := [12]float64{c, -c, 0, x, c, c, 0, 0, 0, 0, 1, 0}
		s, q := solidOf(&identity, &cube), solidOf(&rows, &cube)
		if surely, possibly := s.meets(&q, 0); surely != want || possibly != want {
			t.Errorf("a turned cube at %v: surely %v, possibly %v", x, surely, possibly)
		}
		if _, possibly := s.meets(&q, 1); !possibly {
			t.Errorf("a turned cube at %v: not within 1", x)
		}
	}
	// Two edges that cross: no face separates them.
	along := [12]float64{c, -c, 0, 0, c, c, 0, 0, 0, 0, 1, 0}
	for x, want := range map[float64]bool{2.8: true, 2.9: false} {
		across := [12]float64{c, 0, c, x, 0, 1, 0, 0, -c, 0, c, 0}
		s, q := solidOf(&along, &cube), solidOf(&across, &cube)
		if surely, possibly := s.meets(&q, 0); surely != want || !possibly {
			t.Errorf("crossing edges at %v: surely %v, possibly %v", x, surely, possibly)
		}
	}
}

// A ray hits a rotated and a mirrored box at positions computed by hand.
func TestLocalRay(t *testing.T) {
	r := scene.Ray{Origin: [3]float32{-10, 0, 0}, Dir: [3]float32{1, 0, 0}, MaxT: 100}
	cube := soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}}
	c := math.Sqrt(0.5)
	for name, x := range map[string]struct {
		rows     [12]float64
		from, to float64
	}{
		"turned":   {[12]float64{c, -c, 0, 0, c, c, 0, 0, 0, 0, 1, 0}, 10 - math.Sqrt2, 10 + math.Sqrt2},
		"mirrored": {[12]float64{-2, 0, 0, 4, 0, 1, 0, 0, 0, 0, 1, 0.5}, 12, 16},
		"missed":   {[12]float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 5}, 1, 0},
	} {
		inv := inverse(&x.rows)
		l := localRay(&inv, &r)
		if from, to := l.through(&cube, 0); math.Abs(from-x.from)+math.Abs(to-x.to) > 1e-9 {
			t.Errorf("%s: %v to %v, want %v to %v", name, from, to, x.from, x.to)
		}
	}
}

// Objects read from the file of a scene are renumbered, by instance and object; a scene that is not one of
// instances of trees alone is an error.
func TestLoadInstances(t *testing.T) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := linear.NewScene(linear.Config{})
	check(err)
	a, err := BuildFrozen([]soa.Object{{}, {Mask: 1}, {Mask: 2}}, 1, nil)
	check(err)
	check(a.Remove(0))
	b, err := BuildFrozen([]soa.Object{{Mask: 7}}, 1, nil)
	check(err)
	for i, part := range []*linear.Tree{b, a, b, a} {
		transform, err := linear.NewTransform([12]float64{0: 1, 3: float64(i), 5: 1, 10: 1})
		check(err)
		_, err = s.AddInstance(part, transform, linear.InstanceOptions{})
		check(err)
	}
	check(s.Remove(0))
	check(s.Tick())
	path := filepath.Join(t.TempDir(), "scene")
	save := func() {
		t.Helper()
		check(s.Save(t.Context(), path, linear.SnapshotOptions{}))
	}
	save()
	parts, where, err := LoadInstances(path)
	check(err)
	if len(parts) != 2 || len(parts[0]) != 2 || parts[0][0].Mask != 1 || parts[0][1].Mask != 2 || len(parts[1]) != 1 || parts[1][0].Mask != 7 {
		t.Errorf("parts %v", parts)
	}
	if len(where) != 3 || where[0].Part != 0 || where[1].Part != 1 || where[2].Part != 0 || where[0].Rows[3] != 1 || where[2].Rows[3] != 3 {
		t.Errorf("instances %v", where)
	}
	if !HoldsScene(path) || HoldsScene(path+"x") || HoldsScene("instances_test.go") {
		t.Error("HoldsScene does not recognize scenes")
	}
	inner, err := linear.NewScene(linear.Config{})
	check(err)
	_, err = inner.AddInstance(b, linear.Transform{}, linear.InstanceOptions{})
	check(err)
	id, err := s.AddInstance(inner, linear.Transform{}, linear.InstanceOptions{})
	check(err)
	save()
	if _, _, err := LoadInstances(path); err == nil || !strings.Contains(err.Error(), " has 1 instances") {
		t.Errorf("a scene of scenes: %v", err)
	}
	check(s.Remove(id))
	_, err = s.Tree().Insert(soa.Object{})
	check(err)
	save()
	if _, _, err := LoadInstances(path); err == nil || !strings.Contains(err.Error(), "1 objects of its own") {
		t.Errorf("a scene with an object: %v", err)
	}
}
