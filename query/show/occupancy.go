package show

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// occupancy draws two bar charts: packets by the number of objects in them, and
// objects by the depth of their packet.
func (s *Scene) occupancy() string {
	var sizes [soa.Lanes + 1][]int // packets by objects and depth
	var depths []int               // objects by depth
	total := 0
	for c := range s.Tree.Packets() {
		for len(depths) <= c.Depth {
			depths = append(depths, 0)
		}
		for len(sizes[c.Count]) <= c.Depth {
			sizes[c.Count] = append(sizes[c.Count], 0)
		}
		sizes[c.Count][c.Depth]++
		depths[c.Depth] += c.Count
		total += c.Count
	}
	const height = 360.0
	p := &page{}
	title := s.Title
	if title == "" {
		title = "How full the tree is"
	}
	st := s.Tree.Stats()
	top := p.head(s.Width, title, after(s.About, ": ", fmt.Sprintf("%s packets of %.1f objects in the mean, below %s nodes", thousands(st.Packets), st.Fill*soa.Lanes, thousands(st.Nodes))))

	mid := round(float64(s.Width) * 0.62)
	left := chart{rect{margin, top + 24, mid - margin, top + height}, "Packets by number of objects, coloured by depth"}
	var bars []bar
	for n, byDepth := range sizes {
		if n > 0 {
			bars = append(bars, bar{fmt.Sprint(n), byDepth})
		}
	}
	left.draw(p, bars)

	right := chart{rect{mid + margin, top + 24, float64(s.Width) - margin, top + height}, "Objects by depth of their packet"}
	bars = nil
	for depth, n := range depths {
		if depth > 0 {
			part := make([]int, depth+1)
			part[depth] = n
			bars = append(bars, bar{fmt.Sprint(depth), part})
		}
	}
	right.draw(p, bars)
	var whole page
	whole.begin(s.Width, int(top+height+2*margin))
	return whole.text.String() + p.end()
}

// bar is a bar of parts by depth.
type bar struct {
	name  string
	parts []int
}

func (b bar) sum() (n int) {
	for _, part := range b.parts {
		n += part
	}
	return n
}

// chart is a chart of bars with their sums above.
type chart struct {
	frame rect
	title string
}

func (c chart) draw(p *page, bars []bar) {
	most := 1
	for _, b := range bars {
		most = max(most, b.sum())
	}
	f := c.frame
	p.label(f.x0, f.y0-8, `font-weight="bold"`, c.title)
	step := (f.x1 - f.x0) / float64(max(len(bars), 1))
	unit := (f.y1 - f.y0 - 28) / float64(most)
	for i, b := range bars {
		wide := min(step*0.76, 64)
		x := f.x0 + float64(step*(float64(i)+0.5))
		y := f.y1
		for depth, n := range b.parts {
			top := y - float64(unit*float64(n))
			if n > 0 {
				p.shape(fill(depthColour(depth), 0.85), rect{x - wide/2, top, x + wide/2, y}.path())
			}
			y = top
		}
		if n := b.sum(); n > 0 {
			p.label(x, y-6, `text-anchor="middle" font-size="11"`, thousands(n))
		}
		p.label(x, f.y1+18, `text-anchor="middle"`, b.name)
	}
	p.shape(stroke(softColour, 1), "M"+num(f.x0)+" "+num(f.y1)+"H"+num(f.x1))
}
