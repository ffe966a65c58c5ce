package scene_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
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
