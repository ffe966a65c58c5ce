package query_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// pixelSlack is the error of pixels of the tests by the rounding of rays, planes and matrices to float32: their
// cameras are up to 60 from the origin, and see at least 0.3 at a distance of 1 in up to 1,500 pixels.
const pixelSlack = 0.05

// Every point of a line projects to its pixel, from the near to the far plane, in every projection and every form of
// it.
func TestPickLine(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for kind := range testkit.Budget(t, 60, 2000) {
		p := randomProjection(rng, kind)
		for _, s := range p.shown(t) {
			for range 10 {
				x, y := (3*rng.Float64()-1)*float64(p.width), (3*rng.Float64()-1)*float64(p.height)
				from, dir, dist, err := s.view.PickLine(x, y)
				if err != nil {
					t.Fatalf("%s: %v of %+v", s.name, err, p)
				}
				length := float64(dist)
				if math.IsInf(p.far, 1) != math.IsInf(length, 1) {
					t.Fatalf("%s: the line is %v long, of %+v", s.name, length, p)
				}
				length = min(length, 1e4)
				d := testkit.Wide(dir)
				if l := inner(d, d); math.Abs(l-1) > 0x1p-21 {
					t.Fatalf("%s: direction %v", s.name, dir)
				}
				for _, share := range []float64{0, 0.01, 0.5, 1} {
					var at [3]float64
					for a := range 3 {
						at[a] = float64(from[a]) + length*share*d[a]
					}
					gotX, gotY, depth := p.pixel(at)
					if math.Abs(gotX-x) > pixelSlack || math.Abs(gotY-y) > pixelSlack {
						t.Fatalf("%s: the line of %v, %v is seen at %v, %v, of %+v", s.name, x, y, gotX, gotY, p)
					}
					if share == 0 && math.Abs(depth-p.near) > 1e-4 || share == 1 && !math.IsInf(p.far, 1) && math.Abs(depth-p.far) > 1e-2 {
						t.Fatalf("%s: the line goes through %v at share %v, near %v, far %v", s.name, depth, share, p.near, p.far)
					}
				}
				// It reaches the far plane, unless a matrix in float32 moves the plane.
				if s.exact && length < 1e4 {
					_, _, depth := p.pixel([3]float64{
						float64(from[0]) + length*d[0], float64(from[1]) + length*d[1], float64(from[2]) + length*d[2],
					})
					if depth < p.far-1e-6 || depth > p.far*(1+0x1p-22) {
						t.Fatalf("%s: the line ends at depth %v, the far plane is at %v", s.name, depth, p.far)
					}
				}
				// The ray equals that of the numbers.
				r, err := s.view.PickRay(x, y)
				testkit.Must(t, err)
				if same, err := query.NewRay(from, dir, dist); err != nil || same != r {
					t.Fatalf("%s: the ray of %v, %v is not that of its numbers, %v", s.name, x, y, err)
				}
			}
		}
	}
}

// A projection with y downward in clip space has its image upside down.
func TestPickUpsideDown(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for kind := range testkit.Budget(t, 20, 200) {
		p := randomProjection(rng, kind)
		clip := query.ClipZeroToOne
		if math.IsInf(p.far, 1) {
			clip |= query.ClipInfiniteFar
		}
		m := p.matrix(clip)
		v, err := query.ViewportColumnMajor64(m, clip, [3]float64{}, p.width, p.height)
		testkit.Must(t, err)
		for c := range 4 {
			m[4*c+1] = -m[4*c+1]
		}
		down, err := query.ViewportColumnMajor64(m, clip, [3]float64{}, p.width, p.height)
		testkit.Must(t, err)
		for range 20 {
			x, y := rng.Float64()*float64(p.width), rng.Float64()*float64(p.height)
			from, dir, dist, err := v.PickLine(x, y)
			testkit.Must(t, err)
			from2, dir2, dist2, err := down.PickLine(x, float64(p.height)-y)
			testkit.Must(t, err)
			away := math.Abs(float64(dist)-float64(dist2)) / float64(dist)
			if math.IsInf(float64(dist), 1) && dist == dist2 {
				away = 0
			}
			for a := range 3 {
				away = max(away, math.Abs(float64(from[a]-from2[a])), math.Abs(float64(dir[a]-dir2[a])))
			}
			if !(away < 1e-4) {
				t.Fatalf("%v, %v, %v upright, %v, %v, %v upside down", from, dir, dist, from2, dir2, dist2)
			}
		}
	}
}

