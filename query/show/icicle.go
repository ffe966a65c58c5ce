package show

import (
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// Icicle is a profile to be drawn as an icicle graph, and how.
type Icicle struct {
	Profile *profile.Profile // as [Profile] makes it
	Width   int              // in pixels, MinWidth to MaxWidth
	Value   int              // what the width of a frame means: Objects, Packets, Nodes, Bytes or Visits
	Rows    int              // 1 or more: cells of deeper levels are left out
}

const (
	rowHeight    = 19
	narrowest    = 0.7 // pixels: what is narrower is left out
	charWidth    = 6.8
	icicleMargin = 10
	icicleHead   = 44
	icicleFoot   = 34

	// The colour of a frame tells its visits per node and packet over those of
	// the whole tree, from one heatSpan-th to heatSpan times as many.
	heatSpan = 4
)

// frame is a function of the profile on one path, with the sums of what is at and
// below it.
type frame struct {
	name string
	sum  [Values]int64
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

// order sorts octants by their digits, before what has no digits.
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

// SVG writes the profile as an icicle graph: the root at the top, below
// each cell its octants in the order of keys, each as wide as its part of the
// value, and as warm as queries visit it often. What a frame holds shows when the
// pointer rests on it. The picture is a function of the profile. The error names a width, value or
// number of rows out of range, and a profile of something else; w's errors are returned.
func (pic Icicle) SVG(w io.Writer) error {
	if err := pic.check(); err != nil {
		return err
	}
	top := framesOf(pic.Profile)
	scale := float64(pic.Width-2*icicleMargin) / float64(max(top.sum[pic.Value], 1))
	rows := min(depth(top, pic.Value, narrowest/scale), pic.Rows)
	d := &drawing{pic: pic, mean: top.heat()}
	height := icicleHead + rows*rowHeight + icicleFoot
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="Helvetica, Arial, sans-serif" font-size="11">`+"\n",
		pic.Width, height)
	d.printf(`<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", pic.Width, height)
	d.printf(`<text x="%d" y="20" font-size="14" font-weight="bold">The octree, cell by cell</text>`+"\n", icicleMargin)
	d.printf(`<text x="%d" y="36" fill="#555555">%s</text>`+"\n", icicleMargin, html.EscapeString(d.caption(top)))
	d.frame(top, icicleMargin, icicleHead, scale, rows)
	d.legend(icicleHead + rows*rowHeight + 8)
	d.printf("</svg>\n")
	_, err := io.WriteString(w, d.text.String())
	return err
}

func (pic *Icicle) check() error {
	if err := checkWidth(pic.Width); err != nil {
		return err
	}
	if pic.Value < 0 || pic.Value >= Values || pic.Rows < 1 {
		return fmt.Errorf("show: an icicle of value %d and %d rows, want 0 to %d, and 1 or more", pic.Value, pic.Rows, Values-1)
	}
	if pic.Profile == nil {
		return fmt.Errorf("show: an icicle without a profile")
	}
	for _, s := range pic.Profile.Sample {
		if len(s.Value) != Values || len(s.Location) == 0 || len(s.Location[0].Line) == 0 {
			return fmt.Errorf("show: an icicle of a profile that is not of a tree")
		}
	}
	return nil
}

// drawing is a picture under way.
type drawing struct {
	pic  Icicle
	mean float64 // heat of the tree
	text strings.Builder
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.text, format, args...) }

var valueNames = [Values]string{"objects", "packets", "nodes", "bytes", "visits"}

func (d *drawing) caption(top *frame) string {
	return fmt.Sprintf("Width: %s. %d objects in %d packets below %d nodes, %d bytes, %d visits of queries.",
		valueNames[d.pic.Value], top.sum[Objects], top.sum[Packets], top.sum[Nodes], top.sum[Bytes], top.sum[Visits])
}

// depth returns the number of rows of f and of what below it has at least so
// much of a value.
func depth(f *frame, value int, least float64) int {
	if float64(f.sum[value]) < least {
		return 0
	}
	n := 0
	for _, k := range f.kids {
		n = max(n, depth(k, value, least))
	}
	return n + 1
}

// frame draws f at x, y and, unless there is no row for them, the frames below.
func (d *drawing) frame(f *frame, x, y, scale float64, rows int) {
	width := float64(f.sum[d.pic.Value]) * scale
	if width < narrowest || rows == 0 {
		return
	}
	d.printf(`<g><title>%s: %d objects, %d packets, %d nodes, %d bytes, %d visits</title>`,
		html.EscapeString(f.name), f.sum[Objects], f.sum[Packets], f.sum[Nodes], f.sum[Bytes], f.sum[Visits])
	d.printf(`<rect x="%.2f" y="%.0f" width="%.2f" height="%d" fill="%s" stroke="#ffffff" stroke-width="%.1f"/>`,
		x, y, width, rowHeight, d.colour(f), min(1, width/4))
	if label := fit(f.name, width); label != "" {
		d.printf(`<text x="%.2f" y="%.0f">%s</text>`, x+4, y+13, html.EscapeString(label))
	}
	d.printf("</g>\n")
	for _, k := range f.kids {
		d.frame(k, x, y+rowHeight, scale, rows-1)
		x += float64(float64(k.sum[d.pic.Value]) * scale)
	}
}

// fit returns what of a name fits into a width: of an octant, at least its
// digits.
func fit(name string, width float64) string {
	room := int((width - 7) / charWidth)
	if len(name) <= room {
		return name
	}
	if _, short, ok := strings.Cut(name, " "); ok && len(short) <= room && strings.HasPrefix(name, "octant") {
		return short
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

// legend draws the scale of heat.
func (d *drawing) legend(y int) {
	if d.mean == 0 {
		d.printf(`<text x="%d" y="%d" fill="#555555">no queries</text>`+"\n", icicleMargin, y+13)
		return
	}
	const boxes, boxWidth = 24, 8
	d.printf(`<text x="%d" y="%d" fill="#555555">visits per node and packet: %.2g</text>`+"\n", icicleMargin, y+13, d.mean/heatSpan)
	x := icicleMargin + 200
	for i := range boxes {
		d.printf(`<rect x="%d" y="%d" width="%d" height="14" fill="%s"/>`, x+i*boxWidth, y+2, boxWidth, warm(float64(i)/(boxes-1)))
	}
	d.printf("\n"+`<text x="%d" y="%d" fill="#555555">%.2g (whole tree: %.2g)</text>`+"\n", x+boxes*boxWidth+6, y+13, d.mean*heatSpan, d.mean)
}
