package xform

import (
	"math"
	"unsafe"
)

// Points that are transformed into the space of a part, level by level, carry the error of all levels: the exact
// point is within off of the computed one on each axis.

// LocalWithin is [Transform.Local] of an uncertain point, which is within the given distance of v on each axis. The
// exact preimages of all such points are within off of local. It costs some twenty multiplications and does not
// allocate.
func (p *Transform) LocalWithin(v, within [3]float64) (local, off [3]float64) {
	p.WritePoint(&local, &off, &v, &within)
	return local, off
}

// WritePoint writes the results of [Transform.LocalWithin].
func (p *Transform) WritePoint(local, off, v, within *[3]float64) {
	if !p.AtMost(Aligned) {
		p.localPoint(local, off, v)
	} else {
		*local, *off = p.Local(*v)
	}
	if *within != [3]float64{} {
		more := p.spread(within)
		for j := range 3 {
			off[j] = float64((off[j] + more[j]) * (1 + 0x1p-50))
		}
	}
}

// localPoint is [Transform.Local] for transforms that are not aligned.
func (p *Transform) localPoint(local, off, v *[3]float64) {
	d0, d1, d2 := v[0]-p.t[0], v[1]-p.t[1], v[2]-p.t[2]
	x, lostX := product(&p.inv[0], d0, d1, d2)
	y, lostY := product(&p.inv[1], d0, d1, d2)
	z, lostZ := product(&p.inv[2], d0, d1, d2)
	local[0], local[1], local[2] = x, y, z
	p.loose(off, math.Abs(x)+lostX, math.Abs(y)+lostY, math.Abs(z)+lostZ, lostX, lostY, lostZ)
}

// product returns a row of the inverse times a vector, and a bound of its rounding error.
func product(row *[3]float64, x, y, z float64) (sum, lost float64) {
	x, y, z = float64(row[0]*x), float64(row[1]*y), float64(row[2]*z)
	return x + y + z, float64((math.Abs(x) + math.Abs(y) + math.Abs(z)) * 0x1p-50)
}

// loose writes the error of a preimage with these magnitudes, at most, that has these errors of rounding: the exact
// preimage x of v differs from inv*v by (I - inv*m)*x.
func (p *Transform) loose(off *[3]float64, x, y, z, lostX, lostY, lostZ float64) {
	// Bits of lengths are in the order of the lengths, and take fewer instructions to compare.
	slip := float64(math.Float64frombits(max(math.Float64bits(x), math.Float64bits(y), math.Float64bits(z))) * p.slip)
	off[0] = float64((lostX + slip) * (1 + 0x1p-20))
	off[1] = float64((lostY + slip) * (1 + 0x1p-20))
	off[2] = float64((lostZ + slip) * (1 + 0x1p-20))
}

// LocalVector is [Transform.LocalWithin] of a vector, such as a direction: M*local is v, without the translation.
func (p *Transform) LocalVector(v, within [3]float64) (local, off [3]float64) {
	p.WriteVector(&local, &off, &v, &within)
	return local, off
}

// WriteVector writes the results of [Transform.LocalVector].
func (p *Transform) WriteVector(local, off, v, within *[3]float64) {
	if p.AtMost(Translation) {
		*local, *off = *v, *within
		return
	}
	var more [3]float64
	if *within != [3]float64{} {
		more = p.spread(within)
	}
	if p.AtMost(Aligned) {
		for j := range 3 {
			for i := range 3 {
				if m := p.m[i][j]; m != 0 {
					local[j] = v[i] / m
					if f, _ := math.Frexp(m); math.Abs(f) != 0.5 {
						more[j] = float64((more[j] + float64(math.Abs(local[j])*0x1p-53)) * (1 + 0x1p-50))
					}
				}
			}
		}
		*off = more
		return
	}
	x, lostX := product(&p.inv[0], v[0], v[1], v[2])
	y, lostY := product(&p.inv[1], v[0], v[1], v[2])
	z, lostZ := product(&p.inv[2], v[0], v[1], v[2])
	local[0], local[1], local[2] = x, y, z
	p.loose(off, math.Abs(x)+lostX, math.Abs(y)+lostY, math.Abs(z)+lostZ, more[0]+lostX, more[1]+lostY, more[2]+lostZ)
}

// spread bounds, on each axis, the preimages y of vectors up to within, which are inv*w + (I - inv*m)*y.
func (p *Transform) spread(within *[3]float64) (off [3]float64) {
	switch {
	case p.AtMost(Translation):
		return *within
	case p.AtMost(Aligned):
		for j := range 3 {
			for i := range 3 {
				if m := p.m[i][j]; m != 0 {
					off[j] = float64(within[i] / math.Abs(m) * (1 + 0x1p-50))
				}
			}
		}
		return off
	}
	largest := 0.0
	for j, n := range p.inv {
		off[j] = float64(math.Abs(n[0])*within[0]) + float64(math.Abs(n[1])*within[1]) + float64(math.Abs(n[2])*within[2])
		largest = max(largest, off[j])
	}
	for j := range 3 {
		off[j] = float64((off[j] + float64(largest*p.slip)) * (1 + 0x1p-20))
	}
	return off
}

// All returns all numbers: the rows of the approximate inverse of M, the bound of its error, the translation, the rows
// of M, and the bounds of Stretch. They are read-only, and of no use if p is aligned. The first 13 move a ray or a
// point into the space of a part. All does not read p, not even to compare it with nil.
func (p *Transform) All() *[24]float64 { return (*[24]float64)(unsafe.Pointer(p)) }

// forward returns the numbers of [build.ImageBox]: the translation, the rows of M, and maxScale. They are read-only.
func (p *Transform) forward() *[13]float64 { return (*[13]float64)(unsafe.Pointer(&p.t)) }

// All are contiguous, and the first numbers of a transform.
var (
	_ [0]struct{} = [unsafe.Offsetof(Transform{}.inv)]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Transform{}.minScale) - unsafe.Offsetof(Transform{}.inv) - 23*8]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Transform{}.maxScale) - unsafe.Offsetof(Transform{}.t) - 12*8]struct{}{}
)
