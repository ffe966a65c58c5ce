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

// No false negatives in exact arithmetic: every object that intersects a volume is returned, and false
// positives are within the bounds of the package comment.
func TestVolumesByDefinition(t *testing.T) {
	judged, met, extra, turned := 0, map[string]int{}, 0, 0
	var family string
	seed := testkit.Seed(t)
	for want := cases(t, 100_000, 1_000_000); judged < want; seed++ {
		before := judged
		each := func(t *testing.T, rng *rand.Rand, s *linear.Scene, all []spot, q asked) {
			v, f := s.View(), query.Filter{Exact: rng.IntN(2) == 0}
			var a scene.Answer
			q.append(&a, v, f)
			got := map[scene.Path]map[uint32]bool{}
			for p, id := range a.All() {
				path := a.Path(p)
				if got[path] == nil {
					got[path] = map[uint32]bool{}
				}
				if got[path][id] {
					t.Fatalf("%s: %d of %v twice", q.name, id, path)
				}
				got[path][id] = true
			}
			for _, at := range all {
				im, store := imageOf(at.transforms), at.view.Objects().Store()
				for _, o := range listed(at.view.Objects()) {
					judged++
					x := at.shape(&im, &o, f.Exact)
					if x.turned {
						turned++
					}
					reported := got[at.path][o.id]
					switch {
					case reported:
						met[q.name[:3]]++
						if why := q.beyond(&im, &x, store.Extent, &at); why != "" {
							t.Fatalf("%s, seed %d: %s: %d of %v, %v (turned: %v) under %v %v, is reported and not within the bound: %s", family, seed, q.name, o.id, at.path, x.box, x.turned, x.m, x.t, why)
						}
						if !q.precise && !q.meets(rng, &x.image, &x.box) {
							extra++
						}
					case !x.hasSphere && q.meets(rng, &x.image, &x.box):
						t.Fatalf("%s, seed %d: %s: %d of %v, %v (turned: %v) under %v %v, is lost", family, seed, q.name, o.id, at.path, x.box, x.turned, x.m, x.t)
					}
				}
			}
		}
		for _, family = range families {
			eachVolume(t, seed, family, 1, each)
		}
		if judged == before {
			t.Fatal("nothing was judged")
		}
	}
	t.Logf("%d judged, %d by oriented boxes, reported %v, of these not met, or not surely, %d", judged, turned, met, extra)
	for _, name := range []string{"box", "poi", "sph", "fru", "pre", "con", "ori"} {
		if met[name] == 0 {
			t.Errorf("nothing meets a %s", name)
		}
	}
}

// meets reports whether the image of a box intersects the volume in exact arithmetic. For a sphere and a
// precise frustum it may miss some that barely intersect.
func (q *asked) meets(rng *rand.Rand, im *image, b *soa.AABB) bool {
	switch {
	case q.box != nil:
		return im.meetsBox(b, q.box)
	case q.turned != nil:
		here, box := imageOf(nil).turned(*q.turned)
		x, y := solid{has: soa.Object{Box: *b}, im: im}, solid{has: soa.Object{Box: box}, im: &here}
		apart, clear := apart(&x, &y)
		return clear || !apart && exactlyMeet(&x, &y)
	case q.radius >= 0:
		share, dist := im.nearest(b, q.center)
		if dist > q.radius*(1+0x1p-20) {
			return false
		}
		if off := im.off(b); dist+off < q.radius {
			return true
		}
		p := im.exactPoint(b, share)
		sum := new(rational.Rat)
		for a := range 3 {
			d := p[a].Sub(p[a], rat(q.center[a]))
			sum.Add(sum, product(d, d))
		}
		return sum.Cmp(product(rat(q.radius), rat(q.radius))) <= 0
	case q.precise:
		// A corner, or some other point, inside the volume.
		for k := range 12 {
			share := [3]float64{float64(k & 1), float64(k >> 1 & 1), float64(k >> 2 & 1)}
			if k >= 8 {
				share = [3]float64{rng.Float64(), rng.Float64(), rng.Float64()}
			}
			p, doubt := im.point(b, share), false
			out := false
			for _, n := range q.planes {
				at := n[3] + n[0]*p[0] + n[1]*p[1] + n[2]*p[2]
				off := (math.Abs(n[0])+math.Abs(n[1])+math.Abs(n[2]))*im.off(b) + math.Abs(n[3])*slack
				out, doubt = out || at < -off, doubt || at < off
			}
			if !out && (!doubt || q.holds(im.exactPoint(b, share))) {
				return true
			}
		}
		return false
	}
	for _, p := range q.planes {
		if !im.passes(p, b) {
			return false
		}
	}
	return true
}

