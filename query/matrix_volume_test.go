package query_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// matrixArtist draws queries that are likely to be hard for the objects of a census.
type matrixArtist struct {
	*matrixCensus
	rng    *rand.Rand
	frusta []scene.Frustum // of the edge cases
	rays   []testkit.Sweep
	bounds soa.AABB
}

func newArtist(c *matrixCensus, rng *rand.Rand) *matrixArtist {
	a := &matrixArtist{matrixCensus: c, rng: rng, frusta: scene.EdgeFrusta(c.objects), rays: testkit.EdgeRays(c.objects, rng.Uint64())}
	a.bounds = scene.Bounds(c.objects)
	if len(c.objects) == 0 {
		a.bounds = worldCube(0, 1)
	}
	return a
}

// one returns the box of a random object.
func (a *matrixArtist) one() soa.AABB {
	if len(a.objects) == 0 {
		return worldCube(0, 1)
	}
	return a.objects[a.rng.IntN(len(a.objects))].Box
}

// spot returns a point: a corner or the middle of an object, next to one of its
// faces, or anywhere.
func (a *matrixArtist) spot() (p [3]float32) {
	b := a.one()
	for k := range 3 {
		switch a.rng.IntN(6) {
		case 0:
			p[k] = b.Min[k]
		case 1:
			p[k] = b.Max[k]
		case 2:
			p[k] = math.Nextafter32(b.Max[k], most)
		case 3:
			p[k] = float32(a.rng.Float32()*a.bounds.Max[k]) + float32((1-a.rng.Float32())*a.bounds.Min[k])
		default:
			p[k] = b.Center()[k]
		}
		p[k] = min(max(p[k], -most), most)
	}
	return p
}

// size returns a length between nothing and the size of the scene.
func (a *matrixArtist) size() float32 {
	p, q := a.one(), a.one()
	k := a.rng.IntN(3)
	d := math.Abs(float64(p.Max[k]) - float64(q.Min[k]))
	d = math.Ldexp(d, -a.rng.IntN(7))
	switch a.rng.IntN(12) {
	case 0:
		d = 0
	case 1:
		d = math.Ldexp(1, a.rng.IntN(270)-145)
	}
	return float32(min(d, most))
}

func (a *matrixArtist) boxAround() (b soa.AABB) {
	switch edge := scene.EdgeBoxes(a.objects); a.rng.IntN(6) {
	case 0:
		return edge[a.rng.IntN(len(edge))]
	case 1:
		return a.one()
	case 2:
		return testkit.RandomBoxes(a.rng, 1, testkit.BoxKinds()[a.rng.IntN(4)])[0]
	}
	p := a.spot()
	for k := range 3 {
		h := a.size() / 2
		b.Min[k], b.Max[k] = p[k]-h, p[k]+h
	}
	return finiteBox(b)
}

// touching returns the distance of a point from an object, rounded to float32, or
// a step of that more or less.
func (a *matrixArtist) touching(p [3]float32) float32 {
	b := a.one()
	r := float32(gapToBox([4]float32{p[0], p[1], p[2], 0}, b))
	switch a.rng.IntN(3) {
	case 0:
		r = math.Nextafter32(r, most)
	case 1:
		r = math.Nextafter32(r, 0)
	}
	return min(r, most)
}

// through moves planes so that each contains a corner of an object, or nearly so.
func (a *matrixArtist) through(planes [6][4]float32) [6][4]float32 {
	for i := range planes {
		p, b, d := &planes[i], a.one(), 0.0
		for k := range 3 {
			corner := b.Max[k]
			if p[k] < 0 {
				corner = b.Min[k]
			}
			d -= float64(p[k]) * float64(corner)
		}
		if a.rng.IntN(2) == 0 {
			p[3] = float32(min(max(d, -most), most))
		}
	}
	return planes
}

