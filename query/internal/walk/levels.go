package walk

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// MaxLevels is the maximum number of levels of detail.
const MaxLevels = 16

// Levels selects levels of detail by size in the image of a frustum.
type Levels struct {
	size  size // with a minimum size that is not read
	n     int  // number of thresholds
	plain [MaxLevels - 1]float32
	down  [MaxLevels - 1]float32 // thresholds below which an object that was not below one is
	up    [MaxLevels - 1]float32 // and from which one that was is not
}

// Set sets l to n thresholds in the image of a frustum that has sizes: each of the lists descends.
func (l *Levels) Set(f *Frustum, plain, down, up *[MaxLevels - 1]float32, n int) {
	*l = Levels{size: f.size, n: n, plain: *plain, down: *down, up: *up}
	l.size.least, l.size.near, l.size.scale = 1, f.planes[4], [3]float32{1, 1, 1}
}

// Len returns the number of thresholds.
func (l *Levels) Len() int { return l.n }

// Threshold returns threshold i, and its range of hysteresis.
func (l *Levels) Threshold(i int) (plain, down, up float32) { return l.plain[i], l.down[i], l.up[i] }

// Lift writes the sizes of the image in float64, for a transform into a part.
func (l *Levels) Lift(to *Volume) { l.size.open(to) }

// Lower sets the sizes of the image from a form. Beyond float32 all objects have level 0.
func (l *Levels) Lower(from *Volume) { l.size.close(from) }

// Level returns the level of a box without hysteresis.
func (l *Levels) Level(box *soa.AABB) uint8 {
	edge, depth := l.size.measure(box)
	level := uint8(0)
	for int(level) < l.n && edge < float32(l.plain[level]*depth) {
		level++
	}
	return level
}

// After returns the level of a box whose level was last.
func (l *Levels) After(box *soa.AABB, last uint8) uint8 {
	edge, depth := l.size.measure(box)
	level := uint8(0)
	for int(level) < l.n {
		limit := l.down[level]
		if level < last {
			limit = l.up[level]
		}
		if !(edge < float32(limit*depth)) {
			break
		}
		level++
	}
	return level
}

// Measure returns the longest edge of a box, and its depth in the image: 0 for a box that is never small.
func (f *Frustum) Measure(box *soa.AABB) (edge, depth float32) {
	z := size{f.size.depth, f.planes[4], [3]float32{1, 1, 1}, 1}
	return z.measure(box)
}

// measure returns the longest edge of a box and the depth of its nearest corner, with the operations of [cull.Size].
// The depth is 0 if that is not positive, or if the corner is not beyond the near plane: such a box is never small.
func (z *size) measure(box *soa.AABB) (edge, depth float32) {
	x := float32(z.scale[0] * float32(box.Max[0]-box.Min[0]))
	y := float32(z.scale[1] * float32(box.Max[1]-box.Min[1]))
	edge = max(x, y, float32(z.scale[2]*float32(box.Max[2]-box.Min[2])))
	if depth = lowest(&z.depth, box); !(depth > 0 && lowest(&z.near, box) > 0) {
		depth = 0
	}
	return edge, depth
}

// lowest returns the value of a row at the corner of a box at which it is lowest.
func lowest(row *[4]float32, box *soa.AABB) float32 {
	c := box.Min
	for a, n := range row[:3] {
		if math.Signbit(float64(n)) {
			c[a] = box.Max[a]
		}
	}
	xy := float32(row[0]*c[0]) + float32(row[1]*c[1])
	return float32(float32(xy+float32(row[2]*c[2])) + row[3])
}
