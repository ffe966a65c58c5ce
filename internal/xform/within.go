package xform

import "math"

// Points that are transformed into the space of a part, level by level, carry the error of all levels: the exact
// point is within off of the computed one on each axis.

// LocalWithin is [Transform.Local] of an uncertain point, which is within the given distance of v on each axis. The
// exact preimages of all such points are within off of local. It costs some twenty multiplications and does not
// allocate.
func (p *Transform) LocalWithin(v, within [3]float64) (local, off [3]float64) {
	local, off = p.Local(v)
	if within != [3]float64{} {
		more := p.spread(&within)
		for j := range 3 {
			off[j] = float64((off[j] + more[j]) * (1 + 0x1p-50))
		}
	}
	return local, off
}

// LocalVector is [Transform.LocalWithin] of a vector, such as a direction: M*local is v, without the translation.
func (p *Transform) LocalVector(v, within [3]float64) (local, off [3]float64) {
	if p.kind <= Translation {
		return v, within
	}
	if within != [3]float64{} {
		off = p.spread(&within)
	}
	if p.kind == Aligned {
		for j := range 3 {
			for i := range 3 {
				if m := p.m[i][j]; m != 0 {
					local[j] = v[i] / m
					if f, _ := math.Frexp(m); math.Abs(f) != 0.5 {
						off[j] = float64((off[j] + float64(math.Abs(local[j])*0x1p-53)) * (1 + 0x1p-50))
					}
				}
			}
		}
		return local, off
	}
	largest := 0.0
	for j, n := range p.inv {
		x, y, z := float64(n[0]*v[0]), float64(n[1]*v[1]), float64(n[2]*v[2])
		local[j] = x + y + z
		lost := float64((math.Abs(x) + math.Abs(y) + math.Abs(z)) * 0x1p-50)
		largest = max(largest, math.Abs(local[j])+lost)
		off[j] += lost
	}
	// As in Local: the exact preimage x differs from inv*v by (I - inv*m)*x.
	for j := range 3 {
		off[j] = float64((off[j] + float64(largest*p.slip)) * (1 + 0x1p-20))
	}
	return local, off
}

// spread bounds, on each axis, the preimages y of vectors up to within, which are inv*w + (I - inv*m)*y.
func (p *Transform) spread(within *[3]float64) (off [3]float64) {
	switch {
	case p.kind <= Translation:
		return *within
	case p.kind == Aligned:
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
