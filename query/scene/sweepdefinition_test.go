package scene_test

import (
	"math"
	rational "math/big"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// In exact arithmetic nothing is lost that a ray meets, what is reported beyond that, and how
// early, is within the bounds of the package comment; of moving shapes nothing is lost that
// they plainly meet.
func TestSweepsByDefinition(t *testing.T) {
	judged, met, extra := 0, map[string]int{}, 0
	seed := testkit.Seed(t)
	for want := cases(t, 30_000, 600_000); judged < want; seed++ {
		for _, family := range families {
			eachSwept(t, seed, family, 1, func(rng *rand.Rand, s *linear.Scene, all []spot, q swept) {
				got := map[in]scene.Hit{}
				for _, h := range q.append(nil, s.View(), query.Filter{}) {
					got[in{h.Path, h.ID}] = h
				}
				for _, at := range all {
					im := imageOf(at.poses)
					bounds := at.view.Bounds()
					back := im.inverse()
					for _, o := range listed(at.view.Objects()) {
						judged++
						h, reported := got[in{at.path, o.id}]
						if reported {
							met[q.name]++
						}
						if !reported && !q.around(&im, &o.Box) {
							continue
						}
						surely, time := q.meetsImage(rng, &im, &o.Box)
						switch {
						case surely && !reported:
							t.Fatalf("%s: %s %v from %v along %v until %v: %d of %v, %v under %v %v, is lost", family, q.name, q.radius, q.from, q.dir, q.until, o.id, at.path, o.Box, im.m, im.t)
						case surely && float64(h.Dist) > time*(1+0x1p-20)+1e-40:
							t.Fatalf("%s: %s: %d of %v is met at %v, exactly %v", family, q.name, o.id, at.path, h.Dist, time)
						case reported && !surely:
							extra++
						}
						if reported && q.name == "ray" && !q.near(&im, back, &o.Box, &bounds, float64(h.Dist)) {
							t.Fatalf("%s: ray from %v along %v until %v: %d of %v, %v under %v %v, is reported at %v, surely %v at %v", family, q.from, q.dir, q.until, o.id, at.path, o.Box, im.m, im.t, h.Dist, surely, time)
						}
					}
				}
			})
		}
	}
	t.Logf("%d judged, reported %v, of these not met, or not surely, %d", judged, met, extra)
	for _, name := range []string{"ray", "box", "ball"} {
		if met[name] == 0 {
			t.Errorf("nothing is met by a %s", name)
		}
	}
}

// meetsImage reports whether the image of a box is surely met, and a time at which it is,
// of a ray the first.
func (q *swept) meetsImage(rng *rand.Rand, im *image, b *soa.AABB) (surely bool, time float64) {
	at := func(t float64) (p [3]float64) {
		for a := range 3 {
			p[a] = float64(q.from[a]) + t*float64(q.dir[a])
		}
		return p
	}
	switch {
	case q.box != nil:
		for range 3 {
			t := float64(float32(rng.Float64()))
			var moved soa.AABB
			exact := true
			for a := range 3 {
				lo, hi := float64(q.box.Min[a])+t*float64(q.dir[a]), float64(q.box.Max[a])+t*float64(q.dir[a])
				// A box of float32 in the moved one.
				moved.Min[a], moved.Max[a] = soa.Above(lo, -math.Abs(lo)*0x1p-50), soa.Below(hi, math.Abs(hi)*0x1p-50)
				exact = exact && moved.Min[a] <= moved.Max[a]
			}
			if exact && im.meetsBox(b, &moved) {
				return true, t
			}
		}
		return false, 0
	case q.radius > 0:
		dist := func(t float64) float64 {
			_, d := im.nearest(b, at(t))
			return d
		}
		lo, hi := 0.0, 1.0
		for range 40 { // the distance is convex
			x, y := lo+(hi-lo)/3, hi-(hi-lo)/3
			if dist(x) <= dist(y) {
				hi = y
			} else {
				lo = x
			}
		}
		return dist(lo)*(1+0x1p-20)+im.off(b) < q.radius, lo
	}
	return im.ray(b, q.from, q.dir, q.until)
}

// around reports whether the ball around the image of a box comes as near as the shape
// reaches, and a good deal more.
func (q *swept) around(im *image, b *soa.AABB) bool {
	c := im.point(b, [3]float64{0.5, 0.5, 0.5})
	reach := q.radius + im.off(b)
	dot, square, rest := 0.0, 0.0, 0.0
	for a := range 3 {
		d := float64(q.dir[a])
		dot += d * (c[a] - float64(q.from[a]))
		square += d * d
		for j := range 3 {
			reach += math.Abs(im.m[a][j]) * (float64(b.Max[j]) - float64(b.Min[j]))
		}
		if q.box != nil {
			reach += float64(q.box.Max[a]) - float64(q.box.Min[a])
		}
	}
	t := 0.0
	if square > 0 {
		t = min(max(dot/square, 0), q.until)
	}
	for a := range 3 {
		d := c[a] - float64(q.from[a]) - t*float64(q.dir[a])
		rest += d * d
	}
	return math.Sqrt(rest) <= reach*1.01+1e-6*(math.Abs(c[0])+math.Abs(c[1])+math.Abs(c[2]))
}

// inverse returns about the inverse of the map's matrix.
func (im *image) inverse() (inv [3][3]float64) {
	det := 0.0
	for i := range 3 {
		for j := range 3 {
			a, b, c, d := (j+1)%3, (j+2)%3, (i+1)%3, (i+2)%3
			inv[i][j] = im.m[a][c]*im.m[b][d] - im.m[a][d]*im.m[b][c]
		}
	}
	for k := range 3 {
		det += im.m[0][k] * inv[k][0]
	}
	for i := range 3 {
		for j := range 3 {
			inv[i][j] /= det
		}
	}
	return inv
}

// ray reports whether a ray meets the image of a box, exactly, and when.
func (im *image) ray(b *soa.AABB, from, dir [3]float32, until float64) (ok bool, time float64) {
	rows := im.exactly()
	// x = M^-1 * v by Cramer's rule, times the determinant.
	det3 := func(c [3][3]*rational.Rat) *rational.Rat {
		sum := new(rational.Rat)
		for j := range 3 {
			x, y := (j+1)%3, (j+2)%3
			minor := new(rational.Rat).Sub(product(c[1][x], c[2][y]), product(c[1][y], c[2][x]))
			sum.Add(sum, minor.Mul(minor, c[0][j]))
		}
		return sum
	}
	var m [3][3]*rational.Rat
	for i := range 3 {
		copy(m[i][:], rows[i][:3])
	}
	whole := det3(m)
	solve := func(v [3]*rational.Rat, j int) *rational.Rat {
		c := m
		for i := range 3 {
			c[i][j] = v[i]
		}
		d := det3(c)
		return d.Quo(d, whole)
	}
	var o, d [3]*rational.Rat
	for i := range 3 {
		o[i], d[i] = new(rational.Rat).Sub(rat(float64(from[i])), rows[i][3]), rat(float64(dir[i]))
	}
	enter, leave := new(rational.Rat), new(rational.Rat).SetFloat64(until) // nil: without end
	for j := range 3 {
		x, v := solve(o, j), solve(d, j)
		low, high := new(rational.Rat).Sub(rat(float64(b.Min[j])), x), new(rational.Rat).Sub(rat(float64(b.Max[j])), x)
		if v.Sign() == 0 {
			if low.Sign() > 0 || high.Sign() < 0 {
				return false, 0
			}
			continue
		}
		low.Quo(low, v)
		high.Quo(high, v)
		if v.Sign() < 0 {
			low, high = high, low
		}
		if low.Cmp(enter) > 0 {
			enter = low
		}
		if leave == nil || high.Cmp(leave) < 0 {
			leave = high
		}
	}
	time, _ = enter.Float64()
	return enter.Cmp(leave) <= 0, time
}

// near reports whether the ray comes as near to the image of a box as what is reported may
// be, and the time of it is not earlier than that.
func (q *swept) near(im *image, inv [3][3]float64, b, bounds *soa.AABB, dist float64) bool {
	var x, d, size [3]float64
	cond := 1.0 // inverses are off by a part of it, level by level
	for _, p := range im.poses {
		least, most := p.Stretch()
		cond *= most / least
	}
	for j := range 3 {
		for i := range 3 {
			x[j] += inv[j][i] * (float64(q.from[i]) - im.t[i])
			d[j] += inv[j][i] * float64(q.dir[i])
			size[j] += math.Abs(inv[j][i]) * (math.Abs(float64(q.from[i])) + im.far[i] + dist*math.Abs(float64(q.dir[i])))
			for k := range 3 {
				cond = max(cond, math.Abs(inv[j][i])*im.size[i][k])
			}
		}
	}
	most := max(size[0], size[1], size[2])
	enter, leave := 0.0, q.until*(1+0x1p-20)
	for j := range 3 {
		grow := 0x1p-19*max(math.Abs(float64(bounds.Min[j])), math.Abs(float64(bounds.Max[j]))) + 0x1p-42*(1+cond)*most
		low, high := float64(b.Min[j])-grow-x[j], float64(b.Max[j])+grow-x[j]
		if d[j] < 0 {
			low, high = -high, -low
		}
		if v := math.Abs(d[j]); v > 0 {
			enter, leave = max(enter, low/v), min(leave, high/v)
		} else if low > 0 || high < 0 {
			return false
		}
	}
	return enter <= leave*(1+0x1p-19) && dist >= enter*(1-0x1p-19)
}
