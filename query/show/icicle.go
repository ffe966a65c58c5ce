package show

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// Icicle is an icicle graph of a profile, an upside-down flame graph, which needs a Profile, a Width
// and Rows; Value 0 is Objects.
type Icicle struct {
	Profile *profile.Profile // profile made by [Profile]
	Width   int              // in pixels, MinWidth to MaxWidth
	Value   int              // meaning of the width of a frame: Objects, Packets, Nodes, Bytes or Visits
	Rows    int              // number of rows, 1 or more: cells of deeper levels are left out
}

const (
	rowHeight    = 19
	narrowest    = 8   // pixels, of a digit: narrower neighbours are merged into one block
	invisible    = 0.7 // pixels: narrower blocks are left out
	charWidth    = 6.3
	icicleMargin = 10
	icicleHead   = 44 // height if the line below the headline fits
	icicleFoot   = 52

	// The colour of a frame shows its visits per node and packet, relative to the whole tree,
	// from 1/heatSpan to heatSpan times the mean.
	heatSpan = 4
)

// frame is a function of the profile on one path, with the sums of its own samples and all below
// it.
type frame struct {
	name string
	sum  [NumValues]int64
	kids []*frame
}

// kid returns the frame of that name below f.
func (f *frame) kid(name string) *frame {
	if i := slices.IndexFunc(f.kids, func(k *frame) bool { return k.name == name }); i >= 0 {
		return f.kids[i]
	}
	k := &frame{name: name}
	f.kids = append(f.kids, k)
	return k
}

// framesOf returns the root of the frames of a profile.
func framesOf(p *profile.Profile) *frame {
	top := &frame{name: "root"}
	for _, s := range p.Sample {
		at := top
		for i := len(s.Location) - 1; i >= 0; i-- {
			if i < len(s.Location)-1 {
				at = at.kid(s.Location[i].Line[0].Function.Name)
			}
			for v := range at.sum {
				at.sum[v] += s.Value[v]
			}
		}
	}
	top.order()
	return top
}

// order sorts octants by their digits, before frames without digits.
func (f *frame) order() {
	slices.SortStableFunc(f.kids, func(a, b *frame) int { return strings.Compare(a.name, b.name) })
	for _, k := range f.kids {
		k.order()
	}
}

// heat returns the visits per node and packet.
func (f *frame) heat() float64 {
	return float64(f.sum[Visits]) / float64(max(f.sum[Nodes]+f.sum[Packets], 1))
}

// SVG writes the profile as an icicle graph: the root at the top, below each cell its octants in
// the order of keys. The width of a frame is its share of the value, and its colour shows the
// visits of queries. Neighbours that are too narrow are merged into one block, +8 for eight of
// them. Hovering over a frame shows its values. The picture is a function of the profile. The
// error names a width, value or number of rows out of range, or a profile that is not of a tree;
// w's errors are returned.
func (pic Icicle) SVG(w io.Writer) error {
	if err := pic.check(); err != nil {
		return err
	}
	top := framesOf(pic.Profile)
	scale := float64(pic.Width-2*icicleMargin) / float64(max(top.sum[pic.Value], 1))
	d := &drawing{pic: pic, mean: top.heat(), scale: scale}
	rows := min(d.depth(top), pic.Rows)
	caption := wrap(d.caption(top), int(float64(pic.Width-2*icicleMargin)/5.8))
	head := icicleHead + 14*(len(caption)-1)
	height := head + rows*rowHeight + icicleFoot
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="Helvetica, Arial, sans-serif" font-size="11">`+"\n",
		pic.Width, height)
	d.printf(`<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", pic.Width, height)
	d.printf(`<text x="%d" y="20" font-size="14" font-weight="bold">The octree, cell by cell</text>`+"\n", icicleMargin)
	for i, line := range caption {
		d.printf(`<text x="%d" y="%d" fill="#555555">%s</text>`+"\n", icicleMargin, 36+14*i, escape(line))
	}
	d.block(block{frame: top}, icicleMargin, float64(head), rows)
	d.legend(head + rows*rowHeight + 8)
	d.printf("</svg>\n")
	_, err := io.WriteString(w, d.text.String())
	return err
}

