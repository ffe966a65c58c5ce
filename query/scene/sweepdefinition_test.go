package scene_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// No false negatives in exact arithmetic: every object that a ray hits is returned; false positives, and
// the error of their times, are within the bounds of the package comment. For moving shapes no object that
// they clearly hit is lost. With Exact the same holds for oriented boxes, and hits are on these.
func TestSweepsByDefinition(t *testing.T) {
	sum := tally{met: map[string]int{}, turned: map[string]int{}}
	seed := testkit.Seed(t)
	for want := cases(t, 30_000, 600_000); sum.judged < want; seed++ {
		for _, family := range families {
			eachSwept(t, seed, family, 1, 3, 12, func(rng *rand.Rand, s *linear.Scene, all []spot, q swept) {
				q.judge(t, rng, s.View(), all, family, query.Filter{Exact: rng.IntN(2) == 0}, &sum)
			})
		}
	}
	sum.check(t, "ray", "box", "ball")
}

// The same in worlds with many packets of instances, which are listed ahead.
func TestSweepsAheadByDefinition(t *testing.T) {
	defer scene.ListAhead(scene.ListAhead(0))
	sum := tally{met: map[string]int{}, turned: map[string]int{}}
	for _, family := range testkit.Again(families, families[3:5]) {
		eachSwept(t, testkit.Seed(t), family, 1, 1, 300, func(rng *rand.Rand, s *linear.Scene, all []spot, q swept) {
			q.judge(t, rng, s.View(), all, family, query.Filter{Exact: rng.IntN(2) == 0}, &sum)
		})
	}
	if sum.met["ray"] == 0 {
		t.Error("no ray hits anything")
	}
}

// tally counts the judged hits.
type tally struct {
	judged, extra int
	met, turned   map[string]int
}

func (sum *tally) check(t *testing.T, names ...string) {
	t.Helper()
	t.Logf("%d judged, reported %v, by oriented boxes %v, of these not met, or not surely, %d", sum.judged, sum.met, sum.turned, sum.extra)
	for _, name := range names {
		if sum.met[name] == 0 || sum.turned[name] == 0 && name == "ball" {
			t.Errorf("nothing is met by a %s, or no oriented box", name)
		}
	}
}

// judge compares the hits of all objects with the definition.
func (q *swept) judge(t *testing.T, rng *rand.Rand, v linear.SceneView, all []spot, family string, f query.Filter, sum *tally) {
	t.Helper()
	got := map[in]scene.Hit{}
	for _, h := range q.append(nil, v, f) {
		got[in{h.Path, h.ID}] = h
	}
	for _, at := range all {
		im := imageOf(at.transforms)
		bounds := at.view.Bounds()
		for _, o := range listed(at.view.Objects()) {
			sum.judged++
			h, reported := got[in{at.path, o.id}]
			if !reported && !q.around(&im, &o.Box) {
				continue
			}
			x := at.shape(&im, &o, f.Exact && q.box == nil)
			fail := func(what string) {
				t.Helper()
				t.Fatalf("%s: %s %v from %v along %v until %v: %d of %v, %v (turned: %v) under %v %v, %s", family, q.name, q.radius, q.from, q.dir, q.until, o.id, at.path, x.box, x.turned, x.m, x.t, what)
			}
			if reported {
				sum.met[q.name]++
				if x.turned {
					sum.turned[q.name]++
				}
				if why := q.far(&im, &x, &bounds, &h); why != "" {
					fail(fmt.Sprintf("is reported as %v: %s", h, why))
				}
			}
			if x.hasSphere { // the sphere must be hit as well
				continue
			}
			surely, time := q.meetsImage(rng, &x.image, &x.box)
			switch {
			case surely && !reported:
				fail(fmt.Sprintf("is lost, met at %v", time))
			case surely && float64(h.Dist) > time*(1+0x1p-20)+1e-40:
				fail(fmt.Sprintf("is met at %v, exactly %v", h.Dist, time))
			case reported && !surely:
				sum.extra++
			}
		}
	}
}