// holds evaluates six planes at a point.
func holds(planes [6][4]float32, at [3]float64) bool {
	for _, p := range planes {
		if float64(p[0])*at[0]+float64(p[1])*at[1]+float64(p[2])*at[2]+float64(p[3]) < 0 {
			return false
		}
	}
	return true
}

// The frustum of a rectangle holds the points that are visible in it and no others.
func TestPickFrustum(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	in, out := 0, 0
	for kind := range testkit.Budget(t, 60, 2000) {
		p := randomProjection(rng, kind)
		w, h := float64(p.width), float64(p.height)
		for _, s := range p.shown(t) {
			// Corners in any order, some of them outside; a click and a line, too.
			x0, y0 := (2*rng.Float64()-0.5)*w, (2*rng.Float64()-0.5)*h
			x1, y1 := (2*rng.Float64()-0.5)*w, (2*rng.Float64()-0.5)*h
			switch rng.IntN(4) {
			case 0:
				x1, y1 = x0, y0
			case 1:
				x1 = x0 + rng.Float64()/2
			}
			f, err := s.view.PickFrustum(x0, y0, x1, y1)
			testkit.Must(t, err)
			left, right, top, bottom := min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
			if right-left < 1 {
				left, right = (x0+x1)/2-0.5, (x0+x1)/2+0.5
			}
			if bottom-top < 1 {
				top, bottom = (y0+y1)/2-0.5, (y0+y1)/2+0.5
			}
			for range 100 {
				// Half of the points are about the rectangle.
				x, y := (3*rng.Float64()-1)*w, (3*rng.Float64()-1)*h
				if rng.IntN(2) == 0 {
					x = left + (1.4*rng.Float64()-0.2)*(right-left)
					y = top + (1.4*rng.Float64()-0.2)*(bottom-top)
				}
				depth := p.near + (rng.Float64()*1.4-0.2)*(min(p.far, 1000)-p.near)
				if !p.parallel && depth <= 0 {
					continue
				}
				at := p.point(x, y, depth)
				gx, gy, gd := p.pixel(at)
				if math.Abs(gx-x) > 1e-6 || math.Abs(gy-y) > 1e-6 || math.Abs(gd-depth) > 1e-6 {
					t.Fatalf("the test's own projection: %v, %v, %v is seen at %v, %v, %v", x, y, depth, gx, gy, gd)
				}
				inside := min(x-left, right-x, y-top, bottom-y, (depth-p.near)*100, (p.far-depth)*10)
				if math.Abs(inside) < pixelSlack {
					continue
				}
				if holds(f.Planes(), at) != (inside > 0) {
					t.Fatalf("%s: a point at %v, %v, depth %v is held: %v by the frustum of %v, %v to %v, %v, of %+v",
						s.name, x, y, depth, inside < 0, x0, y0, x1, y1, p)
				}
				if inside > 0 {
					in++
				} else {
					out++
				}
			}
		}
	}
	if in < out/20 || out < in/20 {
		t.Errorf("%d points inside, %d outside", in, out)
	}
}

// The frustum of the whole image equals that of the projection, and corners can be given in any order.
func TestPickFrustumOfAll(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for kind := range testkit.Budget(t, 60, 1000) {
		p := randomProjection(rng, kind)
		w, h := float64(p.width), float64(p.height)
		for _, s := range p.shown(t) {
			for _, r := range [][4]float64{{0, 0, w, h}, {w, 0, 0, h}, {0, h, w, 0}, {w, h, 0, 0}} {
				f, err := s.view.PickFrustum(r[0], r[1], r[2], r[3])
				testkit.Must(t, err)
				if f != s.whole {
					t.Fatalf("%s: the frustum of %v is %v, that of the projection %v", s.name, r, f.Planes(), s.whole.Planes())
				}
			}
		}
	}
}