// holds reports whether a point is inside all planes.
func (q *asked) holds(x [3]*rational.Rat) bool {
	for _, p := range q.planes {
		at := rat(p[3])
		for a := range 3 {
			at.Add(at, product(rat(p[a]), x[a]))
		}
		if at.Sign() < 0 {
			return false
		}
	}
	return true
}

// beyond returns the reason why the shape of an object of a part under im is too far from the volume to be
// returned, or "" if it is not.
func (q *asked) beyond(im *image, x *shape, extent [3]float32, at *spot) (why string) {
	if q.turned != nil {
		here, box := imageOf(nil).turned(*q.turned)
		room := 1.0
		for _, p := range at.transforms {
			least, most := (*xform.Transform)(p).Stretch()
			room *= most / least
		}
		for _, n := range axesOf(&x.image, &here) {
			lo, hi, off := x.span(n, &x.box)
			least, most, more := here.span(n, &box)
			if n[0]*n[0]+n[1]*n[1]+n[2]*n[2] < 0x1p-20 {
				continue // of edges nearly in parallel
			}
			if gap := max(least-hi, lo-most); gap > (off+more)*(1+room*0x1p-7) {
				return fmt.Sprintf("apart by %v along %v, sizes %v", gap, n, (off+more)/slack)
			}
		}
		return ""
	}
	b := &x.box
	if q.radius >= 0 {
		_, dist := x.nearest(b, q.center)
		off := 0.0
		for i := range 3 {
			off += im.far[i] + math.Abs(q.center[i])
			for j := range 3 {
				off += im.size[i][j] * float64(extent[j])
			}
		}
		if x.turned { // a frame may be larger
			off *= 16
		}
		// For an ellipsoid the box around the image decides; the shape may be far from it.
		if im.alike() {
			if dist > q.radius*(1+0x1p-16)+off*0x1p-20 {
				return fmt.Sprintf("%v from %v, the radius is %v", dist, q.center, q.radius)
			}
			return ""
		}
		var gap float64
		for a := range 3 {
			var n [3]float64
			n[a] = 1
			least, most, _ := x.span(n, b)
			d := max(least-q.center[a], q.center[a]-most, 0)
			gap += d * d
		}
		if math.Sqrt(gap) > q.radius*(1+0x1p-16)+off*0x1p-20 {
			return fmt.Sprintf("its box is %v from %v, the radius is %v", math.Sqrt(gap), q.center, q.radius)
		}
		return ""
	}
	planes := q.planes
	if q.box != nil {
		planes = nil
		for a := range 3 {
			least, most := [4]float64{3: -float64(q.box.Min[a])}, [4]float64{3: float64(q.box.Max[a])}
			least[a], most[a] = 1, -1
			planes = append(planes, least, most)
		}
	}
	var ways []image // to the parts on the way
	for i := range at.transforms {
		ways = append(ways, imageOf(at.transforms[:i+1]))
	}
	for _, p := range planes {
		n := [3]float64{p[0], p[1], p[2]}
		_, most, _ := x.span(n, b)
		local, outer, d := 0.0, math.Abs(p[3]), p[3]
		for i := range 3 {
			outer += math.Abs(n[i]) * im.far[i]
			d += n[i] * im.t[i]
		}
		for j := range 3 {
			c := 0.0
			for i := range 3 {
				c += n[i] * im.m[i][j]
				for k := range ways {
					b := &at.sizes[k]
					outer += math.Abs(n[i]) * ways[k].size[i][j] * math.Abs(max(float64(b.Max[j]), -float64(b.Min[j])))
				}
			}
			local += math.Abs(c) * float64(extent[j])
		}
		local += math.Abs(d)
		if !(most+p[3] >= -(local*0x1p-20 + outer*0x1p-40)) {
			return fmt.Sprintf("plane %v: at %v, sizes %v and %v", p, most+p[3], local, outer)
		}
	}
	return ""
}

// alike reports whether all lengths are scaled equally.
func (im *image) alike() bool {
	var g [3][3]float64
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				g[i][j] += im.m[k][i] * im.m[k][j]
			}
		}
	}
	for i := range 3 {
		j := (i + 1) % 3
		if math.Abs(g[i][i]-g[j][j]) > 0x1p-16*g[i][i] || math.Abs(g[i][j]) > 0x1p-17*g[i][i] {
			return false
		}
	}
	return true
}
