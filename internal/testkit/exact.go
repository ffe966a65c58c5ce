package testkit

import (
	"cmp"
	"math"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// MeetsFrustum reports whether a box and the convex body of six planes intersect. It clips the box
// with one plane after the other, in float64. A common point must be inside each plane by margin
// times the length of its normal; margin is negative to allow for rounding. The box grows by
// -margin too, so that bodies without extent work.
func MeetsFrustum(b *soa.AABB, planes *[6][4]float64, margin float64) bool {
	if margin > 0 {
		panic("testkit: MeetsFrustum with a positive margin")
	}
	var lo, hi [3]float64
	for a := range 3 {
		lo[a], hi[a] = float64(b.Min[a])+margin, float64(b.Max[a])-margin
	}
	var faces []polygon
	for _, p := range planes {
		least, greatest, size := 0.0, 0.0, 0.0 // of the corners
		for a := range 3 {
			x, y := p[a]*lo[a], p[a]*hi[a]
			least, greatest, size = least+min(x, y), greatest+max(x, y), size+max(p[a], -p[a])
		}
		switch {
		case greatest+p[3] < margin*size:
			return false
		case least+p[3] >= margin*size:
			continue // the plane does not cut the box
		}
		if faces == nil {
			faces = boxFaces(lo, hi)
		}
		if faces = clipBody(faces, p, margin*size); len(faces) == 0 {
			return false
		}
	}
	return true
}

type polygon [][3]float64

// boxFaces returns the six faces of a box.
func boxFaces(lo, hi [3]float64) (faces []polygon) {
	for a := range 3 {
		u, v := (a+1)%3, (a+2)%3
		for _, at := range []float64{lo[a], hi[a]} {
			var face polygon
			for _, uv := range [][2]float64{{lo[u], lo[v]}, {hi[u], lo[v]}, {hi[u], hi[v]}, {lo[u], hi[v]}} {
				var p [3]float64
				p[a], p[u], p[v] = at, uv[0], uv[1]
				face = append(face, p)
			}
			faces = append(faces, face)
		}
	}
	return faces
}

// clipBody clips a convex body, given by its faces, with a plane. The cut becomes a face.
func clipBody(faces []polygon, p [4]float64, margin float64) (kept []polygon) {
	height := func(x *[3]float64) float64 {
		return p[0]*x[0] + p[1]*x[1] + p[2]*x[2] + p[3] - margin
	}
	var cut polygon
	for _, f := range faces {
		var in polygon
		for i := range f {
			j := (i + 1) % len(f)
			hi, hj := height(&f[i]), height(&f[j])
			if hi >= 0 {
				in = append(in, f[i])
			}
			if hi >= 0 != (hj >= 0) {
				var x [3]float64
				for a := range 3 {
					x[a] = f[i][a] + (f[j][a]-f[i][a])*(hi/(hi-hj))
				}
				in, cut = append(in, x), append(cut, x)
			}
		}
		if len(in) > 0 {
			kept = append(kept, in)
		}
	}
	if len(cut) > 0 {
		kept = append(kept, around(cut, p))
	}
	return kept
}

// around sorts points of a plane by angle about their mean, as seen along the longest axis of the
// normal.
func around(points polygon, p [4]float64) polygon {
	axis := 0
	for a := range 3 {
		if math.Abs(p[a]) > math.Abs(p[axis]) {
			axis = a
		}
	}
	u, v := (axis+1)%3, (axis+2)%3
	var mu, mv float64
	for _, x := range points {
		mu, mv = mu+x[u]/float64(len(points)), mv+x[v]/float64(len(points))
	}
	slices.SortFunc(points, func(a, b [3]float64) int {
		return cmp.Compare(math.Atan2(a[v]-mv, a[u]-mu), math.Atan2(b[v]-mv, b[u]-mu))
	})
	return points
}
