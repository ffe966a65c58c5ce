package xform

import "math"

// invert sets the inverse, the bounds and the kind of a matrix that is not aligned, and reports whether its
// condition number is small enough.
func (p *Transform) invert(largest float64) bool {
	// n is the matrix times a power of two: its largest number is in [1, 2).
	scale := unit(largest)
	var n [3][3]float64
	for i := range 3 {
		for j := range 3 {
			n[i][j] = float64(p.m[i][j] * scale)
		}
	}
	g := gram(&n)
	tall, low := g.circles()
	lost := float64((g[0] + g[1] + g[2]) * 0x1p-48)
	var inv [3][3]float64
	if tall-low <= nearlyTurned*tall {
		inv, p.slip = transposed(&n, &g)
	} else if !p.refined(&inv, &n) {
		return false
	}
	p.maxScale, p.minScale = math.Sqrt(tall+lost)*(1+0x1p-50), 0
	if low > 0.75*tall {
		p.minScale = math.Sqrt(low-lost) * (1 - 0x1p-50)
	} else {
		p.maxScale = min(p.maxScale, longest(&n))
		p.minScale = float64((1-p.slip)*(1-0x1p-50)) / longest(&inv)
		if !(p.maxScale <= transformCondition*p.minScale) {
			return false
		}
	}
	for i := range 3 {
		for j := range 3 {
			p.inv[i][j] = float64(inv[i][j] * scale)
		}
	}
	p.maxScale, p.minScale = p.maxScale/scale, p.minScale/scale
	if !(tall-low <= transformTolerance*tall) {
		p.minScale = -p.minScale
	}
	return true
}

// nearlyTurned is the limit of the relative difference of the squared stretch factors up to which the scaled
// transpose is used as the inverse.
const nearlyTurned = 0x1p-46

// transposed returns the inverse of a matrix that, up to rounding, rotates, mirrors and scales: its transpose over
// the square of the scale. The Gram matrix gives the error, up to some 16 roundings.
func transposed(n *[3][3]float64, g *symmetric) (inv [3][3]float64, slip float64) {
	r := 1 / g[0]
	for i := range 3 {
		for j := range 3 {
			inv[i][j] = float64(n[j][i] * r)
		}
	}
	xy, xz, yz := math.Abs(float64(g[3]*r)), math.Abs(float64(g[4]*r)), math.Abs(float64(g[5]*r))
	x, y, z := math.Abs(float64(g[0]*r)-1), math.Abs(float64(g[1]*r)-1), math.Abs(float64(g[2]*r)-1)
	return inv, max(x+(xy+xz), y+(xy+yz), z+(xz+yz)) + 0x1p-48
}

// refined writes the inverse by minors to the first argument, refined, and its error to the slip. It reports false
// if there is no such inverse.
func (p *Transform) refined(to, n *[3][3]float64) bool {
	inv, ok := adjugate(n)
	if !ok {
		return false
	}
	// Newton's iteration squares the error, down to the limit of rounding.
	p.slip = slipOf(&inv, n)
	for p.slip > 0x1p-44 {
		better := refine(&inv, n)
		slip := slipOf(&better, n)
		if !(slip < p.slip/2) {
			break
		}
		inv, p.slip = better, slip
	}
	*to = inv
	return p.slip <= 0x1p-26
}

// unit returns the power of two that scales a number from 2^-300 to 2^300 into [1, 2).
func unit(x float64) float64 {
	return math.Float64frombits((2046 - math.Float64bits(x)>>52) << 52)
}

// adjugate returns the inverse by minors.
func adjugate(n *[3][3]float64) (inv [3][3]float64, ok bool) {
	p, q, r := &n[0], &n[1], &n[2]
	x, y, z := outer(q, r), outer(r, p), outer(p, q) // the columns
	det := float64(p[0]*x[0]) + float64(p[1]*x[1]) + float64(p[2]*x[2])
	if !(math.Abs(det) >= 0x1p-60) {
		return inv, false
	}
	for i := range 3 {
		inv[i] = [3]float64{x[i] / det, y[i] / det, z[i] / det}
	}
	return inv, true
}