// meetsImage reports whether the image of a box is surely hit, and a time at which it is, for a ray the
// first.
func (q *swept) meetsImage(rng *rand.Rand, im *image, b *soa.AABB) (surely bool, time float64) {
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
		dist, time := q.passes(im, b, 1)
		return dist*(1+0x1p-20)+im.off(b) < q.radius, time
	}
	return im.ray(b, q.from, q.dir, q.until)
}

// at returns the position of the centre at a time.
func (q *swept) at(t float64) (p [3]float64) {
	for a := range 3 {
		p[a] = float64(q.from[a]) + t*float64(q.dir[a])
	}
	return p
}

// passes returns the approximate least distance of the centre from the image of a box up to a time, and the
// time of it.
func (q *swept) passes(im *image, b *soa.AABB, end float64) (dist, time float64) {
	f := im.features(b)
	away := func(t float64) float64 {
		_, d := f.nearest(q.at(t))
		return d
	}
	lo, hi := 0.0, end
	for range 40 { // the distance is convex
		x, y := lo+(hi-lo)/3, hi-(hi-lo)/3
		if away(x) <= away(y) {
			hi = y
		} else {
			lo = x
		}
	}
	return away(lo), lo
}

// far returns the reason why a hit of an object of a part under im with these bounds violates the package
// comment, or "" if it does not.
func (q *swept) far(im *image, x *shape, bounds *soa.AABB, h *scene.Hit) (why string) {
	var grow [3]float64
	most, room := 0.0, 0.0
	for j := range 3 {
		grow[j] = max(math.Abs(float64(bounds.Min[j])), math.Abs(float64(bounds.Max[j])))
		most = max(most, grow[j])
	}
	for i := range 3 {
		room += math.Abs(float64(q.from[i])) + math.Abs(float64(q.dir[i]))*float64(h.Dist) + im.far[i]
		for j := range 3 {
			room += im.size[i][j] * most
		}
	}
	share, alike := 0x1p-19, alikeAll(im.transforms)
	if x.turned { // frames are larger, and their axes are others
		grow, share = [3]float64{most, most, most}, 0x1p-15
	}
	for j := range 3 {
		grow[j] *= share
	}
	if room *= 0x1p-19; x.turned {
		for j := range 3 {
			room += 0x1p-14 * math.Hypot(x.m[0][j], math.Hypot(x.m[1][j], x.m[2][j])) * float64(x.box.Max[j])
		}
	}
	if q.name == "ray" && !q.near(&x.image, x.inverse(), &x.box, &grow, float64(h.Dist)) {
		return "the ray is not near it"
	}
	switch {
	case q.radius > 0 && alike:
		if dist, _ := q.passes(&x.image, &x.box, float64(h.Dist)); dist > q.radius*(1+0x1p-12)+room && (x.turned || !x.hasSphere) {
			return fmt.Sprintf("until then the ball is %v away", dist)
		}
	case q.radius > 0 && len(im.transforms) == 1: // the box around the image
		var around soa.AABB
		for a := range 3 {
			var n [3]float64
			n[a] = 1
			least, most, _ := x.span(n, &x.box)
			around.Min[a], around.Max[a] = float32(least), float32(most)
		}
		still := imageOf(nil)
		if dist, _ := q.passes(&still, &around, float64(h.Dist)); dist > q.radius*(1+0x1p-12)+room {
			return fmt.Sprintf("until then the ball is %v away from %v", dist, around)
		}
		for a, p := range h.Pos {
			if e := float32(room); !x.hasSphere && (p < around.Min[a]-e || p > around.Max[a]+e) {
				return fmt.Sprintf("Pos is not in %v", around)
			}
		}
	}
	if x.hasSphere && q.box == nil && alike {
		point, here := soa.AABB{}, imageOf(nil)
		here.t = x.center
		if dist, _ := q.passes(&here, &point, float64(h.Dist)); dist > (q.radius+x.radius)*(1+0x1p-12)+room {
			return fmt.Sprintf("until then it is %v away from the sphere's centre", dist)
		}
	}
	if !x.turned || q.radius > 0 && !alike {
		return ""
	}
	pos := [3]float64{float64(h.Pos[0]), float64(h.Pos[1]), float64(h.Pos[2])}
	if _, dist := x.nearest(&x.box, pos); dist > room && !x.hasSphere {
		return fmt.Sprintf("Pos is %v away", dist)
	}
	if h.Normal == [3]float32{} || !alike || x.hasSphere && x.radius < room*16 {
		return ""
	}
	toward, level, length, size := 0.0, 0, 0.0, 0.0
	for j := range 3 {
		dot, l := 0.0, 0.0
		for i := range 3 {
			dot += float64(h.Normal[i]) * x.m[i][j]
			l += x.m[i][j] * x.m[i][j]
		}
		if math.Abs(dot) < 0x1p-10*math.Sqrt(l) {
			level++
		}
		size += math.Sqrt(l) * float64(x.box.Max[j]-x.box.Min[j])
		toward += float64(h.Normal[j]) * float64(q.dir[j])
		length += float64(q.dir[j]) * float64(q.dir[j])
	}
	if size < room*16 {
		return "" // rounding may have moved the box by more than its size: it has no sides
	}
	if toward > math.Sqrt(length)*0x1p-10 {
		return "Normal is away from where it comes"
	}
	c := q.at(float64(h.Dist))
	if q.radius == 0 {
		way := 0.0 // from the centre of the sphere
		for i := range 3 {
			way += (c[i] - x.center[i]) * (c[i] - x.center[i])
		}
		if inside := math.Sqrt(way) < x.radius*(1-0x1p-8)-room*16; level < 2 && (!x.hasSphere || inside) {
			return "Normal is that of no face"
		}
		// The sphere decides if a ray is deep in the oriented box at its time.
		if from := x.depth(c); x.hasSphere && from > room*16 {
			for i := range 3 {
				if off := math.Abs(c[i] - x.center[i] - x.radius*float64(h.Normal[i])); off > x.radius*0x1p-4+room*16 {
					return fmt.Sprintf("the ray is at %v, %v from where the normal of the sphere has it", c, off)
				}
			}
		}
		return ""
	}
	for i := range 3 { // from Pos the ball is where the normal says
		if off := math.Abs(c[i] - pos[i] - q.radius*float64(h.Normal[i])); off > q.radius*0x1p-8+room*16 {
			return fmt.Sprintf("the ball is at %v, %v from where Pos and Normal have it", c, off)
		}
	}
	return ""
}

