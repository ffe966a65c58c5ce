package show

import (
	"image"
	"image/color"
	"math"
)

// filler is a scan converter: it fills polygons by the nonzero rule with antialiasing, so that
// overlaps count once. For each pixel it stores the change of the winding number there, averaged
// over the area of the pixel, as rasterizers of fonts do. A polygon takes time proportional to
// the rows that its sides cross. If overlapping polygons each cover a part of a pixel, these
// parts are added, up to the whole pixel.
type filler struct {
	clip   image.Rectangle
	change []float32       // rows of the clip, with two more columns
	used   image.Rectangle // the pixels with changes, relative to the clip
}

// maxDashes exceeds the number of dashes of a line inside the clip, except for lines from so far
// away that their dashes are lost in rounding.
const maxDashes = 10_000

// begin clears the coverage. The clip stays until the next call.
func (f *filler) begin(clip image.Rectangle) {
	if f.clip == clip {
		return
	}
	f.clip = clip
	n := (clip.Dx() + 2) * clip.Dy()
	if n > len(f.change) {
		f.change = make([]float32, n)
	}
}

// polygon adds a polygon.
func (f *filler) polygon(at [][2]float64) {
	for i, a := range at {
		b, way := at[(i+1)%len(at)], 1.0
		if a[1] > b[1] {
			a, b, way = b, a, -1
		}
		if a[1] < b[1] {
			f.side(a, b, way)
		}
	}
}

// side adds a side of a polygon from its upper end: to the right of it the winding number is
// larger by way.
func (f *filler) side(a, b [2]float64, way float64) {
	for k, low := range [2]int{f.clip.Min.X, f.clip.Min.Y} {
		a[k] -= float64(low)
		b[k] -= float64(low)
	}
	wide, tall := float64(f.clip.Dx()), float64(f.clip.Dy())
	top, bottom := max(a[1], 0), min(b[1], tall)
	if !(top < bottom) {
		return
	}
	slope := (b[0] - a[0]) / (b[1] - a[1])
	first, last := int(top), int(math.Ceil(bottom))
	from, to := last, last // the whole rows of a vertical side
	if slope == 0 {
		from, to = int(math.Ceil(top)), int(bottom)
	}
	left, right := wide, 0.0
	for y := first; y < last; y++ {
		if from <= y && y < to {
			x := min(max(a[0], 0), wide)
			f.column(x, y, to, way)
			left, right = min(left, x), max(right, x)
			y = to - 1
			continue
		}
		y0, y1 := max(top, float64(y)), min(bottom, float64(y+1))
		x0 := min(max(a[0]+float64((y0-a[1])*slope), 0), wide)
		x1 := min(max(a[0]+float64((y1-a[1])*slope), 0), wide)
		x0, x1 = min(x0, x1), max(x0, x1)
		left, right = min(left, x0), max(right, x1)
		f.cross(f.change[y*(f.clip.Dx()+2):], x0, x1, way*(y1-y0))
	}
	dx := f.clip.Dx()
	f.used = f.used.Union(image.Rect(min(int(left), dx-1), first, min(int(right)+2, dx), last))
}

// column is cross for the whole rows from one to before another of a vertical side.
func (f *filler) column(x float64, from, to int, way float64) {
	at, stride := int(x), f.clip.Dx()+2
	right := float64(way * (x - float64(at)))
	first, second := float32(way-right), float32(right)
	for y := from; y < to; y++ {
		row := f.change[y*stride+at:]
		row[0] += first
		row[1] += second
	}
}

// cross adds the part of a side in one row, with its signed height.
func (f *filler) cross(row []float32, x0, x1, height float64) {
	at := int(x0)
	if x1 <= float64(at+1) { // within a pixel
		right := float64(height * ((x0+x1)/2 - float64(at)))
		row[at] += float32(height - right)
		row[at+1] += float32(right)
		return
	}
	// Share of the area to the right of the side, for each pixel from at on.
	before := 0.0
	for x := float64(at); ; x++ {
		lo, hi := max(x0, x), min(x1, x+1)
		part := float64(height * ((hi - lo) / (x1 - x0)))
		covered := float64(height*((lo-x0)/(x1-x0))) + float64(part*(x+1-(lo+hi)/2))
		row[int(x)] += float32(covered - before)
		before = covered
		if x+1 >= x1 {
			row[int(x)+1] += float32(height - before)
			return
		}
	}
}

