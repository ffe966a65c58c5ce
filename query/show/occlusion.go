package show

import (
	"fmt"
	"io"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// The colours of hidden objects and boxes.
const (
	hiddenColour = "#c2188b"
	paleColour   = "#e6a3cd"
)

// Occlusion is a picture of occlusion culling, which needs a View, a Width, a Culler and a Camera.
// Kind, Tree and Trace of the Scene are ignored.
type Occlusion struct {
	Scene
	Culler *occlude.Culler
	Camera query.Camera
}

// occlusionResult is the result of a culler in a tree.
type occlusionResult struct {
	seen, hidden, outside []soa.AABB // objects
	walked, skipped       []soa.AABB // tight boxes of nodes and packets: visited, or hidden
	inFrustum, inSight    int
	with                  occlude.Counters
	without               query.Counters
}

// SVG writes a picture of the second query of the culler: the objects of the frustum, the visible
// ones, and the nodes and packets that are hidden as a whole. Afterwards the depth buffer can be
// read with [occlude.Culler.DepthImage]. The error is as for [Scene.SVG], or reports an invalid
// camera.
func (s Occlusion) SVG(w io.Writer) error {
	s.Kind = Boxes // a kind that needs only the view
	if err := s.check(); err != nil {
		return err
	}
	l, err := s.query()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, s.draw(l))
	return err
}

// query runs the culler twice, and classifies all boxes.
func (s *Occlusion) query() (*occlusionResult, error) {
	v, none := s.View, query.Filter{}
	if err := s.Culler.SetCamera(s.Camera); err != nil {
		return nil, err
	}
	s.Culler.Count(v, none) // the culler remembers large occluders
	s.Culler.SetCamera(s.Camera)
	l, heat := &occlusionResult{}, query.NewHeat(v)
	l.with = s.Culler.Explain(v, none, heat)
	s.Culler.SetCamera(s.Camera)
	state := map[uint32]int{}
	frustum := s.Culler.Frustum()
	l.without = frustum.Explain(v, none, nil)
	for _, id := range frustum.Append(nil, v, none) {
		state[id] = 1
		l.inFrustum++
	}
	for _, id := range s.Culler.Append(nil, v, none) {
		state[id] = 2
		l.inSight++
	}
	for _, o := range byID(s.View) {
		if !s.cut(o.box) {
			continue
		}
		list := [...]*[]soa.AABB{&l.outside, &l.hidden, &l.seen}[state[o.id]]
		*list = append(*list, o.box)
	}
	s.nodes(l, v, heat, &frustum)
	return l, nil
}

// nodes separates visited and hidden nodes. Below a visited node, the hidden ones are those in
// the frustum that were not visited.
func (s *Occlusion) nodes(l *occlusionResult, v linear.View, heat *query.Heat, frustum *query.Frustum) {
	nodes, planes := &v.Store().Nodes, frustum.Planes()
	// If nothing is hidden, unvisited nodes were taken as a whole.
	nothing := l.with.HiddenNodes+l.with.HiddenPackets == 0
	for index := range heat.Nodes {
		if heat.Nodes[index] == 0 {
			continue
		}
		n := &nodes.Hot[index]
		for lane := range nodes.Used[index] {
			var b soa.AABB
			for a := range 3 {
				b.Min[a], b.Max[a] = n.Bounds[2*a][lane], n.Bounds[2*a+1][lane]
			}
			ref := n.Child[lane]
			into := false
			if ref.IsPacket() {
				into = heat.Slots[ref.Index()] > 0
			} else {
				into = heat.Nodes[ref.Index()] > 0
			}
			switch {
			case b.Min[0] > b.Max[0] || !s.cut(b):
			case into:
				l.walked = append(l.walked, b)
			case nothing:
			case intersects(&planes, &b):
				l.skipped = append(l.skipped, b)
			}
		}
	}
}

// intersects reports whether a box is not outside any of the planes.
func intersects(planes *[6][4]float32, b *soa.AABB) bool {
	for _, p := range planes {
		sum := float64(p[3])
		for a := range 3 {
			c := b.Max[a]
			if p[a] < 0 {
				c = b.Min[a]
			}
			sum += float64(float64(p[a]) * float64(c))
		}
		if sum < 0 {
			return false
		}
	}
	return true
}

func (s *Occlusion) draw(l *occlusionResult) string {
	planes, b := s.Culler.Frustum().Planes(), DensestRegion(s.View)
	var at [3]float32
	for a := range 3 {
		at[a] = float32(s.Camera.Eye[a])
	}
	b = b.Union(soa.AABB{Min: at, Max: at})
	p := newSheet(s.Width, b, "Occlusion culling: visible and occluded objects", s.about())
	z := s.Camera.Eye[2]
	if s.Slice != nil {
		z = *s.Slice
	}
	outline := p.line(clipFrustum(&planes, z, horizon(&b)), true)
	wedge, edge := fill(lightColour, 0.28), stroke(inkColour, 2.2)+` stroke-dasharray="8 4"`
	node, walked := fill(hiddenColour, 0.12)+fmt.Sprintf(` stroke="%s" stroke-width="1.4"`, hiddenColour), stroke(softColour, 0.8)
	p.shape(wedge, outline)
	p.rectangles(node, p.rects(l.skipped, 3))
	outside, hidden, seen := groupOf(l.outside), groupOf(l.hidden), groupOf(l.seen)
	p.layers(layer{missColour, outside, 1.2}, layer{paleColour, hidden, 1.8}, layer{hitColour, seen, 1.8})
	p.rectangles(walked, p.rects(l.walked, 0))
	p.shape(edge, outline)
	x, y := p.at(s.Camera.Eye[0], s.Camera.Eye[1])
	p.dot(x, y, inkColour)
	p.done()
	p.heading("Without occlusion")
	p.note(count(l.inFrustum, "object", "objects"))
	p.note(fmt.Sprintf("%s nodes, %s packets", thousands(l.without.Nodes), thousands(l.without.Packets)))
	p.heading("With occlusion")
	p.note(count(l.inSight, "object", "objects"))
	p.note(fmt.Sprintf("%s nodes, %s packets", thousands(l.with.Nodes), thousands(l.with.Packets)))
	p.note(count(l.with.Occluders, "occluder drawn", "occluders drawn"))
	p.heading("The map")
	p.key(wedge+fmt.Sprintf(` stroke="%s" stroke-width="2.2" stroke-dasharray="8 4"`, inkColour), "camera")
	p.group(hitColour, seen, thousands(seen.n)+" visible")
	p.group(paleColour, hidden, thousands(hidden.n)+" occluded")
	p.group(missColour, outside, thousands(outside.n)+" outside the frustum")
	p.key(node, count(len(l.skipped), "occluded subtree", "occluded subtrees"))
	p.key(walked, thousands(len(l.walked))+" nodes, packets tested")
	return p.end()
}
