package show

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// about returns the line below a headline.
func (s *Scene) about() string {
	text := after(s.About, ", ", s.where())
	if n := s.beyond(); n > 0 {
		text += fmt.Sprintf("; %s beyond the map", count(n, "object reaches", "objects reach"))
	}
	return text
}

// minMesh is the smallest mean side in pixels of the boxes of a depth that is drawn: smaller
// boxes would form a dense mesh.
const minMesh = 7

// fewBoxes is the number of boxes up to which boxes are drawn at any size.
const fewBoxes = 200

// tightBoxes holds the number of tight boxes of each depth, the depths that are drawn, and the
// number of packets.
type tightBoxes struct {
	counts  []int
	drawn   []bool
	packets int
}

// drawTight draws tight boxes as outlines, the root's last.
func (p *sheet) drawTight(list []box) (t tightBoxes) {
	var byDepth [][]rect // at most maxDrawn of each
	for _, b := range list {
		for len(byDepth) <= b.depth {
			byDepth, t.counts = append(byDepth, nil), append(t.counts, 0)
		}
		if t.counts[b.depth]++; t.counts[b.depth] <= maxDrawn {
			byDepth[b.depth] = append(byDepth[b.depth], p.rect(b.AABB))
		}
		t.packets += b2i(b.packet)
	}
	t.drawn = make([]bool, len(byDepth))
	for depth, n := range slices.Backward(t.counts) {
		sides := 0.0
		for _, r := range byDepth[depth] {
			sides += math.Sqrt(r.area())
		}
		if t.drawn[depth] = n < fewBoxes || n <= maxDrawn && sides > minMesh*float64(n); t.drawn[depth] {
			p.rectangles(stroke(depthColour(depth), depthWidth(depth)), byDepth[depth])
		}
	}
	return t
}

// depthKeys draws the legend of drawTight.
func (p *sheet) depthKeys(t tightBoxes) {
	p.heading("Tight boxes by depth")
	for depth, n := range t.counts {
		text := fmt.Sprintf("%d: %s", depth, count(n, "box", "boxes"))
		switch {
		case n == 0:
			continue
		case depth == 0:
			text = "0: the root"
		case depth == len(t.counts)-1 && n == t.packets:
			text = fmt.Sprintf("%d: %s", depth, count(n, "packet", "packets"))
		}
		if !t.drawn[depth] {
			p.note(text + ", not drawn")
			continue
		}
		p.key(stroke(depthColour(depth), depthWidth(depth)), text)
	}
}

// one is a classifier that assigns all objects to class 0.
func one(object) int { return 0 }

// boxes draws the tight boxes.
func (s *Scene) boxes() string {
	p := s.sheet("Tight boxes of the tree", s.about())
	objects := s.objects(1, one)[0]
	p.layers(layer{missColour, objects, 1.2})
	tight := p.drawTight(s.tight())
	p.done()
	p.heading("Objects")
	p.group(missColour, objects, thousands(objects.n))
	p.depthKeys(tight)
	return p.end()
}

// cells draws the cells of the octree, coloured by level.
func (s *Scene) cells() string {
	p := s.sheet("Cells of the octree", s.about())
	objects := s.objects(1, one)[0]
	levels := map[int][]rect{}
	deepest, first := 0, 64
	for c := range s.Tree.Cells() {
		if level := c.Prefix.Level(); s.cut(c.Box) {
			levels[level] = append(levels[level], p.rect(c.Box))
			deepest, first = max(deepest, level), min(first, level)
		}
	}
	for level := deepest; level >= first; level-- {
		p.rectangles(cellStyle(level-first), levels[level])
	}
	p.layers(layer{darkColour, objects, 1.2})
	p.done()
	p.heading("Objects")
	p.group(darkColour, objects, thousands(objects.n))
	p.heading("Cells of packets by level")
	for level := first; level <= deepest; level++ {
		if n := len(levels[level]); n > 0 {
			p.key(cellStyle(level-first), fmt.Sprintf("%d: %s", level, count(n, "cell", "cells")))
		}
	}
	return p.end()
}

// cellStyle returns the style of cells at a level relative to the first.
func cellStyle(level int) string {
	colour := depthColour(level)
	return fill(colour, 0.07) + fmt.Sprintf(` stroke="%s" stroke-width="%.2f"`, colour, max(2-float64(0.3*float64(level)), 0.75))
}

// curveColours are the colours from the first packet to the last.
var curveColours = []string{"#2d0b59", "#5b1a6b", "#8a2267", "#b63655", "#d55e00", "#e38119", "#e9a23b", "#d9b92a"}

// curve draws the space-filling curve through the cells in the order of their keys.
func (s *Scene) curve() string {
	p := s.sheet("The Morton curve through the cells", s.about())
	objects := s.objects(1, one)[0]
	p.layers(layer{missColour, objects, 1.2})
	var tight []soa.AABB
	var way [][2]float64
	for c := range s.Tree.Cells() {
		if s.cut(c.Tight) && c.Count > 0 {
			m := c.Tight.Center()
			tight = append(tight, c.Tight)
			way = append(way, [2]float64{float64(m[0]), float64(m[1])})
		}
	}
	name := thousands(len(tight)) + " tight boxes"
	if len(tight) < fewCells {
		tight, way = s.zCurve()
		name = count(len(tight), "cell", "cells") + " of the grid of keys"
	}
	p.rectangles(stroke(softColour, 0.75)+` stroke-opacity="0.5"`, p.rects(tight, 0))
	parts := len(curveColours)
	for i, colour := range curveColours {
		from, to := i*len(way)/parts, min((i+1)*len(way)/parts, len(way)-1)
		if to > from {
			p.shape(stroke(colour, 2.2)+` stroke-linecap="round"`, p.line(way[from:to+1], false))
		}
	}
	for i, at := range way {
		x, y := p.at(at[0], at[1])
		if i == 0 || i == len(way)-1 {
			p.dot(x, y, curveColours[b2i(i > 0)*(parts-1)])
		}
	}
	p.done()
	p.heading("Objects")
	p.group(missColour, objects, thousands(objects.n))
	p.heading("Cells")
	p.key(stroke(softColour, 0.75)+` stroke-opacity="0.5"`, name)
	p.heading("Order of keys")
	x := p.frame.x1 + 24
	for i, colour := range curveColours {
		p.shape(fill(colour, 1), rect{x + 22*float64(i), p.row - 4, x + 22*float64(i+1), p.row + 6}.path())
	}
	p.row += lineHeight
	p.label(x, p.row+2, "", "first")
	p.label(x+22*float64(parts), p.row+2, `text-anchor="end"`, "last")
	return p.end()
}