func (a *matrixArtist) planes() [6][4]float32 {
	switch a.rng.IntN(9) {
	case 0, 1:
		return a.frusta[a.rng.IntN(len(a.frusta))].Planes
	case 2:
		return [6][4]float32(faces(a.boxAround()))
	case 3:
		var p [6][4]float32
		kind := testkit.BoxKinds()[a.rng.IntN(4)]
		for i := range p {
			p[i] = testkit.RandomPlane(a.rng, kind)
		}
		return p
	}
	if a.rng.IntN(8) == 0 {
		return a.through(a.planes())
	}
	eye := testkit.Wide(a.spot())
	toward := testkit.Wide(a.spot())
	var forward [3]float64
	length := 0.0
	for k := range 3 {
		forward[k] = toward[k] - eye[k]
		length += forward[k] * forward[k]
	}
	if length == 0 {
		forward[a.rng.IntN(3)], length = 1, 1
	}
	far := math.Sqrt(length) * (a.rng.Float64() + 0.2)
	c := scene.NewCamera(eye, forward, far*0.01, far*1.5)
	return c.Planes()
}

// volumeKinds are the kinds of volumes: each draws one.
var volumeKinds = map[string]func(a *matrixArtist) (matrixAsk, error){
	"Frustum": func(a *matrixArtist) (matrixAsk, error) { return frustumAsk(a, "Frustum") },
	"Precise": func(a *matrixArtist) (matrixAsk, error) { return frustumAsk(a, "Precise") },
	"MinSize": sizedAsk,
	"Convex": func(a *matrixArtist) (matrixAsk, error) {
		var planes [][4]float32
		switch six := a.planes(); a.rng.IntN(5) {
		case 0:
			planes = six[:a.rng.IntN(7)]
		case 1:
			planes = gem(a.rng, scene.Sphere{Center: a.spot(), Radius: a.size()}, 1+a.rng.IntN(query.MaxPlanes))
		case 2:
			more := a.planes()
			planes = append(six[:], more[:]...)
		default:
			planes = gem(a.rng, scene.Sphere{Center: a.spot(), Radius: a.size()}, 8)
		}
		q, err := query.ConvexPlanes(planes)
		deep := a.rng.IntN(4) == 0
		return matrixAsk{"Convex", q, fmt.Sprintf("planes %x", planes), func(v linear.View, c *matrixCensus, exact bool) matrixTruth {
			t := inPlanes(v, c, planes, exact)
			if deep && !exact {
				t.must(testkit.DefinitionConvex(c.objects, planes))
			}
			return t
		}}, err
	},
	"Box": func(a *matrixArtist) (matrixAsk, error) {
		b := a.boxAround()
		q, err := query.NewBox(b.Min, b.Max)
		return matrixAsk{"Box", q, fmt.Sprintf("box %x", b), func(_ linear.View, c *matrixCensus, exact bool) matrixTruth {
			return inBox(c, b, exact)
		}}, err
	},
	"OrientedBox": orientedAsk,
	"Func":        funcAsk,
	"Point": func(a *matrixArtist) (matrixAsk, error) {
		p := a.spot()
		q, err := query.NewPoint(p)
		return matrixAsk{"Point", q, fmt.Sprintf("point %x", p), func(_ linear.View, c *matrixCensus, exact bool) matrixTruth {
			return inBox(c, soa.AABB{Min: p, Max: p}, exact)
		}}, err
	},
	"Sphere": func(a *matrixArtist) (matrixAsk, error) {
		s := scene.Sphere{Center: a.spot(), Radius: a.size()}
		if edge := scene.EdgeSpheres(a.objects); a.rng.IntN(4) == 0 {
			s = edge[a.rng.IntN(len(edge))]
			s.Center = finiteBox(soa.AABB{Min: s.Center, Max: s.Center}).Min
			s.Radius = min(s.Radius, most)
		} else if a.rng.IntN(2) == 0 {
			s.Radius = a.touching(s.Center)
		}
		q, err := query.NewSphere(s.Center, s.Radius)
		deep := a.rng.IntN(4) == 0
		return matrixAsk{"Sphere", q, fmt.Sprintf("sphere %x", s), func(_ linear.View, c *matrixCensus, exact bool) matrixTruth {
			t := inSphere(c, s, exact)
			if deep && !exact {
				t.must(testkit.DefinitionSphere(c.objects, s.Center, s.Radius))
			}
			return t
		}}, err
	},
}