// outer returns the cross product of two vectors.
func outer(a, b *[3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// slipOf returns an upper bound of the row sums of |I - inv*n|.
func slipOf(inv, n *[3][3]float64) (slip float64) {
	for i, row := range inv {
		sum := 0.0
		for j := range 3 {
			x, y, z := float64(row[0]*n[0][j]), float64(row[1]*n[1][j]), float64(row[2]*n[2][j])
			is := x + y + z
			if i == j {
				is -= 1
			}
			sum += math.Abs(is) + float64((math.Abs(x)+math.Abs(y)+math.Abs(z)+1)*0x1p-51)
		}
		slip = max(slip, float64(sum*(1+0x1p-50)))
	}
	return slip
}

// refine returns inv + (I - inv*n)*inv (G. Schulz, 1933).
func refine(inv, n *[3][3]float64) (better [3][3]float64) {
	var wrong [3][3]float64
	for i, row := range inv {
		for j := range 3 {
			wrong[i][j] = -(float64(row[0]*n[0][j]) + float64(row[1]*n[1][j]) + float64(row[2]*n[2][j]))
		}
		wrong[i][i]++
	}
	for i, row := range wrong {
		for j := range 3 {
			better[i][j] = inv[i][j] + (float64(row[0]*inv[0][j]) + float64(row[1]*inv[1][j]) + float64(row[2]*inv[2][j]))
		}
	}
	return better
}

// symmetric is a symmetric matrix: xx yy zz xy xz yz.
type symmetric [6]float64

// gram returns the Gram matrix of the columns of n.
func gram(n *[3][3]float64) (g symmetric) {
	for i := range n {
		x, y, z := n[i][0], n[i][1], n[i][2]
		g[0] += float64(x * x)
		g[1] += float64(y * y)
		g[2] += float64(z * z)
		g[3] += float64(x * y)
		g[4] += float64(x * z)
		g[5] += float64(y * z)
	}
	return g
}

// square returns g*g.
func (g *symmetric) square() symmetric {
	xx, yy, zz, xy, xz, yz := g[0], g[1], g[2], g[3], g[4], g[5]
	return symmetric{
		float64(xx*xx) + float64(xy*xy) + float64(xz*xz),
		float64(xy*xy) + float64(yy*yy) + float64(yz*yz),
		float64(xz*xz) + float64(yz*yz) + float64(zz*zz),
		float64(xx*xy) + float64(xy*yy) + float64(xz*yz),
		float64(xx*xz) + float64(xy*yz) + float64(xz*zz),
		float64(xy*xz) + float64(yy*yz) + float64(yz*zz),
	}
}

// circles bounds the eigenvalues by circles (S. Gershgorin, 1931), up to rounding.
func (g *symmetric) circles() (tall, low float64) {
	xy, xz, yz := math.Abs(g[3]), math.Abs(g[4]), math.Abs(g[5])
	tall = max(g[0]+(xy+xz), g[1]+(xy+yz), g[2]+(xz+yz))
	low = min(g[0]-(xy+xz), g[1]-(xy+yz), g[2]-(xz+yz))
	return tall, low
}

// longest returns an upper bound of the lengths of the images of unit vectors, at most a fourteenth above the
// largest. It is the eighth root of the Frobenius norm of the fourth power of the Gram matrix, whose own largest
// eigenvalue is that of n to the eighth.
func longest(n *[3][3]float64) float64 {
	largest := 0.0
	for _, row := range n {
		largest = max(largest, math.Abs(row[0]), math.Abs(row[1]), math.Abs(row[2]))
	}
	scale := unit(largest)
	m := *n
	for i := range m {
		for j := range m {
			m[i][j] = float64(m[i][j] * scale)
		}
	}
	g := gram(&m)
	g = g.square()
	g = g.square()
	norm := float64(g[0]*g[0]) + float64(g[1]*g[1]) + float64(g[2]*g[2]) +
		2*(float64(g[3]*g[3])+float64(g[4]*g[4])+float64(g[5]*g[5]))
	return math.Sqrt(math.Sqrt(math.Sqrt(math.Sqrt(norm)))) * (1 + 0x1p-40) / scale
}