// pickCameras are cameras among the objects of a scene, with images for them.
func pickCameras(t *testing.T, objects []soa.Object, count int, seed uint64) (views []query.Viewport, cameras []projection) {
	t.Helper()
	rng := testkit.Rand(seed)
	for _, c := range scene.Cameras(objects, 0.05, count, seed) {
		p := projection{eye: c.Eye, right: c.Right, up: c.Up, forward: c.Forward,
			left: -c.TanX, rightTo: c.TanX, low: -c.TanY, high: c.TanY, near: max(c.Near, 0.5), far: c.Far,
			width: 100 + rng.IntN(1200), height: 100 + rng.IntN(800)}
		v, err := query.Camera{
			Eye: c.Eye, Forward: c.Forward, Up: c.Up, FovY: 2 * math.Atan(c.TanY), Aspect: c.TanX / c.TanY, Near: p.near, Far: p.far,
		}.Viewport(p.width, p.height)
		testkit.Must(t, err)
		views, cameras = append(views, v), append(cameras, p)
	}
	return views, cameras
}

// An object that the ray of a pixel hits is in the frustum of the pixel, in that of a click on it, and in that of
// every rectangle around.
func TestPickedIsSelected(t *testing.T) {
	seed := testkit.Seed(t)
	rng := testkit.Rand(seed)
	hits, spare := 0, 0
	for _, name := range []string{"uniform", "city", "surface"} {
		objects := testkit.SceneByName(t, name).Make(testkit.Budget(t, 5000, 20_000), 1)
		v := plant(t, objects, true).View()
		views, cameras := pickCameras(t, objects, testkit.Budget(t, 5, 200), seed)
		for k, image := range views {
			p := &cameras[k]
			for range 20 {
				i, j := float64(rng.IntN(p.width)), float64(rng.IntN(p.height))
				x, y := i+0.05+0.9*rng.Float64(), j+0.05+0.9*rng.Float64()
				ray, err := image.PickRay(x, y)
				testkit.Must(t, err)
				var met []uint32
				for h := range ray.All(v, query.Filter{}) {
					met = append(met, h.ID)
				}
				for _, r := range [][4]float64{
					{i, j, i + 1, j + 1}, {x, y, x, y}, {x, y, x + 0.3, y - 0.3},
					{i - float64(rng.IntN(50)), j + 1 + float64(rng.IntN(50)), i + 1, j}, {0, 0, float64(p.width), float64(p.height)},
				} {
					f, err := image.PickFrustum(r[0], r[1], r[2], r[3])
					testkit.Must(t, err)
					for _, f := range []query.Frustum{f, f.Precise()} {
						selected := f.Append(nil, v, query.Filter{})
						if slices.Sort(selected); !testkit.NothingLost(t, selected, slices.Sorted(slices.Values(met))) {
							t.Fatalf("%s, camera %+v: pixel %v, %v, rectangle %v", name, p, x, y, r)
						}
						spare += len(selected) - len(met)
					}
				}
				hits += len(met)
			}
		}
	}
	if hits < 100 || spare == 0 {
		t.Errorf("%d hits, %d others in frusta", hits, spare)
	}
}

// A ray through the centre of a box hits the box, and First finds it or an object before it.
func TestPickMiddles(t *testing.T) {
	seed := testkit.Seed(t)
	rng := testkit.Rand(seed)
	picked, behind := 0, 0
	for _, name := range []string{"uniform", "city"} {
		objects := testkit.SceneByName(t, name).Make(testkit.Budget(t, 5000, 20_000), 1)
		v := plant(t, objects, true).View()
		views, cameras := pickCameras(t, objects, testkit.Budget(t, 5, 200), seed)
		for k, image := range views {
			p := &cameras[k]
			for range 400 {
				id := rng.IntN(len(objects))
				b := objects[id].Box
				at := testkit.Wide(b.Center())
				x, y, depth := p.pixel(at)
				small := min(b.Max[0]-b.Min[0], b.Max[1]-b.Min[1], b.Max[2]-b.Min[2]) < 0.01
				if small || !(depth > p.near && depth < p.far && x >= 0 && y >= 0 && x <= float64(p.width) && y <= float64(p.height)) {
					continue
				}
				ray, err := image.PickRay(x, y)
				testkit.Must(t, err)
				h, ok := ray.First(v, query.Filter{})
				all := ray.Append(nil, v, query.Filter{})
				own := slices.IndexFunc(all, func(h query.Hit) bool { return h.ID == uint32(id) })
				if !ok || own < 0 || h != all[0] {
					t.Fatalf("%s, camera %+v: object %d, seen at %v, %v, is not picked: %v, %v", name, p, id, x, y, h, all)
				}
				// Dist is the distance of the box behind the near plane, along the ray.
				_, _, entry := p.pixel(testkit.Wide(all[own].Pos))
				middle := p.point(x, y, p.near)
				way := math.Hypot(math.Hypot(at[0]-middle[0], at[1]-middle[1]), at[2]-middle[2]) // from the near plane to the middle
				if d := float64(all[own].Dist); d > way+1e-3 || math.Abs(entry-(p.near+d*(depth-p.near)/way)) > 1e-3*max(1, entry) {
					t.Fatalf("%s: object %d is met at distance %v, depth %v; its middle is at %v, depth %v", name, id, d, entry, way, depth)
				}
				picked++
				if own > 0 {
					behind++
				}
			}
		}
	}
	if picked < 50 || behind == 0 || behind == picked {
		t.Errorf("%d picked, %d of them behind others", picked, behind)
	}
}

