package scene_test

import (
	"math"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Images of boxes under several transforms: exactly, and in float64 with error bounds that decide nearly
// all tests.

func rat(x float64) *rational.Rat { return new(rational.Rat).SetFloat64(x) }

func product(a, b *rational.Rat) *rational.Rat { return new(rational.Rat).Mul(a, b) }

// image is the composed map of all transforms on a path.
type image struct {
	m    [3][3]float64
	t    [3]float64
	size [3][3]float64 // sums of the magnitudes of the terms of m
	far  [3]float64
	unit [3][3]float64 // about unit directions of the edges of images of boxes

	transforms []*linear.Transform
	steps      [][12]float64 // rows of all maps, outer ones first
	rows       *exactRows    // of exactly, nil before
}

type exactRows [3][4]*rational.Rat

func imageOf(transforms []*linear.Transform) (im image) {
	im.transforms = transforms
	for i := range 3 {
		im.m[i][i], im.size[i][i], im.unit[i][i] = 1, 1, 1
	}
	for _, p := range transforms {
		im = im.after(p.Rows())
	}
	return im
}

// after returns the map that applies rows first and then im.
func (im image) after(r [12]float64) image {
	was := im
	im.steps, im.rows = append(was.steps[:len(was.steps):len(was.steps)], r), nil
	for i := range 3 {
		for k := range 3 {
			im.t[i] += was.m[i][k] * r[4*k+3]
			im.far[i] += was.size[i][k] * math.Abs(r[4*k+3])
		}
		for j := range 3 {
			im.m[i][j], im.size[i][j] = 0, 0
			for k := range 3 {
				im.m[i][j] += was.m[i][k] * r[4*k+j]
				im.size[i][j] += was.size[i][k] * math.Abs(r[4*k+j])
			}
		}
	}
	for j := range 3 {
		l := math.Sqrt(im.m[0][j]*im.m[0][j] + im.m[1][j]*im.m[1][j] + im.m[2][j]*im.m[2][j])
		for i := range 3 {
			im.unit[j][i] = im.m[i][j] / l
		}
	}
	return im
}

// turned returns a map and a box about 0 whose image is that of an oriented box, exactly. Its columns are
// the directions of the edges. An edge of length zero has the direction that the depths of contacts use.
func (im image) turned(o soa.OrientedBox) (image, soa.AABB) {
	var solid exact.Solid
	solid.SetOriented(&o)
	x, r, box := testkit.TurnedOf(o), [12]float64{}, soa.AABB{}
	for j, axis := range x.Axes {
		half, dir := 0., solid.Dirs[j]
		if axis != [3]float64{} {
			_, e := math.Frexp(max(math.Abs(axis[0]), math.Abs(axis[1]), math.Abs(axis[2])))
			half, dir = math.Ldexp(1, e-1), axis
			for i := range 3 {
				dir[i] /= half
			}
		}
		for i := range 3 {
			r[4*i+j], r[4*i+3] = dir[i], x.Center[i]
		}
		box.Min[j], box.Max[j] = -float32(half), float32(half)
	}
	return im.after(r), box
}

// shape is the shape that decides for an object: its box or, if bounds decide, its oriented box.
type shape struct {
	image
	box       soa.AABB
	turned    bool
	hasSphere bool // it has a sphere as well, or instead
	center    [3]float64
	radius    float64 // of its image, under a similarity
}

// shape returns the shape of an object of a part under im.
func (s *spot) shape(im *image, o *object, exact bool) shape {
	if exact {
		v := s.view.Objects()
		x := shape{image: *im, box: o.Box}
		sphere, ok := v.Sphere(o.id)
		x.hasSphere, x.center = ok, im.to([3]float64{float64(sphere[0]), float64(sphere[1]), float64(sphere[2])})
		x.radius = float64(sphere[3]) * math.Hypot(im.m[0][0], math.Hypot(im.m[1][0], im.m[2][0]))
		if q, ok := v.Oriented(o.id); ok {
			x.image, x.box = im.turned(q)
			x.turned = true
		}
		return x
	}
	return shape{image: *im, box: o.Box}
}

// exactly returns the rows without errors.
func (im *image) exactly() *exactRows {
	if im.rows != nil {
		return im.rows
	}
	rows := still()
	for _, r := range im.steps {
		was := *rows
		rows = new(exactRows)
		for i := range 3 {
			rows[i][3] = new(rational.Rat).Set(was[i][3])
			for j := range 4 {
				if j < 3 {
					rows[i][j] = new(rational.Rat)
				}
				for k := range 3 {
					rows[i][j].Add(rows[i][j], product(was[i][k], rat(r[4*k+j])))
				}
			}
		}
	}
	im.rows = rows
	return rows
}

// still is the identity.
func still() *exactRows {
	rows := new(exactRows)
	for i := range 3 {
		for j := range 4 {
			rows[i][j] = new(rational.Rat)
		}
		rows[i][i].SetInt64(1)
	}
	return rows
}

// slack is the relative error allowed for sums in float64.
const slack = 0x1p-40

// span returns the least and the largest n*x over the image of a box, and a bound of their
// errors.
func (im *image) span(n [3]float64, b *soa.AABB) (least, most, off float64) {
	for i := range 3 {
		least += n[i] * im.t[i]
		off += math.Abs(n[i]) * im.far[i]
	}
	most = least
	for j := range 3 {
		c, size := 0.0, 0.0
		for i := range 3 {
			c += n[i] * im.m[i][j]
			size += math.Abs(n[i]) * im.size[i][j]
		}
		x, y := c*float64(b.Min[j]), c*float64(b.Max[j])
		least += min(x, y)
		most += max(x, y)
		off += size * max(math.Abs(float64(b.Min[j])), math.Abs(float64(b.Max[j])))
	}
	return least, most, off * slack
}

// exactSpan is span without errors.
func (im *image) exactSpan(n [3]*rational.Rat, b *soa.AABB) (least, most *rational.Rat) {
	least = new(rational.Rat)
	rows := im.exactly()
	for i := range 3 {
		least.Add(least, product(n[i], rows[i][3]))
	}
	most = new(rational.Rat).Set(least)
	for j := range 3 {
		c := new(rational.Rat)
		for i := range 3 {
			c.Add(c, product(n[i], rows[i][j]))
		}
		x, y := product(c, rat(float64(b.Min[j]))), product(c, rat(float64(b.Max[j])))
		if x.Cmp(y) > 0 {
			x, y = y, x
		}
		least.Add(least, x)
		most.Add(most, y)
	}
	return least, most
}

// passes reports whether a corner of the image is not outside a plane, exactly.
func (im *image) passes(p [4]float64, b *soa.AABB) bool {
	n := [3]float64{p[0], p[1], p[2]}
	_, most, off := im.span(n, b)
	off += math.Abs(p[3]) * slack
	switch at := most + p[3]; {
	case at > off:
		return true
	case at < -off:
		return false
	}
	_, exact := im.exactSpan([3]*rational.Rat{rat(n[0]), rat(n[1]), rat(n[2])}, b)
	return exact.Add(exact, rat(p[3])).Sign() >= 0
}

// meetsBox reports whether the image of a box intersects another box, exactly: by separating axes, with the
// directions of edges for edges of length zero.
func (im *image) meetsBox(b, q *soa.AABB) bool {
	doubt := false
	axes := im.axes()
	for k := range axes {
		n := axes[k]
		least, most, off := im.span(n, b)
		lo, hi := 0.0, 0.0
		for a := range 3 {
			x, y := n[a]*float64(q.Min[a]), n[a]*float64(q.Max[a])
			lo, hi = lo+min(x, y), hi+max(x, y)
			off += (math.Abs(x) + math.Abs(y)) * slack
		}
		switch {
		case least-off > hi || most+off < lo:
			// The axis itself is rounded, but it separates all the same.
			return false
		case least+off*0x1p16 > hi || most-off*0x1p16 < lo:
			doubt = true // nearly parallel edges make axes of few digits
		}
	}
	return !doubt || im.exactlyMeetsBox(b, q)
}

// axes returns the possible separating axes of the image of a box and a box.
func (im *image) axes() (axes [15][3]float64) {
	col := func(j int) [3]float64 { return [3]float64{im.m[0][j], im.m[1][j], im.m[2][j]} }
	for a := range 3 {
		axes[a][a] = 1
		axes[3+a] = cross(col((a+1)%3), col((a+2)%3))
		for j := range 3 {
			var e [3]float64
			e[a] = 1
			axes[6+3*a+j] = cross(e, col(j))
		}
	}
	return axes
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func (im *image) exactlyMeetsBox(b, q *soa.AABB) bool {
	type vector = [3]*rational.Rat
	unit := func(a int) (v vector) {
		for i := range v {
			v[i] = new(rational.Rat)
		}
		v[a].SetInt64(1)
		return v
	}
	rows := im.exactly()
	col := func(j int) vector { return vector{rows[0][j], rows[1][j], rows[2][j]} }
	normal := func(a, b vector) (c vector) {
		for i := range c {
			j, k := (i+1)%3, (i+2)%3
			c[i] = new(rational.Rat).Sub(product(a[j], b[k]), product(a[k], b[j]))
		}
		return c
	}
	apart := func(n vector) bool {
		least, most := im.exactSpan(n, b)
		here := image{rows: still()}
		lo, hi := here.exactSpan(n, q)
		return least.Cmp(hi) > 0 || most.Cmp(lo) < 0
	}
	for a := range 3 {
		if apart(unit(a)) || apart(normal(col((a+1)%3), col((a+2)%3))) {
			return false
		}
		for j := range 3 {
			if apart(normal(unit(a), col(j))) {
				return false
			}
		}
	}
	return true
}

// point returns the image of a point of a box, given as fractions of its sides.
func (im *image) point(b *soa.AABB, share [3]float64) (p [3]float64) {
	for i := range 3 {
		p[i] = im.t[i]
		for j := range 3 {
			p[i] += im.m[i][j] * (float64(b.Min[j]) + share[j]*(float64(b.Max[j])-float64(b.Min[j])))
		}
	}
	return p
}

// to returns the image of a point.
func (im *image) to(v [3]float64) (p [3]float64) {
	for i := range 3 {
		p[i] = im.t[i] + im.m[i][0]*v[0] + im.m[i][1]*v[1] + im.m[i][2]*v[2]
	}
	return p
}

// off bounds the error of points on any axis, and of values computed from them.
func (im *image) off(b *soa.AABB) (off float64) {
	for i := range 3 {
		sum := im.far[i]
		for j := range 3 {
			sum += im.size[i][j] * max(math.Abs(float64(b.Min[j])), math.Abs(float64(b.Max[j])))
		}
		off = max(off, sum*0x1p-35)
	}
	return off
}

// exactPoint is point without errors.
func (im *image) exactPoint(b *soa.AABB, share [3]float64) (p [3]*rational.Rat) {
	rows := im.exactly()
	for i := range 3 {
		p[i] = new(rational.Rat).Set(rows[i][3])
		for j := range 3 {
			lo, hi := rat(float64(b.Min[j])), rat(float64(b.Max[j]))
			x := new(rational.Rat).Sub(hi, lo)
			x.Mul(x, rat(share[j]))
			p[i].Add(p[i], product(rows[i][j], x.Add(x, lo)))
		}
	}
	return p
}

// nearest returns the point of the image of a box that is about nearest to a point, as fractions of the
// sides, and its distance.
func (im *image) nearest(b *soa.AABB, c [3]float64) (share [3]float64, dist float64) {
	f := im.features(b)
	return f.nearest(c)
}

// features are the corners, edges and faces of the image of a box, and the box itself.
type features struct {
	corner [3]float64
	edges  [3][3]float64
	bases  [8][3][3]float64 // by set of edges: orthogonal, from the edges in their order
	dots   [8][3]float64    // their squares
}

func (im *image) features(b *soa.AABB) (f features) {
	for i := range 3 {
		f.corner[i] = im.t[i]
		for j := range 3 {
			f.edges[j][i] = im.m[i][j] * (float64(b.Max[j]) - float64(b.Min[j]))
			f.corner[i] += im.m[i][j] * float64(b.Min[j])
		}
	}
	for set := range f.bases {
		basis, dots := &f.bases[set], &f.dots[set]
		for j := range 3 { // Gram-Schmidt
			if set>>j&1 == 0 {
				continue
			}
			basis[j] = f.edges[j]
			for m := range j {
				if set>>m&1 != 0 && dots[m] > 0 {
					q := scalar(basis[j], basis[m]) / dots[m]
					for i := range 3 {
						basis[j][i] -= q * basis[m][i]
					}
				}
			}
			dots[j] = scalar(basis[j], basis[j])
		}
	}
	return f
}

// nearest returns the nearest point: the best of the candidates on faces, edges and corners.
func (f *features) nearest(c [3]float64) (share [3]float64, dist float64) {
	best := math.Inf(1)
	from := difference(f.corner, c)
	for combo := range 27 {
		var s [3]float64
		set, at := 0, from
		for j, k := 0, combo; j < 3; j, k = j+1, k/3 {
			switch k % 3 {
			case 1:
				s[j] = 1
				for i := range 3 {
					at[i] += f.edges[j][i]
				}
			case 2:
				set |= 1 << j
			}
		}
		for j := 2; j >= 0; j-- {
			if d := f.dots[set][j]; d > 0 {
				s[j] = min(max(-scalar(at, f.bases[set][j])/d, 0), 1)
				for i := range 3 {
					at[i] += s[j] * f.edges[j][i]
				}
			}
		}
		if d := scalar(at, at); d < best {
			share, best = s, d
		}
	}
	return share, math.Sqrt(best)
}
