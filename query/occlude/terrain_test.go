package occlude_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// passesGround returns the depth at which the ray from the viewpoint enters the ground; +Inf if it does
// not.
func passesGround(g *scene.Terrain, r *occlude.Rays, x, y float64) float64 {
	var d [3]float64
	for a := range 3 {
		d[a] = r.D0[a] + x*r.DX[a] + y*r.DY[a]
	}
	o := r.Ref
	side := float64(g.Cells) * g.Cell
	// The part of the ray above the square, cell by cell.
	in, out := 0.0, math.Inf(1)
	for a := range 2 {
		t0, t1 := -o[a]/d[a], (side-o[a])/d[a]
		in, out = max(in, min(t0, t1)), min(out, max(t0, t1))
	}
	i, j := int((o[0]+in*d[0]+1e-9*d[0])/g.Cell), int((o[1]+in*d[1]+1e-9*d[1])/g.Cell)
	next := func(a, k int) float64 {
		if d[a] > 0 {
			k++
		}
		return (float64(k)*g.Cell - o[a]) / d[a]
	}
	for t := in; t < out && i >= 0 && j >= 0 && i < g.Cells && j < g.Cells; {
		tx, ty := next(0, i), next(1, j)
		end := min(tx, ty, out)
		k := j*(g.Cells+1) + i
		h := [4]float64{float64(g.Heights[k]), float64(g.Heights[k+1]), float64(g.Heights[k+g.Cells+1]), float64(g.Heights[k+g.Cells+2])}
		if min(o[2]+t*d[2], o[2]+end*d[2]) <= max(h[0], h[1], h[2], h[3]) {
			// above(t) = z - height is linear on each side of the diagonal.
			u0, v0 := o[0]/g.Cell-float64(i), o[1]/g.Cell-float64(j)
			du, dv := d[0]/g.Cell, d[1]/g.Cell
			fold := (1 - u0 - v0) / (du + dv)
			for _, part := range [2][2]float64{{t, min(max(fold, t), end)}, {min(max(fold, t), end), end}} {
				if part[0] >= part[1] {
					continue
				}
				mid := (part[0] + part[1]) / 2
				above := func(t float64) float64 {
					u, v := u0+t*du, v0+t*dv
					if u0+mid*du+v0+mid*dv <= 1 {
						return o[2] + t*d[2] - (h[0] + (h[1]-h[0])*u + (h[2]-h[0])*v)
					}
					return o[2] + t*d[2] - (h[3] + (h[2]-h[3])*(1-u) + (h[1]-h[3])*(1-v))
				}
				if p, q := above(part[0]), above(part[1]); q <= 0 {
					if p <= 0 {
						return part[0]
					}
					return part[0] + (part[1]-part[0])*p/(p-q)
				}
			}
		}
		if t = end; tx < ty {
			i += int(math.Copysign(1, d[0]))
		} else {
			j += int(math.Copysign(1, d[1]))
		}
	}
	return math.Inf(1)
}

// shown reports whether the ground leaves a point of a box visible: a corner, its middle or the middle of a
// face.
func shown(g *scene.Terrain, r *occlude.Rays, pixels func(p [3]float64) (x, y, depth float64), near float64, b soa.AABB) bool {
	for i := range 27 {
		var p [3]float64
		for a, k := range [3]int{i % 3, i / 3 % 3, i / 9} {
			p[a] = float64(b.Min[a]) + float64(k)/2*(float64(b.Max[a])-float64(b.Min[a]))
		}
		x, y, depth := pixels(p)
		if depth < near {
			return true
		}
		if x >= 0 && y >= 0 && x <= float64(r.Width) && y <= float64(r.Height) && depth <= passesGround(g, r, x, y) {
			return true
		}
	}
	return false
}