// A viewport of bad numbers, and a ray or a frustum where there is none, are rejected, with the numbers in the error.
func TestViewportErrors(t *testing.T) {
	camera := query.Camera{Forward: [3]float64{0, 0, -1}, Up: [3]float64{0, 1, 0}, FovY: 1, Aspect: 1.5, Near: 1, Far: 100}
	p := randomProjection(testkit.Rand(1), 0)
	wide := p.matrix(query.ClipZeroToOne)
	var m [16]float32
	for i, x := range wide {
		m[i] = float32(x)
	}
	zero := [3]float64{}
	for _, size := range [][2]int{{0, 5}, {5, 0}, {-1, 5}, {5, math.MinInt}} {
		_, err := camera.Viewport(size[0], size[1])
		refuse(t, err, "pixels")
		_, err = query.ViewportColumnMajor(m, query.ClipZeroToOne, size[0], size[1])
		refuse(t, err, "pixels")
		_, err = query.ViewportRowMajor(m, query.ClipZeroToOne, size[0], size[1])
		refuse(t, err, "pixels")
		_, err = query.ViewportColumnMajor64(wide, query.ClipZeroToOne, zero, size[0], size[1])
		refuse(t, err, "pixels")
		_, err = query.ViewportRowMajor64(wide, query.ClipZeroToOne, zero, size[0], size[1])
		refuse(t, err, "pixels")
	}
	_, err := camera.Viewport(-3, 7)
	refuse(t, err, "-3 x 7")
	camera.FovY = 4
	_, err = camera.Viewport(3, 7)
	refuse(t, err, "field of view 4")
	_, err = query.ViewportColumnMajor(m, 77, 3, 7)
	refuse(t, err, "0x4d")
	_, err = query.ViewportColumnMajor([16]float32{5: float32(math.NaN())}, query.ClipZeroToOne, 3, 7)
	refuse(t, err, "row 1 (y)", "NaN")
	_, err = query.ViewportColumnMajor64(wide, query.ClipZeroToOne, [3]float64{0, math.Inf(1), 0}, 3, 7)
	refuse(t, err, "origin", "+Inf")

	v := p.shown(t)[0].view
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e308} {
		for _, at := range [][2]float64{{x, 3}, {3, x}} {
			_, err = v.PickRay(at[0], at[1])
			refuse(t, err, "no ray", fmt.Sprint(x))
			_, _, _, err = v.PickLine(at[0], at[1])
			refuse(t, err, "no ray")
			if x == 1e308 {
				continue
			}
			_, err = v.PickFrustum(at[0], at[1], 5, 5)
			refuse(t, err, "no frustum", fmt.Sprint(x))
			_, err = v.PickFrustum(5, 5, at[0], at[1])
			refuse(t, err, "no frustum", fmt.Sprint(x))
		}
	}
	_, err = query.Viewport{}.PickRay(3, 4)
	refuse(t, err, "zero", "3, 4")
	_, err = query.Viewport{}.PickFrustum(3, 4, 5, 6)
	refuse(t, err, "zero")

	// Projections without the ray: taken back to front, with the eye between the planes, and onto a line, whose
	// pixels have no line at all.
	none := func(m [16]float64, mention string) {
		t.Helper()
		v, err := query.ViewportColumnMajor64(m, query.ClipZeroToOne, zero, 10, 10)
		testkit.Must(t, err)
		_, err = v.PickRay(5, 5)
		refuse(t, err, "no ray at 5, 5 of 10 x 10", mention)
	}
	q := p
	q.near, q.far = 50, 5
	none(q.matrix(query.ClipZeroToOne), "to the camera")
	none(p.matrix(query.ClipReversedZ), "to the camera")
	q.near, q.far = -50, 50
	none(q.matrix(query.ClipZeroToOne), "in front of the camera")
	for _, factor := range []float64{0, 2} { // y is 0, or twice x
		flat := wide
		for c := range 4 {
			flat[4*c+1] = factor * wide[4*c]
		}
		_, err = query.ViewportColumnMajor64(flat, query.ClipZeroToOne, zero, 10, 10)
		refuse(t, err, "row", "1 (y)")
	}
	flat := wide
	for c := range 4 {
		flat[4*c+2] = 3 * wide[4*c] // depth is three times x
	}
	none(flat, "near plane")
}