// frustumAsk draws a frustum with one test, or with both.
func frustumAsk(a *matrixArtist, kind string) (matrixAsk, error) {
	planes := a.planes()
	q, err := query.FrustumPlanes(planes)
	deep := a.rng.IntN(4) == 0
	if kind == "Precise" {
		q = q.Precise()
	}
	return matrixAsk{kind, q, fmt.Sprintf("planes %x", planes), func(v linear.View, c *matrixCensus, exact bool) matrixTruth {
		t := inPlanes(v, c, planes[:], exact)
		if kind == "Precise" {
			t.precise(c, planes, exact)
		} else if deep && !exact {
			t.must(testkit.DefinitionFrustum(c.objects, planes))
		}
		return t
	}}, err
}

// sizedAsk draws the frustum of a camera with a minimum size, often that of an object.
func sizedAsk(a *matrixArtist) (matrixAsk, error) {
	camera := query.Camera{Eye: testkit.Wide(a.spot()), FovY: 0.2 + 2.5*a.rng.Float64(), Aspect: 1 + a.rng.Float64(), Far: math.Inf(1)}
	toward := testkit.Wide(a.spot())
	for k := range 3 {
		camera.Forward[k] = math.Ldexp(toward[k]-camera.Eye[k], -4)
		camera.Up[k] = camera.Forward[(k+1)%3]
	}
	if a.rng.IntN(2) == 0 {
		camera.Near = float64(a.size())
	}
	q, err := camera.Frustum()
	if err != nil { // no direction
		camera.Forward, camera.Up = [3]float64{1, 0, 0}, [3]float64{0, 1, 0}
		if q, err = camera.Frustum(); err != nil {
			return matrixAsk{}, err
		}
	}
	planes := q.Planes()
	sized, err := q.MinSize(float32(math.Ldexp(a.rng.Float64(), -a.rng.IntN(12))))
	if err != nil {
		return matrixAsk{}, err
	}
	if a.rng.IntN(3) == 0 {
		var z cull.Size
		b := a.one()
		(*walk.Frustum)(&sized).PrepareSize(&z)
		edge := max(float32(b.Max[0]-b.Min[0]), float32(b.Max[1]-b.Min[1]), float32(b.Max[2]-b.Min[2]))
		if of := edge / lowestOf(z.Depth, b); of > 0 && of <= most {
			if sized, err = q.MinSize(of); err != nil {
				return matrixAsk{}, err
			}
		}
	}
	return matrixAsk{"MinSize", sized, fmt.Sprintf("camera %+v, %+v", camera, sized), func(v linear.View, c *matrixCensus, exact bool) matrixTruth {
		t := inPlanes(v, c, planes[:], exact)
		var z cull.Size
		(*walk.Frustum)(&sized).PrepareSize(&z)
		for i := range t.state {
			if tooSmall(&z, c.objects[i].Box) {
				t.state[i] = isOut
			}
		}
		return t
	}}, nil
}

func truthOf(c *matrixCensus, hits []int) matrixTruth {
	t := matrixTruth{state: make([]uint8, len(c.ids))}
	for _, i := range hits {
		t.state[i] = isIn
	}
	return t
}

// must records the objects that the definition holds: the formula must not lose them.
func (t *matrixTruth) must(hits []int) {
	for _, i := range hits {
		t.state[i] = isIn
	}
}

// balls replaces the judgement of the boxes by that of the spheres.
func (t *matrixTruth) balls(c *matrixCensus, exact bool, judge func(s [4]float32) uint8) matrixTruth {
	if exact {
		for i, s := range t.state {
			if s == isIn && c.ball(i) {
				t.state[i] = judge(c.balls[i])
			}
		}
	}
	return *t
}

// judgeSpan judges a distance that must be at most reach, and may be at most loose,
// in float64, of numbers as large as size.
func judgeSpan(dist, reach, loose, size float64) uint8 {
	slack := 0x1p-36*(dist+loose) + 0x1p-50*size
	switch {
	case dist <= reach-slack || dist == 0:
		return isIn
	case dist > loose+slack:
		return isOut
	}
	return isOpen
}

// sizeOf returns the largest of the numbers.
func sizeOf(numbers ...float32) (m float64) {
	for _, x := range numbers {
		m = max(m, math.Abs(float64(x)))
	}
	return m
}

