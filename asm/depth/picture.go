package depth

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// Picture is a depth buffer with a pyramid of minima over it (hierarchical Z). The depth of a pixel
// is a number that grows towards the eye, 1/t or -t of the distance t; anything with a smaller
// number is hidden at this pixel. Each texel of a level above the pixels holds the minimum of 4 x 4
// texels of the level below.
//
//	level 0   512 x 288    row-major, Stride words a row
//	level 1   128 x  72    texel x, y: minimum of the existing 4x..4x+3, 4y..4y+3
//	level 2    32 x  18
//	level 3     8 x   5    the last: at most 16 wide and 4 high
//
// Rows have room for a load of 16 words from each texel. Values beyond the width are never used.
type Picture struct {
	Levels [maxLevels]PictureLevel
	N      int       // levels
	Pix    []float32 // all of them

	// Copies for the kernels: base and stride of each level; width and height of the picture, the last
	// column and row, and the number of pixels.
	base, stride        [8]int32
	width, height       float32
	lastX, lastY, count float32
}

// A level has a number that selects one of 8 lanes. Kernels load the size and the last row as four
// words.
var (
	_ [0]struct{} = [max(maxLevels, 8) - 8]struct{}{}
	_ [0]struct{} = [unsafe.Offsetof(Picture{}.lastY) - unsafe.Offsetof(Picture{}.width) - 12]struct{}{}
)

// PictureLevel is the location of a level in Pix.
type PictureLevel struct {
	Base, Stride, Width, Height int
}

// MaxPixels is the maximum width and height of a picture: each pixel coordinate, and each sum of a
// few, is a float32.
const MaxPixels = 4096

// Each level has a quarter of the width and height of the one below; 4096 pixels make 6 levels.
const (
	maxLevels   = 6
	LevelShift  = 2
	RectColumns = soa.Lanes // columns and rows of a level that one test compares
	RectRows    = 4
)

// Resize sets the size in pixels. It allocates only if the memory does not suffice. The contents
// are unspecified until [Picture.Clear]. It panics if a size is not in 1 to [MaxPixels].
func (p *Picture) Resize(width, height int) {
	if width < 1 || width > MaxPixels || height < 1 || height > MaxPixels {
		panic(fmt.Sprintf("depth: a depth buffer of %d x %d pixels, at most %d a side are possible", width, height, MaxPixels))
	}
	base := 0
	p.N = 0
	p.width, p.height, p.count = float32(width), float32(height), float32(width*height)
	p.lastX, p.lastY = float32(width-1), float32(height-1)
	for {
		l := PictureLevel{base, (width+15)&^15 + 16, width, height}
		p.Levels[p.N] = l
		p.base[p.N], p.stride[p.N] = int32(l.Base), int32(l.Stride)
		p.N++
		base += l.Stride * height
		if width <= RectColumns && height <= RectRows {
			break
		}
		width, height = (width+3)>>LevelShift, (height+3)>>LevelShift
	}
	if cap(p.Pix) < base {
		p.Pix = make([]float32, base)
	}
	p.Pix = p.Pix[:base]
}

// Clear sets all pixels of all levels to open, the depth of an empty pixel.
func (p *Picture) Clear(open float32) {
	for i := 0; i < len(p.Pix); i += clearWords {
		part := p.Pix[i:min(i+clearWords, len(p.Pix))]
		switch {
		case open == 0 && !math.Signbit(float64(open)):
			clear(part)
		case i > 0:
			copy(part, p.Pix)
		default:
			for k := range part {
				part[k] = open
			}
		}
	}
}

// clearWords is the number of words that are set at a time: the builtins clear and copy cannot be
// preempted.
const clearWords = 1 << 14

// Width returns the number of pixels of a row.
func (p *Picture) Width() int { return p.Levels[0].Width }

// Height returns the number of rows of pixels.
func (p *Picture) Height() int { return p.Levels[0].Height }

// Row returns a row of pixels, which may be written to.
func (p *Picture) Row(y int) []float32 {
	l := &p.Levels[0]
	return p.Pix[l.Base+y*l.Stride:][:l.Width]
}
