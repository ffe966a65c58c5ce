package xform

import "math"

// unmoved is the identity with its numbers.
var unmoved = Transform{
	m:   [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	inv: [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
}

// Between is the approximate map from the space of one transform to the space of another: the image of p is
// To + Rows*(p - From). If p is within Half of From on each axis, the exact image is within Off of that.
type Between struct {
	From, Half, To, Off [3]float64
	Rows                [3][3]float64
}

// Set sets the map from the space of p to the space of q for points within b.Half of b.From. The caller sets these two
// before. It costs some eighty multiplications and does not allocate. If a number exceeds float64, Off is NaN or
// infinite.
//
// # Rounding
//
// The exact image x of a point fulfils q.m*x = v, v = p.m*point + p.t - q.t, so it differs from q.inv*v by
// (I - q.inv*q.m)*x. With |v| at most size on each axis, by the magnitudes of all summands, |q.inv|*size exceeds |x|,
// up to a relative slip. The other errors are a few roundings of summands of q.inv*v.
func (b *Between) Set(p, q *Transform) {
	if p.AtMost(Identity) {
		p = &unmoved
	}
	if q.AtMost(Identity) {
		q = &unmoved
	}
	var way, size [3]float64
	for i := range 3 {
		row := &p.m[i]
		x, y, z := float64(row[0]*b.From[0]), float64(row[1]*b.From[1]), float64(row[2]*b.From[2])
		way[i] = x + y + z + p.t[i] - q.t[i]
		size[i] = math.Abs(x) + math.Abs(y) + math.Abs(z) + math.Abs(p.t[i]) + math.Abs(q.t[i]) +
			float64(math.Abs(row[0])*b.Half[0]) + float64(math.Abs(row[1])*b.Half[1]) + float64(math.Abs(row[2])*b.Half[2])
	}
	largest := 0.0
	for j := range 3 {
		n, row := &q.inv[j], &b.Rows[j]
		b.To[j] = float64(n[0]*way[0]) + float64(n[1]*way[1]) + float64(n[2]*way[2])
		b.Off[j] = float64(math.Abs(n[0])*size[0]) + float64(math.Abs(n[1])*size[1]) + float64(math.Abs(n[2])*size[2])
		largest = max(largest, b.Off[j])
		for k := range 3 {
			row[k] = float64(n[0]*p.m[0][k]) + float64(n[1]*p.m[1][k]) + float64(n[2]*p.m[2][k])
		}
	}
	for j := range 3 {
		b.Off[j] = float64(b.Off[j]*0x1p-46) + float64(largest*q.slip*(1+0x1p-20))
	}
}