// depth returns the distance of a point in the image of a box from the nearest existing face, in lengths of
// the scene, under a similarity.
func (x *shape) depth(p [3]float64) (least float64) {
	inv := x.inverse()
	least = math.Inf(1)
	for j := range 3 {
		at, l := 0.0, 0.0
		for i := range 3 {
			at += inv[j][i] * (p[i] - x.t[i])
			l += x.m[i][j] * x.m[i][j]
		}
		least = min(least, (float64(x.box.Max[j])-math.Abs(at))*math.Sqrt(l))
	}
	return least
}

// around reports whether the ball around the image of a box is within reach of the shape, with a wide
// margin.
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

// inverse returns the approximate inverse of the map's matrix.
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

// ray reports whether a ray hits the image of a box, exactly, and the time of the hit.
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

// near reports whether the ray is near enough to the image of a box for a hit within the error bounds, and
// the time is not earlier than these allow.
func (q *swept) near(im *image, inv [3][3]float64, b *soa.AABB, more *[3]float64, dist float64) bool {
	var x, d, size [3]float64
	cond := 1.0 // inverses have a relative error, level by level
	for _, p := range im.transforms {
		least, most := (*xform.Transform)(p).Stretch()
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
		grow := more[j] + 0x1p-42*(1+cond)*most
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
