package query_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// orientedQueries returns oriented boxes that are hard for the objects: turned ones in boxes of queries, in objects
// and around them, flat ones, and one around all objects.
func orientedQueries(r *rand.Rand, objects []soa.Object, n int) (list []soa.OrientedBox) {
	var boxes []soa.AABB
	for _, answers := range []int{2, 30, 1000} {
		boxes = append(boxes, scene.BoxQueries(objects, answers, n, r.Uint64())...)
	}
	if len(objects) > 0 {
		boxes = append(boxes, scene.Bounds(objects), objects[r.IntN(len(objects))].Box)
	}
	for _, b := range boxes {
		b = finiteBox(b)
		o := testkit.OrientedIn(r, b)
		for range r.IntN(2) { // so that it has twice the size, and touches things elsewhere
			for i := range 3 {
				for k := range 3 {
					o.Axes[i][k] *= 2
				}
			}
		}
		if o.Check() == nil && o.Box().Check() == nil {
			list = append(list, o)
		}
	}
	return append(list, soa.OrientedBox{})
}

// meetsTurned reports whether a box shares a point with an oriented one in exact arithmetic; sure is false where
// float64 cannot decide.
func meetsTurned(x *testkit.Turned, b soa.AABB, outer soa.AABB) (meets, sure bool) {
	if !b.Overlaps(outer) {
		return false, true
	}
	for k := range 3 { // points beyond it do not count
		b.Min[k], b.Max[k] = max(b.Min[k], outer.Min[k]), min(b.Max[k], outer.Max[k])
	}
	y := testkit.TurnedBox(b)
	gap, _ := x.Gap(&y)
	size := sizeOf(outer.Min[:]...) + sizeOf(outer.Max[:]...)
	if math.Abs(gap) > size*0x1p-42 {
		return gap < 0, true
	}
	return testkit.SlabsMeet(append(x.Slabs(), testkit.BoxSlabs(b)...)), false
}

// The rounded planes of the walk hold slivers outside the box. They are in no result, whether or not a part of the
// tree lies wholly in there: the result is that of the boxes alone. Far from the origin slivers are wide.
func TestOrientedBoxSliver(t *testing.T) {
	const far = 1 << 20
	testkit.EachTier(t, func(t *testing.T) {
		r := testkit.Rand(5)
		b := soa.OrientedBox{Center: [3]float32{far, far, far}, Axes: [3][3]float32{{40, 30, 0}, {-30, 40, 0}, {0, 0, 50}}}
		x := testkit.TurnedOf(b)
		for _, n := range []int{40, 4000} {
			objects := make([]soa.Object, n)
			for i := range objects { // points about the face of the first axis
				var p [3]float32
				s, u := r.Float64()*1.6-0.8, r.Float64()*1.6-0.8
				off := 1 + 0.01*(r.Float64()-0.3)
				for k := range 3 {
					p[k] = float32(x.Center[k] + off*x.Axes[0][k] + s*x.Axes[1][k] + u*x.Axes[2][k])
				}
				objects[i].Box = soa.AABB{Min: p, Max: p}
			}
			want := 0
			for _, o := range objects {
				if meets, _ := meetsTurned(&x, o.Box, b.Box()); meets {
					want++
				}
			}
			q := orientedBox(t, b)
			planes := query.Filter{}
			for form, tree := range plantAll(t, objects).Trees {
				if got := forms(t, q, q.All(tree.View(), planes), tree.View(), planes); len(got) != want || want == 0 || want == n {
					t.Errorf("%s: %d of %d points, want %d", form, len(got), n, want)
				}
			}
			// A frustum of the faces, the volume of the walk, holds more.
			f, err := query.FrustumPlanes([6][4]float32{
				{4, 3, 0, -4*(far-40) - 3*(far-30)}, {-4, -3, 0, 4*(far+40) + 3*(far+30)},
				{-3, 4, 0, 3*(far+30) - 4*(far-40)}, {3, -4, 0, -3*(far-30) + 4*(far+40)},
				{0, 0, 1, -far + 50}, {0, 0, -1, far + 50},
			})
			testkit.Must(t, err)
			if got := f.Count(trees.Plant(t, objects, true).View(), query.Filter{}); got < want {
				t.Errorf("%d points in the planes, %d in the box", got, want)
			}
		}
	})
}

