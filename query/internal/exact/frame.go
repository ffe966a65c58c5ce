package exact

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// Frame is a rectangular box that contains an oriented one, for distances. The axes of an oriented
// box may be off right angles by as much as [soa.OrientedBox.Check] allows. A frame is larger by
// no more than 2^-17 of the lengths of the axes; by some 2^-23 of them where these are a rotation,
// rounded.
type Frame struct {
	Center [3]float64
	Axes   [3][3]float64 // of length 1, at right angles up to 2^-50
	Half   [3]float64
}

// Set sets f to the frame of an oriented box, by the Gram-Schmidt process: the longest axis keeps
// its direction, the component along it is removed from the next, and the shortest is normal to
// both. So no axis becomes longer except by its share of shorter ones.
func (f *Frame) Set(b *soa.OrientedBox) {
	var v [3][3]float64
	var square [3]float64
	for i, a := range b.Axes {
		f.Center[i] = float64(b.Center[i])
		v[i] = [3]float64{float64(a[0]), float64(a[1]), float64(a[2])}
		square[i] = Dot(v[i], v[i])
	}
	first, second, third := 0, 1, 2 // by length; for equal lengths the first is first
	if square[second] > square[first] {
		first, second = second, first
	}
	if square[third] > square[second] {
		second, third = third, second
		if square[second] > square[first] {
			first, second = second, first
		}
	}
	x, y := &f.Axes[first], &f.Axes[second]
	if square[first] == 0 {
		f.Axes = [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
		f.Half = [3]float64{}
		return
	}
	*x = unit(v[first])
	d := v[second]
	if square[second] == 0 {
		d = Cross(*x, across(*x))
	}
	d = unit(d)
	for range 2 { // the second pass gains the last digits
		along := Dot(d, *x)
		for k := range d {
			d[k] -= float64(along * x[k])
		}
		d = unit(d)
	}
	*y = d
	f.Axes[third] = unit(Cross(*x, *y))
	off := float64(math.Sqrt(square[first]) * 0x1p-49) // more than the rounding errors
	for i, u := range f.Axes {
		f.Half[i] = math.Abs(Dot(u, v[0])) + math.Abs(Dot(u, v[1])) + math.Abs(Dot(u, v[2])) + off
	}
}

// unit returns a vector of length 1 in the direction of v, whose square neither overflows nor underflows.
func unit(v [3]float64) [3]float64 {
	length := math.Sqrt(dot(&v, &v))
	return [3]float64{v[0] / length, v[1] / length, v[2] / length}
}

// Local returns the components of a vector along the axes of f.
func (f *Frame) Local(v [3]float64) [3]float64 {
	return [3]float64{Dot(f.Axes[0], v), Dot(f.Axes[1], v), Dot(f.Axes[2], v)}
}

// World returns the vector that has these components in the axes of f.
func (f *Frame) World(v [3]float64) (w [3]float64) {
	for k := range w {
		w[k] = float64(v[0]*f.Axes[0][k]) + float64(v[1]*f.Axes[1][k]) + float64(v[2]*f.Axes[2][k])
	}
	return w
}

// Nearest returns the point of f nearest to p, which is p itself if it is in f.
func (f *Frame) Nearest(p [3]float64) [3]float64 {
	var from [3]float64
	for k := range p {
		from[k] = p[k] - f.Center[k]
	}
	local, inside := f.Local(from), true
	for i, x := range local {
		local[i] = min(max(x, -f.Half[i]), f.Half[i])
		inside = inside && local[i] == x
	}
	if inside {
		return p
	}
	p = f.World(local)
	for k := range p {
		p[k] += f.Center[k]
	}
	return p
}

// Distance returns the distance of a point from f, less 2^-47 of the distance to its centre and of
// its half axes, so that no point of the oriented box is nearer.
func (f *Frame) Distance(p [3]float64) float64 {
	for k := range p {
		p[k] -= f.Center[k]
	}
	local, sum, most := f.Local(p), 0.0, 0.0
	for i, x := range local {
		x = math.Abs(x)
		most = max(most, x, f.Half[i])
		if d := x - f.Half[i]; d > 0 {
			sum += float64(d * d)
		}
	}
	return max(math.Sqrt(sum)-float64(most*0x1p-47), 0)
}