// fewCells is the number of cells from which on the curve through them shows its shape.
const fewCells = 16

// zCurve returns cells of the grid of keys in their order, and their centres: the lowest layer of cells over the
// objects, at a level with four to nine cells on the longer side.
func (s *Scene) zCurve() (cells []soa.AABB, way [][2]float64) {
	bounds, world := s.View.Bounds(), s.Tree.World()
	side := max(float64(bounds.Max[0])-float64(bounds.Min[0]), float64(bounds.Max[1])-float64(bounds.Min[1]))
	level := 0
	for level < morton.Levels && math.Ldexp(world.Side(), -level) > side/4 {
		level++
	}
	shift := morton.Levels - level
	if s.Slice != nil {
		bounds.Min[2] = float32(*s.Slice)
	}
	x0, y0, z := world.Key(bounds.Min).Decode()
	x1, y1, _ := world.Key(bounds.Max).Decode()
	var keys []morton.Key
	for x := x0 >> shift; x <= x1>>shift; x++ {
		for y := y0 >> shift; y <= y1>>shift; y++ {
			keys = append(keys, morton.Encode(x<<shift, y<<shift, z))
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		box := soa.AABB{}
		box.Min, box.Max = world.CellBox(k.At(level))
		m := box.Center()
		cells, way = append(cells, box), append(way, [2]float64{float64(m[0]), float64(m[1])})
	}
	return cells, way
}

// query draws a query and its results; the kind Overview also shows the tree around it.
func (s *Scene) query(overview bool) string {
	title := "A query: hits and misses of the " + s.Trace.Name
	if overview {
		title = "Hits of the " + s.Trace.Name + ", and the boxes of the tree"
	}
	p := s.sheet(title, s.about())
	q := s.Trace
	in := setOf(q.Hits)
	both := s.objects(2, func(o object) int { return b2i(!in.Has(o.id)) })
	hits, misses := both[0], both[1]
	wrong := s.objects(1, func(o object) int { return b2i(q.wrong[o.id]) - 1 })[0]
	var whole []soa.AABB
	for _, b := range q.Whole {
		if s.cut(b) {
			whole = append(whole, b)
		}
	}
	b := s.bounds()
	border := p.line(q.border(s.plane(), horizon(&b)), !q.isRay)
	if !q.isRay {
		p.shape(fill(lightColour, 0.28), border)
	}
	p.rectangles(fill(wholeColour, 0.2), p.rects(whole, 0))
	p.layers(layer{missColour, misses, 1.2}, layer{hitColour, hits, 1.8})
	p.rectangles(fill(wrongColour, 1), p.rects(wrong.boxes, 6))
	var tight tightBoxes
	if overview {
		tight = p.drawTight(s.tight())
	}
	p.rectangles(stroke(wholeColour, 2.2), p.rects(whole, 0))
	p.shape(stroke(inkColour, 2.2)+` stroke-dasharray="8 4"`, border)
	if q.Origin != nil {
		x, y := p.at(q.Origin[0], q.Origin[1])
		p.dot(x, y, inkColour)
	}
	p.done()
	p.heading("The result")
	if q.isRay {
		p.keyLine(stroke(inkColour, 2.2)+` stroke-dasharray="8 4"`, q.Name)
	} else {
		p.key(fill(lightColour, 0.28)+fmt.Sprintf(` stroke="%s" stroke-width="2.2" stroke-dasharray="8 4"`, inkColour), q.Name)
	}
	seen := count(hits.n, "hit", "hits")
	if hits.n < len(q.Hits) {
		seen = fmt.Sprintf("%s of %s", thousands(hits.n), count(len(q.Hits), "hit", "hits"))
	}
	p.group(hitColour, hits, seen)
	p.group(missColour, misses, count(misses.n, "miss", "misses"))
	if q.wrong != nil {
		p.key(fill(wrongColour, 1), fmt.Sprintf("%s of %d wrong", thousands(wrong.n), len(q.wrong)))
	}
	if !q.isRay {
		p.key(fill(wholeColour, 0.2)+fmt.Sprintf(` stroke="%s" stroke-width="2.2"`, wholeColour), "fully contained:")
		p.note(fmt.Sprintf("%s, %s", count(len(q.Whole), "range", "ranges"), count(q.wholeID, "object", "objects")))
	}
	p.heading("The work")
	x := p.frame.x1 + 24
	for _, line := range strings.Split(s.work(), "\n") {
		p.label(x, p.row+7, "", line)
		p.row += lineHeight - 4
	}
	if overview {
		p.row += 4
		p.depthKeys(tight)
	}
	return p.end()
}

// work returns a description of the work of the query.
func (s *Scene) work() string {
	st := s.View.Stats()
	return fmt.Sprintf("tests the objects of %s\nof %s packets, no others", thousands(s.Trace.Counters.Packets), thousands(st.Packets))
}
