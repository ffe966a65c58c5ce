package scene

import (
	"math"

	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/soa"
)

// relative maps boxes of one side of a pair query into the space of the other side.
type relative struct {
	xform.Between
	sizes     [3][3]float64 // magnitudes of Rows
	around    soa.AABB      // a box around the image of the bounds
	unbounded bool          // images may exceed float32, and are replaced by all of space
}

// everywhere is all of space.
var everywhere = soa.AABB{
	Min: [3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
	Max: [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
}

// set sets the map from s to t for boxes in bounds. The images are grown by a distance in the space of the scene. Up to
// one transform on each side are composed; more are applied to the bounds one by one.
func (r *relative) set(s, t *pairSide, bounds *soa.AABB, distance float64) {
	for k := range 3 {
		lo, hi := float64(bounds.Min[k])/2, float64(bounds.Max[k])/2
		r.From[k], r.Half[k] = lo+hi, hi-lo
	}
	if s.path.n <= 1 && t.path.n <= 1 {
		r.Between.Set(s.transform, t.transform)
	} else {
		r.levelByLevel(s, t, bounds)
	}
	if distance > 0 {
		distance = distance / t.scale() * (1 + 0x1p-40)
	}
	r.unbounded = false
	for i := range 3 {
		r.Off[i] += distance
		row, size := &r.Rows[i], &r.sizes[i]
		size[0], size[1], size[2] = math.Abs(row[0]), math.Abs(row[1]), math.Abs(row[2])
		reach := r.Off[i] + (float64(size[0]*r.Half[0]) + float64(size[1]*r.Half[1]) + float64(size[2]*r.Half[2]))
		if !(math.Abs(r.To[i])+reach+size[0]+size[1]+size[2] < 0x1p126) {
			r.unbounded, r.around = true, everywhere
			return
		}
		r.around.Min[i], r.around.Max[i] = outward(r.To[i], reach)
	}
}

// outward returns float32 bounds of the numbers within reach of c. They are larger by 2^-22 of the numbers, more than
// the rounding to float32.
func outward(c, reach float64) (lo, hi float32) {
	reach += float64((math.Abs(c)+reach)*0x1p-22) + 0x1p-140
	return float32(c - reach), float32(c + reach)
}

// levelByLevel sets the map by the image of the bounds.
func (r *relative) levelByLevel(s, t *pairSide, bounds *soa.AABB) {
	var image cell
	s.setImage(&image, bounds)
	t.in(&image)
	r.To = image.center
	var size [3]float64
	for k, half := range r.Half {
		for i, e := range image.edges[k] {
			if r.Rows[i][k] = 0; half > 0 {
				r.Rows[i][k] = e / half
			}
			size[i] += math.Abs(e)
		}
	}
	for i := range 3 {
		r.Off[i] = image.off[i] + float64((size[i]+math.Abs(r.To[i]))*0x1p-46)
	}
}

// box returns a float32 box around the image of the box in a lane.
func (r *relative) box(b *soa.Packet, lane int) (image soa.AABB) {
	if r.unbounded {
		return everywhere
	}
	lane &= soa.Lanes - 1
	x0, x1 := float64(b[soa.MinX][lane]), float64(b[soa.MaxX][lane])
	y0, y1 := float64(b[soa.MinY][lane]), float64(b[soa.MaxY][lane])
	z0, z1 := float64(b[soa.MinZ][lane]), float64(b[soa.MaxZ][lane])
	x, y, z := (x0+x1)/2-r.From[0], (y0+y1)/2-r.From[1], (z0+z1)/2-r.From[2]
	dx, dy, dz := (x1-x0)/2, (y1-y0)/2, (z1-z0)/2
	for i := range 3 {
		row, size := &r.Rows[i], &r.sizes[i]
		c := r.To[i] + (float64(row[0]*x) + float64(row[1]*y) + float64(row[2]*z))
		reach := r.Off[i] + (float64(size[0]*dx) + float64(size[1]*dy) + float64(size[2]*dz))
		image.Min[i], image.Max[i] = outward(c, reach)
	}
	return image
}
