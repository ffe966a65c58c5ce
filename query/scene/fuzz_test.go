package scene_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// No false negatives for a box under any transform: for planes through a corner of the image, a box that
// touches it there, or a ray to it.
func FuzzTouching(f *testing.F) {
	f.Add(1., 0., 0., 3., 0., 1., 0., 4., 0., 0., 1., 5., float32(1), float32(2), float32(1), float32(0), float32(0), uint8(3))
	f.Add(0., -1., 0., 1e6, 1., 0., 0., 4., 0., 0., 1e-3, 5., float32(-1), float32(2), float32(1), float32(2), float32(-3), uint8(0))
	f.Add(1., 1., 0., 3., 1., 1.00001, 0., 4., 0., 0., 1., 5., float32(-1), float32(1000), float32(0.1), float32(0.2), float32(0.3), uint8(7))
	f.Fuzz(func(t *testing.T, a, b, c, x, d, e, g, y, h, i, j, z float64, lo, hi, nx, ny, nz float32, corner uint8) {
		transform, err := linear.NewTransform([12]float64{a, b, c, x, d, e, g, y, h, i, j, z})
		box := soa.AABB{Min: [3]float32{lo, lo, lo}, Max: [3]float32{hi, hi, hi}}
		if err != nil || box.Check() != nil {
			return
		}
		s := newScene(t)
		if _, err := s.AddInstance(trees.Plant(t, []soa.Object{{Box: box, Mask: 1}}, false), transform, linear.InstanceOptions{}); err != nil {
			return
		}
		v, im := s.View(), imageOf([]*linear.Transform{&transform})
		at := im.point(&box, [3]float64{float64(corner & 1), float64(corner >> 1 & 1), float64(corner >> 2 & 1)})
		n := [3]float32{nx, ny, nz}
		var near [3]float32
		sum := 0.0
		for k := range 3 {
			near[k] = float32(at[k])
			sum += float64(n[k]) * at[k]
		}
		plane := [4]float32{nx, ny, nz, float32(-sum)}
		if volume, err := query.ConvexPlanes([][4]float32{plane}); err == nil {
			wide := [4]float64{float64(nx), float64(ny), float64(nz), float64(plane[3])}
			if im.passes(wide, &box) && !scene.Any(volume, v, query.Filter{}) {
				t.Fatalf("plane %v loses %v under %v", plane, box, transform.Rows())
			}
		}
		far := near
		for k := range 3 {
			far[k] += n[k]
			far[k], near[k] = max(far[k], near[k]), min(far[k], near[k])
		}
		if volume, err := query.NewBox(near, far); err == nil {
			q := soa.AABB{Min: near, Max: far}
			if im.meetsBox(&box, &q) && !scene.Any(volume, v, query.Filter{}) {
				t.Fatalf("box %v loses %v under %v", q, box, transform.Rows())
			}
		}
		var from [3]float32
		for k := range 3 {
			from[k] = float32(at[k]) - n[k]
		}
		if ray, err := query.NewRay(from, n, 2); err == nil {
			if met, when := im.ray(&box, from, n, 2); met {
				hit, ok := scene.First(ray, v, query.Filter{})
				if !ok || float64(hit.Dist) > when*(1+0x1p-20)+1e-40 {
					t.Fatalf("ray from %v along %v: %v %v, exactly at %v: %v under %v", from, n, hit, ok, when, box, transform.Rows())
				}
			}
		}
		if ball, err := query.NewSphere(near, max(nx, -nx)); err == nil {
			share, dist := im.nearest(&box, [3]float64{float64(near[0]), float64(near[1]), float64(near[2])})
			if dist+im.off(&box) < math.Abs(float64(nx)) && !scene.Any(ball, v, query.Filter{}) {
				t.Fatalf("ball about %v of radius %v loses %v under %v, %v from there at %v", near, nx, box, transform.Rows(), dist, share)
			}
		}
	})
}

// above returns the least value of a plane over a box, exactly.
func above(p *[4]float64, b *soa.AABB) *rational.Rat {
	sum := new(rational.Rat).SetFloat64(p[3])
	for a := range 3 {
		x := b.Min[a]
		if p[a] < 0 {
			x = b.Max[a]
		}
		n, v := new(rational.Rat).SetFloat64(p[a]), new(rational.Rat).SetFloat64(float64(x))
		sum.Add(sum, n.Mul(n, v))
	}
	return sum
}

