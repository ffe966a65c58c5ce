package scene

import (
	"math"

	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// figure is the shape of an object in the space of the scene, for contacts.
type figure struct {
	pairSide  *pairSide
	box       soa.AABB // in its part
	hasSphere bool
	sphere    ball
	tilted    bool // it has an oriented box
	frame     exact.Frame

	center [3]float64
	dirs   [3][3]float64 // of edges, of length 1
	faces  [3][3]float64 // the normals, of length 1
	half   [3]float64    // of the lengths of the edges
}

// find reads the shape of an object and reports whether the object exists.
func (f *figure) find(s *pairSide, id uint32) bool {
	v := s.view.Objects()
	o, ok := v.Object(id)
	if !ok {
		return false
	}
	f.pairSide, f.box = s, o.Box
	sphere, ok := v.Sphere(id)
	if f.hasSphere = ok; ok {
		f.sphere.set(&sphere)
		s.ballOut(&f.sphere)
	}
	var image cell
	s.setImage(&image, &o.Box)
	dirs := *s.axes()
	oriented, tilted := v.Oriented(id)
	if f.tilted = tilted; tilted {
		f.frame.Set(&oriented)
		image, dirs = s.orientedImage(&oriented)
	}
	f.center = image.center
	for k := range 3 {
		f.dirs[k], _ = unit(dirs[k])
		_, f.half[k] = unit(image.edges[k])
	}
	for k := range 3 {
		f.faces[k], _ = unit(cross(f.dirs[(k+1)%3], f.dirs[(k+2)%3]))
	}
	return true
}

// unit returns a vector normalized to length 1 and its length; a zero vector is returned
// unchanged.
func unit(v [3]float64) ([3]float64, float64) {
	m := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
	if m == 0 {
		return v, 0
	}
	even(&v)
	l := exact.Length(&v)
	return [3]float64{v[0] / l, v[1] / l, v[2] / l}, float64(m * l)
}

// along returns the half extent of the box along a vector of length 1.
func (f *figure) along(n *[3]float64) float64 {
	return float64(math.Abs(dot(n, &f.dirs[0]))*f.half[0]) +
		float64(math.Abs(dot(n, &f.dirs[1]))*f.half[1]) +
		float64(math.Abs(dot(n, &f.dirs[2]))*f.half[2])
}

// Directions are parallel if the sine of their angle with an axis, or a face, is less than
// parallel.
const parallel = 0x1p-26

// deepest returns the middle of the corner, edge or face that is farthest along a vector,
// ignoring the component of the skipped edge.
func (f *figure) deepest(n *[3]float64, skipped int) (p [3]float64) {
	p = f.center
	for k := range 3 {
		d := dot(n, &f.dirs[k])
		if k == skipped || math.Abs(d) <= parallel {
			continue
		}
		for a := range 3 {
			p[a] += float64(math.Copysign(f.half[k], d) * f.dirs[k][a])
		}
	}
	return p
}

// boxes sets the contact of two boxes along the axis of least depth.
func (c *Contact) boxes(x, y *figure) {
	way := sub(&y.center, &x.center)
	least, at := math.Inf(1), 0
	var normal [3]float64
	try := func(n [3]float64, i int) {
		t := dot(&n, &way)
		if d := x.along(&n) + y.along(&n) - math.Abs(t); d < least {
			if t < 0 {
				n = [3]float64{-n[0], -n[1], -n[2]}
			}
			least, normal, at = d, n, i
		}
	}
	for k := range 3 {
		try(x.faces[k], k)
	}
	for k := range 3 {
		try(y.faces[k], 3+k)
	}
	for i := range 3 {
		for k := range 3 {
			if n, sine := unit(cross(x.dirs[i], y.dirs[k])); sine > parallel {
				try(n, 6+3*i+k)
			}
		}
	}
	mine, other := at, at-3
	if at >= 6 { // the normal to two edges may be that of a face, or nearly so
		mine, other = x.faceAt((at-6)/3, &normal), y.faceAt(at%3, &normal)
	}
	back := [3]float64{-normal[0], -normal[1], -normal[2]}
	var pos [3]float64
	switch {
	case mine < 3:
		pos = x.onFace(mine, y, &normal, least)
	case other < 3:
		pos = y.onFace(other, x, &back, least)
	default:
		pos = onEdges(x, y, (at-6)/3, at%3, &normal, &back)
	}
	c.set(&pos, &normal, least)
}

// faceAt returns the face that contains an edge direction and is normal to a vector, 3 if there
// is none.
func (f *figure) faceAt(edge int, n *[3]float64) int {
	for k := range 3 {
		if k != edge && math.Abs(dot(n, &f.dirs[k])) <= parallel {
			return 3 - edge - k
		}
	}
	return 3
}

// onFace returns the position of a contact on a face, with normal n, behind which another box
// reaches by depth.
func (f *figure) onFace(face int, other *figure, n *[3]float64, depth float64) [3]float64 {
	back := [3]float64{-n[0], -n[1], -n[2]}
	deep := other.deepest(&back, -1)
	var pos, from [3]float64 // the middle of the face, and the vector to the deepest feature, projected onto it
	up := math.Copysign(f.half[face], dot(n, &f.dirs[face]))
	for a := range 3 {
		pos[a] = f.center[a] + float64(up*f.dirs[face][a])
		from[a] = deep[a] + float64(n[a]*depth) - pos[a]
		pos[a] -= float64(n[a] * depth / 2)
	}
	for k := range 3 {
		if k == face {
			continue
		}
		scale := dot(&f.faces[k], &f.dirs[k])
		middle, reach := dot(&f.faces[k], &from)/scale, 0.0
		for e := range 3 {
			if math.Abs(dot(n, &other.dirs[e])) <= parallel {
				reach += math.Abs(float64(dot(&f.faces[k], &other.dirs[e]) / scale * other.half[e]))
			}
		}
		lo := min(max(middle-reach, -f.half[k]), f.half[k])
		hi := min(max(middle+reach, -f.half[k]), f.half[k])
		for a := range 3 {
			pos[a] += float64((lo + hi) / 2 * f.dirs[k][a])
		}
	}
	return pos
}

// onEdges returns the midpoint of the closest points of an edge of x, of direction i, and one of
// y, of direction k.
func onEdges(x, y *figure, i, k int, n, back *[3]float64) (pos [3]float64) {
	p, q := x.deepest(n, i), y.deepest(back, k)
	u, v := &x.dirs[i], &y.dirs[k]
	between := sub(&q, &p)
	uv, ub, vb := dot(u, v), dot(u, &between), dot(v, &between)
	w := cross(*u, *v)
	s := min(max((ub-float64(uv*vb))/dot(&w, &w), -x.half[i]), x.half[i])
	t := min(max(float64(uv*s)-vb, -y.half[k]), y.half[k])
	for a := range 3 {
		pos[a] = (p[a] + float64(s*u[a]) + q[a] + float64(t*v[a])) / 2
	}
	return pos
}

// balls sets the contact of two balls along the line of their centres.
func (c *Contact) balls(x, y *figure) {
	p, q := &x.sphere, &y.sphere
	n, dist := unit(sub(&q.center, &p.center))
	if dist == 0 {
		n = [3]float64{1}
	}
	c.between(p, &n, dist-q.radius, p.radius+q.radius-dist)
}

// ballBox sets the contact of a ball and a box: through the nearest point of the box, in its own
// space or frame, or through the nearest face.
func (c *Contact) ballBox(x, y *figure) {
	b := x.sphere
	y.pairSide.ballIn(&b)
	var way, lo, hi [3]float64
	for a := range 3 {
		lo[a], hi[a] = float64(y.box.Min[a]), float64(y.box.Max[a])
	}
	if f := &y.frame; y.tilted {
		b.center = f.Local(sub(&b.center, &f.Center))
		for a, h := range f.Half {
			lo[a], hi[a] = -h, h
		}
	}
	for a, p := range b.center {
		way[a] = min(max(p, lo[a]), hi[a]) - p
	}
	n, dist := unit(way)
	if dist == 0 {
		least, axis, sign := math.Inf(1), 0, 1.0
		for a, p := range b.center {
			if d := p - lo[a]; d < least {
				least, axis, sign = d, a, 1
			}
			if d := hi[a] - p; d < least {
				least, axis, sign = d, a, -1
			}
		}
		n = [3]float64{}
		n[axis], dist = sign, -least
	}
	if y.tilted {
		n = y.frame.World(n)
	}
	dist = float64(dist * y.pairSide.scale())
	for s := y.pairSide; s.outer != nil; s = s.outer {
		rows := s.transform.Rows()
		turn(&n, &rows)
		even(&n)
	}
	n, _ = unit(n)
	c.between(&x.sphere, &n, dist, x.sphere.radius-dist)
}

// scale returns a lower bound of the factor by which lengths of the part grow in the scene.
func (s *pairSide) scale() (scale float64) {
	scale = 1
	for ; s.outer != nil; s = s.outer {
		least, _ := s.transform.Stretch()
		scale *= least
	}
	return scale
}

// between sets the contact of a ball with a shape whose surface is at the distance near from
// the ball's centre, along n.
func (c *Contact) between(b *ball, n *[3]float64, near, depth float64) {
	pos, middle := b.center, (b.radius+near)/2
	for a := range 3 {
		pos[a] += float64(n[a] * middle)
	}
	c.set(&pos, n, depth)
}

func (c *Contact) set(pos, n *[3]float64, depth float64) {
	for a := range 3 {
		c.Pos[a], c.Normal[a] = narrow(pos[a]), float32(n[a]+0)
	}
	c.Depth = narrow(depth)
}

// narrow rounds to float32, and what is too large to the largest.
func narrow(x float64) float32 {
	return float32(min(max(x, -math.MaxFloat32), math.MaxFloat32))
}

func sub(a, b *[3]float64) [3]float64 {
	return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]}
}