func (pic *Icicle) check() error {
	if err := checkWidth(pic.Width); err != nil {
		return err
	}
	if pic.Value < 0 || pic.Value >= NumValues || pic.Rows < 1 {
		return fmt.Errorf("show: an icicle of value %d and %d rows, want 0 to %d, and 1 or more", pic.Value, pic.Rows, NumValues-1)
	}
	if pic.Profile == nil {
		return fmt.Errorf("show: an icicle without a profile")
	}
	for _, s := range pic.Profile.Sample {
		if len(s.Value) != NumValues || len(s.Location) == 0 || slices.ContainsFunc(s.Location, nameless) {
			return fmt.Errorf("show: an icicle of a profile that is not of a tree")
		}
	}
	return nil
}

// nameless reports whether a location has no function.
func nameless(l *profile.Location) bool {
	return l == nil || len(l.Line) == 0 || l.Line[0].Function == nil
}

// drawing is the state of drawing an icicle graph.
type drawing struct {
	pic   Icicle
	mean  float64 // mean heat of the tree
	scale float64 // pixels per unit of the value
	text  strings.Builder

	drawn, merged, blocks, deeper int // numbers of frames drawn and merged, of blocks, and of frames left out below
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.text, format, args...) }

var valueNames = [NumValues]string{"objects", "packets", "nodes", "bytes", "visits"}

func (d *drawing) caption(top *frame) string {
	return fmt.Sprintf("Width: %s. %s in %s below %s, %s bytes, %s of queries.",
		valueNames[d.pic.Value], count(int(top.sum[Objects]), "object", "objects"), count(int(top.sum[Packets]), "packet", "packets"),
		count(int(top.sum[Nodes]), "node", "nodes"), thousands(int(top.sum[Bytes])), count(int(top.sum[Visits]), "visit", "visits"))
}

// block is a frame, or several adjacent frames that are too narrow to be drawn separately.
type block struct {
	*frame     // sums over all frames
	of     int // number of frames; 0: the frame itself
}

func (d *drawing) width(f *frame) float64 { return float64(f.sum[d.pic.Value]) * d.scale }

// below returns the blocks below a frame, without those of zero width.
func (d *drawing) below(f *frame) (list []block) {
	kids := slices.DeleteFunc(slices.Clone(f.kids), func(k *frame) bool { return k.sum[d.pic.Value] <= 0 })
	for i := 0; i < len(kids); {
		run := i
		for run < len(kids) && d.width(kids[run]) < narrowest {
			run++
		}
		b := block{frame: kids[i]}
		if run > i+1 {
			b = block{&frame{name: fmt.Sprintf("and %d more", run-i)}, run - i}
			for _, k := range kids[i:run] {
				for v := range b.sum {
					b.sum[v] += k.sum[v]
				}
			}
		}
		list = append(list, b)
		i = max(run, i+1)
	}
	return list
}

// depth returns the number of rows of f and its visible descendants.
func (d *drawing) depth(f *frame) int {
	if d.width(f) < invisible {
		return 0
	}
	n := 0
	for _, b := range d.below(f) {
		n = max(n, d.depth(b.frame))
	}
	return n + 1
}