// Boxes of instances that are reported inside planes are so in exact arithmetic, however closely planes
// pass them; boxes well inside are reported.
func TestInsideTest(t *testing.T) {
	rng := testkit.Rand(7)
	told, close, untold := 0, 0, 0
	for round := range 200 {
		objects := make([]soa.Object, 40)
		for i := range objects {
			for a := range 3 {
				c, half := rng.NormFloat64()*100, rng.Float64()*5
				objects[i].Box.Min[a], objects[i].Box.Max[a] = float32(c-half), float32(c+half)
			}
			objects[i].Mask = 1
		}
		m := scene.Opened(query.Frustum{})
		if m.Form.Precise = round%4 == 3; round%4 == 1 {
			m.Form.Kind = walk.KindPlanes
		}
		for i := range m.Form.N {
			p := &m.Form.Planes[i]
			*p = [4]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64() * 100}
			switch b := &objects[rng.IntN(len(objects))].Box; {
			case i == 0:
				*p = [4]float64{} // no plane
			case i%2 == 0: // through a corner of a box, up to rounding
				p[3] = 0
				for a := range 3 {
					x := b.Min[a]
					if p[a] < 0 {
						x = b.Max[a]
					}
					p[3] -= float64(p[a] * float64(x))
				}
			default:
				p[3] += 150
			}
		}
		m.Inside(trees.Plant(t, objects, round%2 == 0).View(), func(box soa.AABB, inside bool) {
			exactly, surely, closely := true, true, false
			for i := range m.Form.N {
				p := &m.Form.Planes[i]
				least := above(p, &box)
				size := math.Abs(p[3])
				for a := range 3 {
					size += math.Abs(p[a]) * 500
				}
				got, _ := least.Float64()
				exactly, surely = exactly && least.Sign() >= 0, surely && (*p == [4]float64{} || got > size*0x1p-19)
				closely = closely || math.Abs(got) < size*0x1p-23
			}
			if inside && !exactly || surely && !inside {
				t.Fatalf("planes %v, box %v: reported inside %v, surely %v, exactly %v", m.Form.Planes[:m.Form.N], box, inside, surely, exactly)
			}
			if inside {
				told++
			} else {
				untold++
			}
			if closely {
				close++
			}
		})
	}
	if told < 500 || untold < 1000 || close < 100 {
		t.Errorf("%d boxes inside, %d not, %d closely", told, untold, close)
	}
}

// The same for boxes and balls, where the result is inside as a whole or not.
func TestInsideTestBodies(t *testing.T) {
	rng := testkit.Rand(8)
	objects := make([]soa.Object, 2000)
	for i := range objects {
		for a := range 3 {
			c, half := rng.NormFloat64()*2, rng.Float64()
			objects[i].Box.Min[a], objects[i].Box.Max[a] = float32(c-half), float32(c+half)
		}
		objects[i].Mask = 1
	}
	places := trees.Plant(t, objects, true).View()
	box := queries.Box(t, soa.AABB{Min: [3]float32{-3, -3, -3}, Max: [3]float32{3, 3, 3}})
	ball, err := query.NewSphere([3]float32{}, 4)
	testkit.Must(t, err)
	for name, x := range map[string]struct {
		form   *scene.Moved
		inside func(b soa.AABB) bool
	}{
		"box": {scene.Opened(box), func(b soa.AABB) bool {
			return min(b.Min[0], b.Min[1], b.Min[2]) >= -3 && max(b.Max[0], b.Max[1], b.Max[2]) <= 3
		}},
		"ball": {scene.Opened(ball), func(b soa.AABB) bool {
			sum := 0.0
			for a := range 3 {
				far := float64(max(-b.Min[a], b.Max[a]))
				sum += float64(far * far)
			}
			return sum <= 16
		}},
	} {
		told := 0
		x.form.Inside(places, func(b soa.AABB, inside bool) {
			if want := x.inside(b); inside != want {
				t.Errorf("%s: %v is inside %v, reported %v", name, b, want, inside)
			}
			if inside {
				told++
			}
		})
		if told < 100 || told > 1900 {
			t.Errorf("%s: %d of 2000 are inside", name, told)
		}
	}
}