// stroke adds the sides of a line as bars of a width, all of the same orientation; with dashes
// unless on is 0. Parts outside the clip are left out.
func (f *filler) stroke(l line, width, on, off float64) {
	sides := len(l.at) - 1
	if l.closed {
		sides++
	}
	phase := 0.0
	for i := range max(sides, 0) {
		a, b := l.at[i], l.at[(i+1)%len(l.at)]
		length := math.Hypot(b[0]-a[0], b[1]-a[1])
		if length == 0 {
			continue
		}
		if on == 0 {
			f.bar(a, b, 0, length, length, width)
			continue
		}
		from, to := within(a, b, length, f.clip, width)
		period := on + off
		start := math.Floor((from+phase)/period)*period - phase
		for k := 0; start+float64(float64(k)*period) < to && k < maxDashes; k++ {
			t := start + float64(float64(k)*period)
			if s, e := max(t, 0), min(t+on, length); s < e {
				f.bar(a, b, s, e, length, width)
			}
		}
		phase = math.Mod(phase+length, period)
	}
}

// within returns the visible part of a side: inside the clip or slightly more.
func within(a, b [2]float64, length float64, clip image.Rectangle, width float64) (from, to float64) {
	from, to = 0, length
	lo := [2]float64{float64(clip.Min.X) - width, float64(clip.Min.Y) - width}
	hi := [2]float64{float64(clip.Max.X) + width, float64(clip.Max.Y) + width}
	for k := range 2 {
		d := (b[k] - a[k]) / length
		if d == 0 {
			if a[k] < lo[k] || a[k] > hi[k] {
				return 0, 0
			}
			continue
		}
		s, e := (lo[k]-a[k])/d, (hi[k]-a[k])/d
		from, to = max(from, min(s, e)), min(to, max(s, e))
	}
	return from, to
}

// bar adds the part of a side from s to e, longer by half its width at both ends.
func (f *filler) bar(a, b [2]float64, s, e, length, width float64) {
	ux, uy := (b[0]-a[0])/length, (b[1]-a[1])/length
	h := width / 2
	s, e = s-h, e+h
	nx, ny := -uy*h, ux*h
	x0, y0, x1, y1 := a[0]+ux*s, a[1]+uy*s, a[0]+ux*e, a[1]+uy*e
	f.polygon([][2]float64{{x0 + nx, y0 + ny}, {x0 - nx, y0 - ny}, {x1 - nx, y1 - ny}, {x1 + nx, y1 + ny}})
}

// thinnest is the smallest coverage of a pixel that is painted: smaller values are rounding
// errors.
const thinnest = 1.0 / 1024

// paint blends a colour over the covered pixels of the clip, and clears the coverage.
func (f *filler) paint(img *image.RGBA, c color.RGBA, alpha float64) {
	var whole [3][256]uint8 // the blended values of pixels that are covered as a whole
	for k := range whole {
		for v := range whole[k] {
			whole[k][v] = blend(uint8(v), [3]uint8{c.R, c.G, c.B}[k], alpha)
		}
	}
	for y := f.used.Min.Y; y < f.used.Max.Y; y++ {
		row := f.change[y*(f.clip.Dx()+2):][:f.clip.Dx()+2]
		pixels := img.Pix[img.PixOffset(f.clip.Min.X, f.clip.Min.Y+y):]
		winding := float32(0)
		for x, end := f.used.Min.X, 0; x < f.used.Max.X; x = end {
			winding += row[x]
			for end = x + 1; end < f.used.Max.X && row[end] == 0; end++ {
			}
			part := min(max(winding, -winding), 1)
			switch run := pixels[4*x : 4*end]; {
			case part == 1:
				for ; len(run) >= 4; run = run[4:] {
					run[0], run[1], run[2], run[3] = whole[0][run[0]], whole[1][run[1]], whole[2][run[2]], 255
				}
			case part > thinnest:
				by := alpha * float64(part)
				for ; len(run) >= 4; run = run[4:] {
					run[0], run[1], run[2], run[3] = blend(run[0], c.R, by), blend(run[1], c.G, by), blend(run[2], c.B, by), 255
				}
			}
		}
		clear(row[f.used.Min.X:min(f.used.Max.X+2, len(row))])
	}
	f.used = image.Rectangle{}
}

// blend returns a channel of a pixel, with another value blended over it.
func blend(at, over uint8, alpha float64) uint8 {
	return uint8(float64(at) + float64(alpha*(float64(over)-float64(at))) + 0.5)
}