func inBox(c *matrixCensus, b soa.AABB, exact bool) matrixTruth {
	t := truthOf(c, testkit.ReferenceBox(c.objects, b))
	t.balls(c, exact, func(s [4]float32) uint8 {
		center := [4]float32{s[0], s[1], s[2], 0}
		return judgeSpan(gapToBox(center, b), float64(s[3]), float64(s[3]), 0)
	})
	solid := boxSolid(b)
	return t.tilted(c, exact, func(i int, o *soa.OrientedBox) uint8 {
		s := solidOf(o)
		return inOrOut(b.Contains(c.objects[i].Box) || solid.Overlaps(&s))
	})
}

func inSphere(c *matrixCensus, q scene.Sphere, exact bool) matrixTruth {
	t := truthOf(c, testkit.ReferenceSphere(c.objects, q.Center, q.Radius))
	t.balls(c, exact, func(s [4]float32) uint8 {
		dist := gapToBall([4]float32{s[0], s[1], s[2], 0}, q.Center, 0)
		reach := float64(s[3]) + float64(q.Radius)
		return judgeSpan(dist, reach, reach+float64(q.Radius)*0x1p-20+0x1p-72, 0)
	})
	return t.tilted(c, exact, func(_ int, o *soa.OrientedBox) uint8 {
		f, r := frameOf(o), float64(q.Radius)
		switch dist := f.Distance(testkit.Wide(q.Center)); {
		case dist <= r:
			return isIn
		case dist > r*(1+0x1p-19)+0x1p-71:
			return isOut
		}
		return isOpen
	})
}

// inPlanes is the truth of a frustum or a convex volume.
func inPlanes(v linear.View, c *matrixCensus, planes [][4]float32, exact bool) matrixTruth {
	prepared := planesOf(v, planes)
	t := matrixTruth{state: make([]uint8, len(c.ids))}
	for i := range t.state {
		t.state[i] = isIn
	}
	var wider [][4]float32 // as the tests of spheres widen them
	s := v.Store()
	for _, p := range prepared {
		again := p.Again(s.Near, s.Extent)
		wider = append(wider, again.Far[:]...)
		in := truthOf(c, testkit.ReferencePrepared(c.objects, p))
		for k, s := range in.state {
			t.state[k] = min(t.state[k], s)
		}
	}
	if !exact {
		return t
	}
	t.balls(c, exact, func(s [4]float32) uint8 {
		state := uint8(isIn)
		for i := range planes {
			if low, slack := heightAbove(planes[i], s); low < slack {
				state = min(state, isOpen)
			}
			if high, slack := heightAbove(wider[i], s); high < -slack {
				return isOut
			}
		}
		return state
	})
	return t.tilted(c, exact, func(_ int, o *soa.OrientedBox) uint8 { return tiltedInPlanes(planes, wider, o) })
}

// heightAbove returns the height of a sphere above a plane, in lengths of its normal, and a bound of its error.
func heightAbove(p [4]float32, s [4]float32) (height, slack float64) {
	height, size, n2 := float64(p[3]), math.Abs(float64(p[3])), 0.0
	for a := range 3 {
		x := float64(p[a]) * float64(s[a])
		height, size, n2 = height+x, size+math.Abs(x), n2+float64(p[a])*float64(p[a])
	}
	r := float64(s[3]) * math.Sqrt(n2)
	return height + r, (size + r) * 0x1p-38
}

// precise opens the objects that the second test may remove: those outside the frustum.
func (t *matrixTruth) precise(c *matrixCensus, planes [6][4]float32, exact bool) {
	for i := range t.state {
		t.state[i] = min(t.state[i], isOpen)
	}
	p := wide(planes)
	t.lost = askedOnce(len(c.ids), func(i int) bool {
		box := c.objects[i].Box
		if exact && c.turned[i] != nil {
			return false // tested by its own
		}
		if exact && c.ball(i) { // at least the objects with the centre of their sphere inside
			s := c.balls[i]
			center := [3]float32{s[0], s[1], s[2]}
			box = soa.AABB{Min: center, Max: center}
		}
		return testkit.MeetsFrustum(&box, &p, 0)
	})
}
