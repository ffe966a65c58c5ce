package show

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"
)

// filler fills what polygons cover, by the nonzero rule, so that overlaps count once. Each row of
// pixels is sampled at a few heights, along which covers are exact.
type filler struct {
	edges  []edge
	active []edge
	cross  []crossing
	cover  []float32 // of the pixels of a row
}

// edge is a side of a polygon, from its upper end.
type edge struct {
	x, y, end, slope float64
	way              int
}

type crossing struct {
	x   float64
	way int
}

// maxDashes are more than the clip shows of a line, but for one from so far away that its dashes
// are lost in rounding.
const maxDashes = 10_000

// samples are the heights of a row that are sampled.
const samples = 4

// polygon adds a polygon.
func (f *filler) polygon(at [][2]float64) {
	for i, a := range at {
		b, way := at[(i+1)%len(at)], 1
		if a[1] > b[1] {
			a, b, way = b, a, -1
		}
		if a[1] < b[1] {
			f.edges = append(f.edges, edge{a[0], a[1], b[1], (b[0] - a[0]) / (b[1] - a[1]), way})
		}
	}
}

// stroke adds the sides of a line as bars of that width, all turned the same way; with dashes
// unless on is 0. What is off the clip is left out.
func (f *filler) stroke(l line, width, on, off float64, clip image.Rectangle) {
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
		from, to := within(a, b, length, clip, width)
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

// within returns the part of a side that may be seen: that in the clip or a little more.
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

// paint lays a colour over what the polygons cover in the clip, and forgets them.
func (f *filler) paint(img *image.RGBA, clip image.Rectangle, c color.RGBA, alpha float64) {
	slices.SortFunc(f.edges, func(a, b edge) int { return cmp.Compare(a.y, b.y) })
	f.active = f.active[:0]
	f.cover = slices.Grow(f.cover[:0], clip.Dx())[:clip.Dx()]
	next := 0
	for y := clip.Min.Y; y < clip.Max.Y; y++ {
		for next < len(f.edges) && f.edges[next].y < float64(y+1) {
			f.active = append(f.active, f.edges[next])
			next++
		}
		f.active = slices.DeleteFunc(f.active, func(e edge) bool { return e.end <= float64(y) })
		if len(f.active) == 0 {
			continue
		}
		clear(f.cover)
		for s := range samples {
			f.row(float64(y)+(float64(s)+0.5)/samples, float64(clip.Min.X))
		}
		for i, part := range f.cover {
			if part > 0 {
				blend(img, clip.Min.X+i, y, c, alpha*min(float64(part)/samples, 1))
			}
		}
	}
	f.edges = f.edges[:0]
}

// row adds what is covered along a height.
func (f *filler) row(y, left float64) {
	f.cross = f.cross[:0]
	for i := range f.active {
		if e := &f.active[i]; e.y <= y && y < e.end {
			f.cross = append(f.cross, crossing{e.x + (y-e.y)*e.slope - left, e.way})
		}
	}
	slices.SortFunc(f.cross, func(a, b crossing) int { return cmp.Compare(a.x, b.x) })
	winding, from := 0, 0.0
	for _, x := range f.cross {
		before := winding
		winding += x.way
		switch {
		case before == 0:
			from = x.x
		case winding == 0:
			f.span(max(from, 0), min(x.x, float64(len(f.cover))))
		}
	}
}

// span adds the part of each pixel between two places.
func (f *filler) span(from, to float64) {
	for i := int(from); float64(i) < to; i++ {
		f.cover[i] += float32(min(to, float64(i+1)) - max(from, float64(i)))
	}
}

// blend lays a colour over a pixel.
func blend(img *image.RGBA, x, y int, c color.RGBA, alpha float64) {
	at := img.Pix[img.PixOffset(x, y):]
	for k, to := range [3]uint8{c.R, c.G, c.B} {
		at[k] = uint8(float64(at[k]) + alpha*(float64(to)-float64(at[k])) + 0.5)
	}
	at[3] = 255
}
