package xform

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

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

// RayMisses reports whether the points from + time*dir, for times of at least 0 and at most until, surely have no
// preimage in a box, which may be in doubt even if there is none. It rejects most boxes at a third of the cost of
// [Transform.Local] and [Transform.LocalVector] of the ray, and of clipping it. It does not allocate.
//
// Its margins are 2^-30 of the sizes of all terms, much larger than the errors of these two, 2^-50 and the slip.
func (p *Transform) RayMisses(from, dir *[3]float64, box *soa.AABB, until float64) bool {
	if p.kind <= Aligned || p.slip > 0x1p-32 {
		return false
	}
	d0, d1, d2 := from[0]-p.t[0], from[1]-p.t[1], from[2]-p.t[2]
	var at, way [3]float64
	errAt, errWay := 0.0, 0.0
	for j := range 3 {
		n := &p.inv[j]
		x, y, z := float64(n[0]*d0), float64(n[1]*d1), float64(n[2]*d2)
		at[j] = x + y + z
		errAt += math.Abs(x) + math.Abs(y) + math.Abs(z)
		x, y, z = float64(n[0]*dir[0]), float64(n[1]*dir[1]), float64(n[2]*dir[2])
		way[j] = x + y + z
		errWay += math.Abs(x) + math.Abs(y) + math.Abs(z)
	}
	errAt, errWay = errAt*0x1p-30, errWay*0x1p-30
	begin := 0.0
	for j := range 3 {
		lo, hi := float64(box.Min[j]), float64(box.Max[j])
		reach := errAt + float64((math.Abs(lo)+math.Abs(hi))*0x1p-40)
		low, high, d := lo-reach-at[j], hi+reach-at[j], way[j]
		if d < 0 {
			low, high, d = -high, -low, -d
		}
		if d <= 4*errWay {
			continue
		}
		if high < 0 {
			return true
		}
		if t := low / (d + errWay); t > begin {
			begin = t
		}
		if t := high / (d - errWay); t < until {
			until = t
		}
	}
	return begin*(1-0x1p-40) > until*(1+0x1p-40)
}