// On the ground between hills most objects of the frustum are behind a hill.
func TestTerrain(t *testing.T) {
	ground := scene.NewTerrain(180, 6, 1)
	objects := ground.Strewn(100_000, 1)
	tree := plant(t, objects, linear.Config{Frozen: true})
	corners, triangles := ground.Triangles()
	start := time.Now()
	mesh, err := occlude.NewMesh(corners, triangles)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d triangles, made in %v", len(triangles), time.Since(start))
	for _, c := range []struct{ above, want float64 }{{1.7, 0.88}, {40, 0.7}} {
		hidden, found, frustum := 0, 0, 0
		draw, ask := time.Duration(0), time.Duration(0)
		for view := range 6 {
			camera := overGround(ground, view, c.above)
			culler, _ := occlude.New(occlude.Config{Width: 512, Height: 288})
			drawn, asked := time.Hour, time.Hour
			var seen map[uint32]bool
			for range 5 {
				if err := culler.SetCamera(camera); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				culler.DrawMesh(mesh, linear.Transform{})
				drawn, start = min(drawn, time.Since(start)), time.Now()
				ids := culler.Append(nil, tree.View(), query.Filter{})
				asked = min(asked, time.Since(start))
				seen = setOf(ids)
			}
			draw, ask = draw+drawn, ask+asked
			all := culler.Frustum().Append(nil, tree.View(), query.Filter{})
			rays := culler.Rays()
			pixels := pixelsOf(&rays)
			frustum += len(all) / 16
			for _, id := range all {
				if id%16 != 0 {
					continue // rays take time
				}
				if !shown(ground, &rays, pixels, 0.1, objects[id].Box) {
					if hidden++; !seen[id] {
						found++
					}
				} else if !seen[id] {
					t.Fatalf("view %d, %v above: object %d is in sight and not seen", view, c.above, id)
				}
			}
		}
		t.Logf("%v above: of some %d in the frustum %d hidden, %.2f %% found; drawn in %v, asked in %v", c.above, frustum, hidden, 100*float64(found)/float64(hidden), draw/6, ask/6)
		if float64(found) < c.want*float64(hidden) {
			t.Errorf("%v above: %d of %d hidden objects were found, want %v", c.above, found, hidden, c.want)
		}
	}
}

// overGround returns one of six cameras at a height above the ground.
func overGround(g *scene.Terrain, view int, above float64) query.Camera {
	x, y := 200+float64(view%3)*300, 250+float64(view/3)*500
	sin, cos := math.Sincos(float64(view) * 1.1)
	return query.Camera{Eye: [3]float64{x, y, g.Height(x, y) + above}, Forward: [3]float64{cos, sin, -0.05}, Up: [3]float64{0, 0, 1},
		FovY: math.Pi / 3, Aspect: 16. / 9, Near: 0.1, Far: 2000}
}

// BenchmarkDrawTerrain is the mean of six frames on the ground, and above it.
func BenchmarkDrawTerrain(b *testing.B) {
	ground := scene.NewTerrain(180, 6, 1)
	corners, triangles := ground.Triangles()
	mesh, err := occlude.NewMesh(corners, triangles)
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range [][2]int{{512, 288}, {256, 144}} {
		for _, above := range []float64{1.7, 40} {
			b.Run(fmt.Sprintf("size=%dx%d/above=%v", size[0], size[1], above), func(b *testing.B) {
				onTiers(b, func(b *testing.B) {
					culler, _ := occlude.New(occlude.Config{Width: size[0], Height: size[1]})
					best := [6]time.Duration{}
					for i := 0; b.Loop(); i++ {
						for view := range best {
							if err := culler.SetCamera(overGround(ground, view, above)); err != nil {
								b.Fatal(err)
							}
							start := time.Now()
							culler.DrawMesh(mesh, linear.Transform{})
							if took := time.Since(start); i == 0 || took < best[view] {
								best[view] = took
							}
						}
					}
					sum := time.Duration(0)
					for _, t := range best {
						sum += t
					}
					b.ReportMetric(float64(sum.Nanoseconds())/float64(len(best)*len(triangles)), "ns/triangle")
				})
			})
		}
	}
}

func BenchmarkDrawMesh(b *testing.B) {
	corners, triangles := scene.NewTerrain(180, 6, 1).Triangles()
	mesh, err := occlude.NewMesh(corners, triangles)
	if err != nil {
		b.Fatal(err)
	}
	culler, _ := occlude.New(occlude.Config{Width: 512, Height: 288})
	for name, c := range map[string]query.Camera{
		// All triangles are in the picture, of some 8 pixels each.
		"above":  {Eye: [3]float64{540, 540, 1100}, Forward: [3]float64{0, 0, -1}, Up: [3]float64{0, 1, 0}, FovY: 1, Aspect: 16. / 9, Near: 0.1, Far: 2000},
		"ground": {Eye: [3]float64{200, 250, 60}, Forward: [3]float64{1, 0.1, -0.05}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 16. / 9, Near: 0.1, Far: 2000},
	} {
		b.Run("view="+name, func(b *testing.B) {
			if err := culler.SetCamera(c); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				culler.DrawMesh(mesh, linear.Transform{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(triangles)), "ns/triangle")
		})
	}
}
