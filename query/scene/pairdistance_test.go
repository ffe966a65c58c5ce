package scene_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

type point = [3]float64

func difference(a, b point) point { return point{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func scalar(a, b point) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func along(a point, t float64, u point) point {
	return point{a[0] + t*u[0], a[1] + t*u[1], a[2] + t*u[2]}
}

// corners returns the corners of the image of a box: bit k of the index is the side on axis k.
func corners(im *image, b *soa.AABB) (at [8]point) {
	for i := range at {
		for r := range 3 {
			at[i][r] = im.t[r]
			for k := range 3 {
				c := b.Min[k]
				if i>>k&1 != 0 {
					c = b.Max[k]
				}
				at[i][r] += im.m[r][k] * float64(c)
			}
		}
	}
	return at
}

// toSegment returns the squared distance of a point from a segment.
func toSegment(p, a, b point) float64 {
	u, v := difference(b, a), difference(p, a)
	t := 0.0
	if l := scalar(u, u); l > 0 {
		t = min(max(scalar(v, u)/l, 0), 1)
	}
	d := along(v, -t, u)
	return scalar(d, d)
}

// betweenSegments returns the squared distance of two segments.
func betweenSegments(a, b, c, d point) float64 {
	best := min(toSegment(a, c, d), toSegment(b, c, d), toSegment(c, a, b), toSegment(d, a, b))
	u, v, w := difference(b, a), difference(d, c), difference(c, a)
	n := cross(u, v)
	if l := scalar(n, n); l > 0 {
		s, t := scalar(cross(w, v), n)/l, scalar(cross(w, u), n)/l
		if s > 0 && s < 1 && t > 0 && t < 1 {
			e := difference(along(c, t, v), along(a, s, u))
			best = min(best, scalar(e, e))
		}
	}
	return best
}

// face is a parallelogram.
type face struct {
	corner, u, v, normal point
	square               float64 // of the normal
}

func facesOf(p *[8]point) (faces [6]face) {
	for k := range 3 {
		for side := range 2 {
			c := p[side<<k]
			f := face{corner: c, u: difference(p[side<<k|1<<((k+1)%3)], c), v: difference(p[side<<k|1<<((k+2)%3)], c)}
			f.normal = cross(f.u, f.v)
			f.square = scalar(f.normal, f.normal)
			faces[2*k+side] = f
		}
	}
	return faces
}

// distance returns the squared distance of a point from a face if its foot is inside and it is less than best, else
// best.
func (f *face) distance(p point, best float64) float64 {
	w := difference(p, f.corner)
	h := scalar(w, f.normal)
	if f.square == 0 || h*h >= best*f.square {
		return best
	}
	s, t := scalar(cross(w, f.v), f.normal)/f.square, scalar(cross(f.u, w), f.normal)/f.square
	if s < 0 || s > 1 || t < 0 || t > 1 {
		return best
	}
	return h * h / f.square
}

// edge is an edge of the image of a box, in a ball.
type edge struct {
	from, to, middle point
	radius, size     float64 // size is the sum of the coordinates of the middle
}

func edgesOf(p *[8]point) (edges [12]edge) {
	n := 0
	for k := range 3 {
		for i := range 8 {
			if i>>k&1 == 0 {
				e := edge{from: p[i], to: p[i|1<<k]}
				for a := range 3 {
					e.middle[a] = (e.from[a] + e.to[a]) / 2
					e.size += math.Abs(e.middle[a])
				}
				half := difference(e.from, e.middle)
				e.radius = math.Sqrt(scalar(half, half))
				edges[n] = e
				n++
			}
		}
	}
	return edges
}

// beyond reports whether two edges are surely farther apart than a distance.
func (e *edge) beyond(f *edge, distance float64) bool {
	between := difference(e.middle, f.middle)
	reach := (distance+e.radius+f.radius)*(1+1e-9) + (e.size+f.size)*1e-14
	return scalar(between, between) > reach*reach
}

// imagesDistance returns the distance of the images of two boxes that are apart: of each edge from each, and each
// corner from each face.
func imagesDistance(a *image, x *soa.AABB, b *image, y *soa.AABB) float64 {
	best := math.Inf(1) // squared
	p, q := corners(a, x), corners(b, y)
	faces := func(p, q *[8]point) {
		for _, f := range facesOf(q) {
			for i := range p {
				best = f.distance(p[i], best)
			}
		}
	}
	faces(&p, &q)
	faces(&q, &p)
	for i := range p {
		for k := range q {
			d := difference(p[i], q[k])
			best = min(best, scalar(d, d))
		}
	}
	others := edgesOf(&q)
	for _, e := range edgesOf(&p) {
		for i := range others {
			if f := &others[i]; !e.beyond(f, math.Sqrt(best)) {
				best = min(best, betweenSegments(e.from, e.to, f.from, f.to))
			}
		}
	}
	return math.Sqrt(best)
}

// distance returns the distance of two bounds that are apart.
func (x *bound) distance(y *bound) float64 {
	if x.kind == "ball" || y.kind == "ball" {
		return x.apart(y)
	}
	if gap := x.apart(y); gap <= 0 {
		return gap
	}
	return imagesDistance(&x.shape.image, &x.shape.box, &y.shape.image, &y.shape.box)
}

// sizeOf returns the magnitude of the summands of the coordinates of an image.
func sizeOf(im *image, b *soa.AABB) (size float64) {
	for r := range 3 {
		sum := im.far[r]
		for k := range 3 {
			sum += im.size[r][k] * float64(max(-b.Min[k], b.Max[k]))
		}
		size = max(size, sum)
	}
	return size
}

// The pairs within a distance are those of each object with each, by the distance of edges and faces, on every tier in
// the same order. None is lost, and none exceeds the distance by more than the bound.
func TestPairsByDistance(t *testing.T) {
	seed := testkit.Seed(t)
	kept, within, dropped, excess := 0, 0, 0, 0.0
	check := func(t *testing.T, family string, v linear.SceneView, f scene.PairFilter, known func(...any) bool) {
		d := float64(f.Distance)
		pairs := scene.AppendPairs(nil, v, f)
		if known(pairs) {
			return
		}
		got := pairsByPart(t, pairs)
		for number, part := range awake(v, f.Mask) {
			for _, p := range collide.Append(nil, collide.Within(part.Objects()), f.Filter) {
				key := scene.Pair{Part: number, A: scene.Object{ID: p.A}, B: scene.Object{ID: p.B}}
				if !got[key] {
					t.Fatalf("%s: %v of one tree is lost", family, key)
				}
				delete(got, key)
			}
			all := solids(part, f.Mask)
			slices.SortFunc(all, func(a, b solid) int { return a.Compare(b.Object) })
			boxes := arounds(all)
			for i := range all {
				for k := i + 1; k < len(all); k++ {
					a, b := &all[i], &all[k]
					if n := a.Path.Len(); b.Path.Len() == 0 || n > 0 && a.Path.At(0) == b.Path.At(0) || !accepts(&f, &a.has, &b.has) {
						continue
					}
					key := scene.Pair{Part: number, A: a.Object, B: b.Object}
					if boxes[i].beyond(&boxes[k], 2*d) && !got[key] {
						continue
					}
					gap := 0.0
					if apart, _ := apart(a, b); apart {
						gap = imagesDistance(a.im, &a.has.Box, b.im, &b.has.Box)
					}
					size := sizeOf(a.im, &a.has.Box) + sizeOf(b.im, &b.has.Box)
					if f.Exact {
						x, y := sides(part, key)
						for i := range x {
							for k := range y {
								gap = max(gap, x[i].distance(&y[k]))
								size = max(size, x[i].radius+y[k].radius)
							}
						}
					}
					over := gap - d
					switch {
					case got[key]:
						kept++
						if gap > 0 {
							within++
						}
						limit := 0x1p-24
						if f.Exact {
							limit = 0x1p-12 // radii
						} else {
							excess = max(excess, over/(size+d))
						}
						if over > (size+d)*limit {
							t.Fatalf("%s: %v is kept, at a distance of %v, want at most %v", family, key, gap, d)
						}
					case over < -(size+d)*0x1p-36:
						t.Fatalf("%s %+v: %v is lost, at a distance of %v, sizes %v", family, f, key, gap, size)
					case gap < 2*d:
						dropped++
					}
					delete(got, key)
				}
			}
		}
		for key := range got {
			t.Fatalf("%s: %v is kept by no rule", family, key)
		}
	}
	testkit.TiersAgree(t, func(t *testing.T, known func(...any) bool) {
		for i, family := range append(families[:len(families):len(families)], "touching") {
			rng := testkit.Rand(seed<<8 + uint64(i))
			for range testkit.Budget(t, 1, 10) {
				v := denseScene(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(4)).View()
				f := pairFilter(rng)
				f.Distance, f.Exact = distanceFor(rng, v), rng.IntN(3) == 0
				check(t, family, v, f, known)
			}
			if family != "touching" {
				v := chainOf(t, rng, family, linear.MaxDepth).View()
				check(t, family, v, scene.PairFilter{Filter: collide.Filter{Distance: distanceFor(rng, v)}}, known)
			}
		}
	})
	t.Logf("%d kept, %d of them apart, %d dropped within twice the distance; at most 2^%.1f of the sizes beyond it", kept, within, dropped, math.Log2(excess))
	if within == 0 || dropped == 0 {
		t.Errorf("%d kept apart, %d dropped", within, dropped)
	}
}

// distanceFor draws a distance of the size of the gaps of a scene.
func distanceFor(rng *rand.Rand, v linear.SceneView) float32 {
	all := solids(v, 0)
	for range 100 {
		if len(all) == 0 {
			break
		}
		a, b := &all[rng.IntN(len(all))], &all[rng.IntN(len(all))]
		if d := imagesDistance(a.im, &a.has.Box, b.im, &b.has.Box); d > 0 && d < math.MaxFloat32/16 {
			return float32(d / float64(1+rng.IntN(8)))
		}
	}
	return rng.Float32()
}

// Pairs at exactly the distance are kept: under translations by whole numbers they are the pairs of the flat tree of
// the moved boxes.
func TestPairsAtDistance(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	apart := 0
	for range testkit.Budget(t, 10, 300) {
		s := newScene(t)
		var images []soa.Object
		var names []scene.Object
		for range 3 {
			objects := crowded(rng, 10+rng.IntN(30))
			for i := range objects {
				for a := range 3 {
					b := &objects[i].Box
					b.Min[a] = float32(rng.IntN(32))
					b.Max[a] = b.Min[a] + float32(rng.IntN(3))
				}
			}
			x, y, z := float64(rng.IntN(20)), float64(rng.IntN(20)), float64(rng.IntN(20))
			id := place(t, s, trees.Plant(t, objects, false), translation(t, x, y, z), linear.InstanceOptions{})
			for i, o := range objects {
				o.Box = o.Box.Translate([3]float32{float32(x), float32(y), float32(z)})
				images, names = append(images, o), append(names, scene.Object{Path: scene.PathOf(id), ID: uint32(i)})
			}
		}
		testkit.Must(t, s.Tick())
		flat := trees.New(t, linear.Config{})
		ids := trees.Insert(t, flat, images)
		flt := collide.Filter{StaticPairs: true, Distance: float32(1 + rng.IntN(5))}
		got := pairsByPart(t, scene.AppendPairs(nil, s.View(), scene.PairFilter{Filter: flt, Instances: true}))
		want := 0
		for _, p := range collide.Append(nil, collide.Within(flat.View()), flt) {
			a, b := names[slices.Index(ids, p.A)], names[slices.Index(ids, p.B)]
			if a.Compare(b) > 0 {
				a, b = b, a
			}
			if want++; !got[scene.Pair{A: a, B: b}] {
				t.Fatalf("%v and %v are lost, %v and %v within %v", a, b, images[p.A].Box, images[p.B].Box, flt.Distance)
			}
			if a.Path != b.Path {
				apart++
			}
		}
		if len(got) != want {
			t.Fatalf("%d pairs, want %d", len(got), want)
		}
	}
	if apart == 0 {
		t.Error("no pairs of two parts")
	}
}

// A distance out of range panics with the number.
func TestPairsDistanceRefused(t *testing.T) {
	v := newScene(t).View()
	for _, d := range []float32{-1, float32(math.Inf(1)), float32(math.NaN())} {
		f := scene.PairFilter{Filter: collide.Filter{Distance: d}}
		if got := fmt.Sprint(testkit.Panic(func() { scene.AppendPairs(nil, v, f) })); !strings.Contains(got, fmt.Sprint(d)) {
			t.Errorf("a distance of %v: %v", d, got)
		}
	}
}
