package occlude

import (
	"image"
	"image/color"
	"math"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear"
)

// Occluded reports whether the depth buffer hides a box that is in no tree, for example the box of a light:
// whether all rays of the image that hit the box enter an occluder first. A box outside the image is hit by
// no ray and is therefore hidden. A box that extends behind the eye is never hidden, nor is one that is not
// finite or inverted.
//
// The occluders drawn so far count, so call it after a query. It reads no tree: after a change of a tree it
// refers to the occluders of the last query of that tree. During a pause (package comment) it refers to the
// occluders drawn by the program.
func (c *Culler) Occluded(box linear.AABB) bool {
	c.checkCamera()
	c.buffer.clear()
	c.buffer.settle()
	return box.Check() == nil && cull.Hides(&box, &c.frame.lens, &c.buffer.picture)
}

// DepthBuffer returns the depth buffer: row y from the top is pix[y*stride:][:width]. A value is 1/t, where t
// is the depth before which every ray of the pixel has entered an occluder, and 0 where no occluder covers
// the whole pixel. In a parallel projection it is -t, from the near plane on, and -Inf.
//
// The unit of t depends on the projection: for a camera, depth along its Forward; for a matrix, its w, times
// a power of two if w is far from 1, or above. The occluders are those that [Culler.Occluded] counts. The
// slice is read-only and valid until the next call of another method.
func (c *Culler) DepthBuffer() (pix []float32, width, height, stride int) {
	c.checkCamera()
	c.buffer.clear()
	c.buffer.settle()
	l := &c.buffer.picture.Levels[0]
	return c.buffer.picture.Pix[:l.Stride*l.Height], l.Width, l.Height, l.Stride
}

// DepthImage returns the depth buffer as a grey image: black where nothing covers, white at the nearest
// depth, roughly by the logarithm of depth. It shows the values of [Culler.DepthBuffer]. It allocates the
// image.
func (c *Culler) DepthImage() *image.Gray16 {
	pix, width, height, stride := c.DepthBuffer()
	img := image.NewGray16(image.Rect(0, 0, width, height))
	open := c.frame.open()
	shade := func(v float32) float64 {
		if c.frame.parallel {
			return float64(v)
		}
		return float64(math.Float32bits(v)) // piecewise linear between powers of two
	}
	least, most := math.Inf(1), math.Inf(-1)
	for y := range height {
		for _, v := range pix[y*stride:][:width] {
			if v != open {
				least, most = min(least, shade(v)), max(most, shade(v))
			}
		}
	}
	for y := range height {
		for x, v := range pix[y*stride:][:width] {
			if v == open {
				continue
			}
			grey := 1.0
			if most > least {
				grey = 0.25 + float64(0.75*((shade(v)-least)/(most-least)))
			}
			img.SetGray16(x, y, color.Gray16{Y: uint16(grey * math.MaxUint16)})
		}
	}
	return img
}