func TestPickAllocatesNothing(t *testing.T) {
	p := randomProjection(testkit.Rand(1), 0)
	for _, s := range p.shown(t) {
		testkit.Allocs(t, 50, func() {
			_, err := s.view.PickRay(3.5, 4.5)
			_, err2 := s.view.PickFrustum(1, 2, 3, 4)
			if err != nil || err2 != nil {
				t.Error(err, err2)
			}
		})
	}
}

// Any matrix, origin, pixels: if not rejected, the result is a ray of finite numbers and length 1, and a frustum of
// finite planes.
func FuzzViewport(f *testing.F) {
	seed := func(p projection, clip query.Clip, more ...float64) {
		var data []byte
		m := p.matrix(clip)
		for _, x := range append(m[:], more...) {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
		}
		f.Add(data, uint8(clip), p.width, p.height)
	}
	rng := testkit.Rand(1)
	for kind := range 12 {
		seed(randomProjection(rng, kind), query.Clip(kind%3), 1, 2, 3, 100, 200, 300, 400)
	}
	p := randomProjection(rng, 0)
	seed(p, query.ClipZeroToOne, 1e300, -1e300, 0, math.NaN(), 1e-300, math.Inf(1), 0)
	p.near, p.far = 0, 1e30
	seed(p, query.ClipMinusOneToOne|query.ClipInfiniteFar, 0, 0, 0, 1e17, -1e17, 1e308, 0)
	f.Fuzz(func(t *testing.T, data []byte, clip uint8, width, height int) {
		var x [16 + 3 + 4]float64
		for i := range x {
			if len(data) >= 8 {
				x[i] = math.Float64frombits(binary.LittleEndian.Uint64(data))
				data = data[8:]
			}
		}
		m, origin, at := [16]float64(x[:]), [3]float64(x[16:]), x[19:]
		var m32 [16]float32
		for i, x := range m {
			m32[i] = float32(x)
		}
		wide, err := query.ViewportColumnMajor64(m, query.Clip(clip), origin, width, height)
		if _, err2 := query.FrustumColumnMajor64(m, query.Clip(clip), origin); err == nil && err2 != nil {
			t.Fatalf("the matrix has a viewport and no frustum: %v", err2)
		}
		plain, err2 := query.ViewportRowMajor(m32, query.Clip(clip), width, height)
		for _, v := range []struct {
			query.Viewport
			error
		}{{wide, err}, {plain, err2}} {
			if v.error != nil && v.Viewport != (query.Viewport{}) {
				t.Fatalf("a viewport beside the error %v", v.error)
			}
			from, dir, dist, err := v.PickLine(at[0], at[1])
			if err == nil {
				d := testkit.Wide(dir)
				if _, err := query.NewRay(from, dir, dist); err != nil || math.Abs(inner(d, d)-1) > 0x1p-20 {
					t.Fatalf("from %v along %v for %v: %v", from, dir, dist, err)
				}
			}
			if _, err2 := v.PickRay(at[0], at[1]); (err == nil) != (err2 == nil) {
				t.Fatalf("a ray: %v, its numbers: %v", err2, err)
			}
			if f, err := v.PickFrustum(at[0], at[1], at[2], at[3]); err == nil {
				if again, err := query.FrustumPlanes(f.Planes()); err != nil || again.Planes() != f.Planes() {
					t.Fatalf("planes %x, made again %x, %v", f.Planes(), again.Planes(), err)
				}
				f.Corners()
			}
		}
	})
}