// Faces and edges that touch are hit; the next number away is not.
func TestOrientedBoxTouch(t *testing.T) {
	b := soa.OrientedBox{Center: [3]float32{10, 0, 0}, Axes: [3][3]float32{{3, 4, 0}, {-4, 3, 0}, {0, 0, 2}}}
	next := func(x, to float32) float32 { return math.Nextafter32(x, to) }
	for _, c := range []struct {
		name string
		box  soa.AABB
		want int
	}{
		{"a corner at a corner", soa.AABB{Min: [3]float32{9, 7, 2}, Max: [3]float32{9, 9, 9}}, 1},
		{"beyond that", soa.AABB{Min: [3]float32{9, 7, next(2, 9)}, Max: [3]float32{9, 9, 9}}, 0},
		{"a point of a face", soa.AABB{Min: [3]float32{13, 4, 1}, Max: [3]float32{13, 4, 1}}, 1},
		{"off the face", soa.AABB{Min: [3]float32{13, next(4, 9), 1}, Max: [3]float32{13, 9, 1}}, 0},
		{"an edge on an edge", soa.AABB{Min: [3]float32{17, -1, -9}, Max: [3]float32{20, 8, 9}}, 1},
		{"off the edge", soa.AABB{Min: [3]float32{next(17, 20), -1, -9}, Max: [3]float32{20, 8, 9}}, 0},
		{"in a corner of the box around it", soa.AABB{Min: [3]float32{15.5, 5, -1}, Max: [3]float32{17, 7, 1}}, 0},
		{"around it", soa.AABB{Min: [3]float32{-1e30, -1e30, -1e30}, Max: [3]float32{1e30, 1e30, 1e30}}, 1},
		{"all that there is", soa.AABB{Min: [3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32}, Max: [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}}, 1},
	} {
		v := trees.Plant(t, []soa.Object{{Box: c.box}}, false).View()
		if got := orientedBox(t, b).Count(v, query.Filter{}); got != c.want {
			t.Errorf("%s: %d found, want %d", c.name, got, c.want)
		}
	}
	if got := (query.OrientedBox{}).Count(trees.Plant(t, []soa.Object{{}, {Box: soa.AABB{Min: [3]float32{1, 1, 1}, Max: [3]float32{2, 2, 2}}}}, false).View(), query.Filter{}); got != 1 {
		t.Errorf("the zero value finds %d, want what holds the origin", got)
	}
}

// Oriented boxes of any numbers are rejected, or have the results of the exact test of each object, and no form
// fails.
func FuzzOrientedBox(f *testing.F) {
	f.Add(float32(1), float32(2), float32(3), float32(4), float32(5), float32(6), float32(0.5), uint8(0))
	f.Add(float32(0), float32(-1e30), float32(1e-40), float32(1e10), float32(0), float32(3), float32(2), uint8(3))
	f.Fuzz(func(t *testing.T, x, y, z, a, b, c, turn float32, kind uint8) {
		sin, cos := math.Sincos(float64(turn))
		box := soa.OrientedBox{Center: [3]float32{x, y, z}}
		k := int(kind) % 3
		box.Axes[k][k] = c
		i, j := (k+1)%3, (k+2)%3
		box.Axes[i][i], box.Axes[i][j] = float32(float64(a)*cos), float32(float64(a)*sin)
		box.Axes[j][i], box.Axes[j][j] = float32(float64(-b)*sin), float32(float64(b)*cos)
		if kind&64 != 0 {
			box.Axes[i][k] = turn
		}
		q, err := query.NewOrientedBox(box)
		if err != nil {
			if box.Check() == nil && box.Box().Check() == nil {
				t.Fatalf("%v is refused: %v", box, err)
			}
			return
		}
		outer, turned := box.Box(), testkit.TurnedOf(box)
		objects := []soa.Object{{Box: outer}, {}, {Box: soa.AABB{Min: outer.Max, Max: outer.Max}}, {Box: soa.AABB{Min: box.Center, Max: outer.Max}}}
		for range 20 { // so that there is a tree to walk
			objects = append(objects, objects...)[:min(2*len(objects), 300)]
		}
		v := trees.Plant(t, objects, true).View()
		ids := forms(t, q, q.All(v, query.Filter{}), v, query.Filter{})
		got := slices.Sorted(slices.Values(ids))
		for id, o := range objects {
			_, found := slices.BinarySearch(got, uint32(id))
			if meets, sure := meetsTurned(&turned, o.Box, outer); found != meets && (sure || meets) && id < 4 {
				t.Fatalf("%v: object %d %v was found: %v", box, id, o.Box, found)
			}
		}
	})
}
