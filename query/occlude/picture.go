package occlude

import (
	"image"
	"image/color"
	"math"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// Occluded reports whether the picture hides a box that is in no tree, such as that of a light: whether all
// rays of the picture that meet it enter a solid first. A box beside the picture is met by none and so is
// hidden, one that reaches behind the eye never is, nor one that is not finite or inverted. What has been
// drawn until now counts: best ask after an answer. It reads no tree: after a change of one, it
// refers to the solids of the last answer about it until the next one. In a pause (package comment) that is what was drawn by hand.
func (e *Culler) Occluded(box soa.AABB) bool {
	e.looking()
	e.settle()
	return box.Check() == nil && asm.Hides(&box, &e.frame.lens, &e.picture)
}

// DepthBuffer returns the picture: row y from the top is pix[y*stride:][:width]. A number is 1/t, where t is
// the depth before which every ray of the pixel has entered one of the solids, in the unit of Look:
// of a camera, along its Forward; of a matrix, its w, times a power of two if that is far from 1, or above. It is 0 where no solid covers all of the pixel. In a parallel projection it is
// -t, from the near plane on, and -Inf. The solids are those
// that [Culler.Occluded] counts. The slice is valid until the next call of another method, and for reading only.
func (e *Culler) DepthBuffer() (pix []float32, width, height, stride int) {
	e.looking()
	e.settle()
	l := &e.picture.Levels[0]
	return e.picture.Pix[:l.Stride*l.Height], l.Width, l.Height, l.Stride
}

// DepthImage returns the picture of depths in grey, black where nothing covers and white at the nearest,
// roughly by the logarithm of depth: of what [Culler.DepthBuffer] returns. It allocates the image.
func (e *Culler) DepthImage() *image.Gray16 {
	pix, width, height, stride := e.DepthBuffer()
	img := image.NewGray16(image.Rect(0, 0, width, height))
	open := e.frame.open()
	shade := func(v float32) float64 {
		if e.frame.parallel {
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
