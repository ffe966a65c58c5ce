package show

import (
	"fmt"
	"io"
	"math"
	"slices"

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

// SVG writes a picture of the second query of the culler, seen from behind and above the camera: the
// visible and the occluded objects with their walls, the bases of other objects, and those of the
// nodes and packets that are occluded as a whole. The legend has the depth buffer, which
// [occlude.Culler.DepthImage] returns afterwards. Of the objects in the frustum, the 1,500 nearest to
// the camera are drawn, so that the size of the picture is bounded. With a Slice the picture is a
// flat section. The error is as for [Scene.SVG], or reports an invalid camera.
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
	planes, all := s.Culler.Frustum().Planes(), s.bounds()
	o := obliqueOf(&s.Camera)
	z, where := s.Camera.Eye[2], "seen from behind and above the camera"
	if s.Slice != nil {
		o, z, where = fromAbove, *s.Slice, s.where()
	}
	eye := o.at(s.Camera.Eye)
	p := newSheet(s.Width, min(max(sideWidth, float64(0.36*float64(s.Width))), maxDepthSide), s.region(&o, l),
		"Occlusion culling: visible and occluded objects", after(s.About, ", ", where))
	var border [][2]float64
	for _, at := range clipFrustum(&planes, z, horizon(&all)) {
		border = append(border, o.at([3]float64{at[0], at[1], z}))
	}
	outline := p.line(border, true)
	wedge, edge := fill(lightColour, 0.28), stroke(inkColour, 2.2)+` stroke-dasharray="8 4"`
	node, walked := fill(hiddenColour, 0.12)+fmt.Sprintf(` stroke="%s" stroke-width="1.4"`, hiddenColour), stroke(softColour, 0.8)
	p.shape(wedge, outline)
	bases, notSkipped := p.bases(&o, l.skipped, maxHouses)
	p.shape(node, bases)
	bases, notWalked := p.bases(&o, l.walked, fewBoxes)
	p.shape(walked, bases)
	bases, notOutside := p.bases(&o, l.outside, maxDrawn/4)
	p.shape(solid(missColour), bases)
	p.shape(edge, outline)
	left := p.houses(&o, eye, [][]soa.AABB{l.hidden, l.seen}, []string{paleColour, hitColour})
	x, y := p.at(eye[0], eye[1])
	p.dot(x, y, inkColour)
	p.done()
	p.heading("The depth buffer")
	p.depths(s.Culler.DepthImage())
	p.note("light is near, black is empty")
	p.heading("Without occlusion culling")
	p.note(count(l.inFrustum, "object", "objects"))
	p.note(fmt.Sprintf("%s nodes, %s packets", thousands(l.without.Nodes), thousands(l.without.Packets)))
	p.heading("With occlusion culling")
	p.note(count(l.inSight, "object", "objects"))
	p.note(fmt.Sprintf("%s nodes, %s packets", thousands(l.with.Nodes), thousands(l.with.Packets)))
	p.note(count(l.with.Occluders, "occluder drawn", "occluders drawn"))
	p.heading("The map")
	p.key(wedge+fmt.Sprintf(` stroke="%s" stroke-width="2.2" stroke-dasharray="8 4"`, inkColour), "camera")
	p.key(houseStyle(hitColour, 1), thousands(len(l.seen))+" visible")
	p.key(houseStyle(paleColour, 1), thousands(len(l.hidden))+" occluded")
	if left > 0 {
		p.note(thousands(left) + " further away, not drawn")
	}
	p.key(solid(missColour), thousands(len(l.outside))+" outside the frustum"+notOutside)
	p.key(node, count(len(l.skipped), "occluded subtree", "occluded subtrees")+notSkipped)
	p.key(walked, thousands(len(l.walked))+" nodes, packets tested"+notWalked)
	return p.end()
}

// region returns the part of the map that is drawn: with a cut the densest, else that of the visible objects, as far
// from the camera as the next maxHouses objects are. The camera is in it.
func (s *Occlusion) region(o *oblique, l *occlusionResult) soa.AABB {
	eye := o.at(s.Camera.Eye)
	all := flatBox{eye, eye}
	distance := func(b *soa.AABB) float64 {
		m := b.Center()
		return math.Hypot(math.Hypot(float64(m[0])-s.Camera.Eye[0], float64(m[1])-s.Camera.Eye[1]), float64(m[2])-s.Camera.Eye[2])
	}
	var distances []float64
	for _, list := range [...][]soa.AABB{l.hidden, l.seen} {
		for i := range list {
			distances = append(distances, distance(&list[i]))
		}
	}
	slices.Sort(distances)
	found := false
	for i := range l.seen {
		b := &l.seen[i]
		if s.Slice == nil && distance(b) <= distances[min(maxHouses, len(distances))-1] {
			all, found = all.union(o.box(b)), true
		}
	}
	if !found {
		b := DensestRegion(s.View)
		all = all.union(o.box(&b))
	}
	return all.aabb(regionRim)
}
