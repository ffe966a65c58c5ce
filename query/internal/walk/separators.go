package walk

import (
	"math"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Separators are the planes of the second test, in one or two parts.
type Separators struct {
	N     int            // number of parts
	Parts [2]cull.Volume // convex
}

// maxSeparators is the number of planes that the parts hold. Further ones, of frusta with more
// than nine directions of edges, are omitted.
const maxSeparators = 2 * cull.MaxPlanes

// set prepares the second test; there are no parts if the frustum is not suitable. The planes are
// those of the first test: a box whose n-vertices pass them lies, in exact arithmetic, inside the
// planes widened once more, and so passes the second test. With two bounds there are two bodies,
// and separators of the same directions for each: a box that is not near is tested against the
// wider body.
func (s *Separators) set(planes *cull.Planes, near, extent [3]float32) {
	s.N = 0
	var h, wide hull
	wider := cull.MakePlanes(&planes.Coef, near, extent)
	if !h.set(&wider.Coef) {
		return
	}
	two, bounded := planes.Two, false
	if two {
		coef := planes.Coef
		for i := range coef {
			coef[i][3] = planes.Wide[i]
		}
		wider = cull.MakePlanes(&coef, extent, extent)
		bounded = wide.set(&wider.Coef) // if false, boxes that are not near pass
	}
	var list, far [maxSeparators][4]float32
	n := 0
	add := func(axis [3]float64) {
		m := max(math.Abs(axis[0]), math.Abs(axis[1]), math.Abs(axis[2]))
		if m < 0x1p-20 || n+2 > len(list) {
			return // parallel edges, or no room
		}
		_, e := math.Frexp(m)
		var p, q [4]float32
		for a := range 3 {
			p[a] = float32(math.Ldexp(axis[a], -2-e))
			q[a] = -p[a]
		}
		p[3], q[3] = h.support(p), h.support(q)
		list[n], list[n+1] = p, q
		if two {
			p[3], q[3] = math.MaxFloat32, math.MaxFloat32
			if bounded {
				p[3], q[3] = wide.support(p), wide.support(q)
			}
			far[n], far[n+1] = p, q
		}
		n += 2
	}
	for a := range 3 {
		var axis [3]float64
		axis[a] = 1
		add(axis)
	}
	for _, d := range h.edges[:h.directions] {
		add([3]float64{0, d[2], -d[1]})
		add([3]float64{-d[2], 0, d[0]})
		add([3]float64{d[1], -d[0], 0})
	}
	for i := 0; i < n; i += cull.MaxPlanes {
		end := min(i+cull.MaxPlanes, n)
		s.Parts[s.N].Shape = cull.ShapeConvex
		part := &s.Parts[s.N].Convex
		part.Set(list[i:end], near, extent)
		if two {
			var w cull.Convex
			w.Set(far[i:end], extent, extent)
			for k := range w.Coef[:w.N] {
				part.Wide[k] = w.Coef[k][3]
			}
		}
		s.N++
	}
}

// hull is the corners and edges of a frustum.
type hull struct {
	corners    [8][3]float64
	errors     [8][3]float64 // bounds of the errors of corners
	edges      [12][3]float64
	directions int // number of edges that are not parallel, of length 1
}

// set computes the hull. ok is false unless the six planes bound a body whose corners are on three
// planes each and whose edges join two corners each: then there are no other corners, because the
// edges of a body connect all of them.
func (h *hull) set(planes *[6][4]float32) (ok bool) {
	var p [6][4]float64
	for i := range p {
		for k, x := range planes[i] {
			p[i][k] = float64(x)
		}
	}
	n := 0
	var on [6][6]int // corners on a pair of planes
	for i := range 6 {
		for j := range i {
			for k := range j {
				c, e, ok := exact.Intersect(&p[i], &p[j], &p[k])
				if !ok {
					continue
				}
				in, sure := within(&p, &c, &e, i, j, k)
				if !in {
					continue
				}
				if !sure || n == len(h.corners) {
					return false // a corner on a fourth plane, as of a duplicate plane, or too many
				}
				h.corners[n], h.errors[n] = c, e
				n++
				on[i][j]++
				on[i][k]++
				on[j][k]++
			}
		}
	}
	if n != len(h.corners) {
		return false
	}
	h.directions = 0
	for i := range 6 {
		for j := range i {
			switch on[i][j] {
			case 0:
			case 2:
				h.addEdge(exact.Cross([3]float64(p[i][:3]), [3]float64(p[j][:3])))
			default:
				return false
			}
		}
	}
	return true
}

// addEdge adds a direction unless it is present already, up to rounding. A direction only decides
// which planes are tested, so it need not be exact.
func (h *hull) addEdge(d [3]float64) {
	d, ok := exact.Direction(d)
	if !ok {
		return
	}
	for _, e := range h.edges[:h.directions] {
		if c := exact.Cross(d, e); exact.Dot(c, c) < 1e-10 {
			return
		}
	}
	h.edges[h.directions] = d
	h.directions++
}

// within reports whether the corner of planes i, j, k may lie inside the others, and whether it
// surely does, on none of them.
func within(p *[6][4]float64, c, e *[3]float64, i, j, k int) (in, sure bool) {
	sure = true
	for m := range p {
		if m == i || m == j || m == k {
			continue
		}
		at, slack := p[m][3], 0x1p-50*math.Abs(p[m][3])
		for a := range 3 {
			at += float64(p[m][a] * c[a])
			slack += float64(math.Abs(p[m][a]) * (e[a] + float64(0x1p-50*math.Abs(c[a]))))
		}
		if !(at >= -slack) {
			return false, true
		}
		sure = sure && at > slack
	}
	return true, sure
}

// support returns the d of the plane with that normal that has all corners inside, anywhere within
// their errors.
func (h *hull) support(n [4]float32) float32 {
	d := math.Inf(-1)
	for i := range h.corners {
		at := 0.0
		for a := range 3 {
			c := h.corners[i][a]
			reach := h.errors[i][a] + float64(0x1p-50*math.Abs(c))
			at += float64(math.Abs(float64(n[a]))*reach) - float64(float64(n[a])*c)
		}
		d = max(d, at)
	}
	return soa.Above(min(d, math.MaxFloat32), 0)
}

// refine removes the lanes of hit ranges that a separator rejects.
func (w *Walk) refine() {
	for i := range w.Separators.N {
		w.stack = w.stack[:0]
		for _, r := range w.ranges {
			if r.N&asm.RangeHit != 0 {
				w.stack = append(w.stack, r.First)
			}
		}
		w.kept = w.Separators.Parts[i].Packets(w.kept[:0], w.store.Packets.Bounds, w.stack)
		n, k := 0, 0
		for _, r := range w.ranges {
			if r.N&asm.RangeHit != 0 {
				if k == len(w.kept) || w.kept[k].First != r.First {
					continue
				}
				r.N &= w.kept[k].N
				k++
				if r.N&0xffff == 0 {
					continue
				}
			}
			w.ranges[n] = r
			n++
		}
		w.ranges = w.ranges[:n]
	}
}