// block draws a block at x, y and, if there is a row for them, the blocks below.
func (d *drawing) block(b block, x, y float64, rows int) {
	width := d.width(b.frame)
	if rows == 0 {
		d.deeper += max(b.of, 1)
		return
	}
	if width < invisible {
		return
	}
	if b.of > 0 {
		d.blocks++
		d.merged += b.of
	} else {
		d.drawn++
	}
	d.printf(`<g><title>%s: %d objects, %d packets, %d nodes, %d bytes, %d visits</title>`,
		escape(b.name), b.sum[Objects], b.sum[Packets], b.sum[Nodes], b.sum[Bytes], b.sum[Visits])
	d.printf(`<rect x="%.2f" y="%.0f" width="%.2f" height="%d" fill="%s" stroke="#ffffff" stroke-width="%.1f"/>`,
		x, y, width, rowHeight, d.colour(b.frame), min(1, width/4))
	if label := b.label(width); label != "" {
		d.printf(`<text x="%.2f" y="%.0f" text-anchor="middle">%s</text>`, x+width/2, y+13, escape(label))
	}
	d.printf("</g>\n")
	for _, k := range d.below(b.frame) {
		d.block(k, x, y+rowHeight, rows-1)
		x += d.width(k.frame)
	}
}

// label returns the part of its name that fits into a width.
func (b *block) label(width float64) string {
	if b.of > 0 {
		if label := fmt.Sprintf("+%d", b.of); float64(len(label))*charWidth+1 <= width {
			return label
		}
		return ""
	}
	return fit(b.name, width)
}

// fit returns the part of a name that fits into a width: for an octant, its digits or the last of
// them, which distinguish it from the others below the same cell.
func fit(name string, width float64) string {
	room := int((width - 4) / charWidth)
	if len(name) <= room {
		return name
	}
	kind, digits, _ := strings.Cut(name, " ")
	switch {
	case kind != "octant" && kind != "part":
		return ""
	case len(digits) <= room:
		return digits
	case width >= narrowest && kind == "octant":
		return digits[len(digits)-1:]
	}
	return ""
}

// colour returns the colour of a frame by its heat.
func (d *drawing) colour(f *frame) string {
	if d.mean == 0 {
		return warm(0.5)
	}
	return warm((1 + math.Log(max(f.heat()/d.mean, 1e-9))/math.Log(heatSpan)) / 2)
}

// scaleStops are the colours from cold to hot.
var scaleStops = [][3]float64{{198, 219, 239}, {241, 237, 214}, {253, 190, 110}, {227, 88, 60}}

// warm returns the colour at t of the scale, 0 to 1.
func warm(t float64) string {
	t = min(max(t, 0), 1) * float64(len(scaleStops)-1)
	i := min(int(t), len(scaleStops)-2)
	var c [3]int
	for k := range c {
		a, b := scaleStops[i][k], scaleStops[i+1][k]
		c[k] = int(math.Round(a + float64((b-a)*(t-float64(i)))))
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}

// legend draws the scale of heat, and the numbers of frames drawn and merged.
func (d *drawing) legend(y int) {
	text := fmt.Sprintf("%s drawn", count(d.drawn, "cell, packet or node", "cells, packets and nodes"))
	if d.merged > 0 {
		text += fmt.Sprintf("; %s more in %s like +8", thousands(d.merged), count(d.blocks, "block", "blocks"))
	}
	if d.deeper > 0 {
		text += fmt.Sprintf("; %s below the last row", thousands(d.deeper))
	}
	d.printf(`<text x="%d" y="%d" fill="#555555">%s</text>`+"\n", icicleMargin, y+31, text)
	if d.mean == 0 {
		d.printf(`<text x="%d" y="%d" fill="#555555">no queries</text>`+"\n", icicleMargin, y+13)
		return
	}
	const boxes, boxWidth = 24, 8
	d.printf(`<text x="%d" y="%d" fill="#555555">visits per node and packet: %.2g</text>`+"\n", icicleMargin, y+13, d.mean/heatSpan)
	x := icicleMargin + 200
	for i := range boxes {
		d.printf(`<rect x="%d" y="%d" width="%d" height="14" fill="%s"/>`+"\n", x+i*boxWidth, y+2, boxWidth, warm(float64(i)/(boxes-1)))
	}
	d.printf(`<text x="%d" y="%d" fill="#555555">%.2g (whole tree: %.2g)</text>`+"\n", x+boxes*boxWidth+6, y+13, d.mean*heatSpan, d.mean)
}
