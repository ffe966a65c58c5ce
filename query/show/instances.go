package show

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// Instances is a picture of instancing, which needs a Scene, a Width and a Frustum: the instances of a
// scene, and a camera that culls them.
type Instances struct {
	Scene   *linear.Scene
	Title   string // the headline; "": a description of the picture
	About   string // origin of the parts
	Width   int    // in pixels, MinWidth to MaxWidth
	Frustum query.Frustum
	Origin  *[3]float64 // position of the camera, drawn as a dot; nil: none
}

// fate is the result of a query for an instance, or for a packet in it.
type fate uint8

const (
	unmet    fate = iota // culled in the tree of instances
	rejected             // instance whose box overlaps the volume, but not the bounds of its part
	entered              // visited
	whole                // fully contained in the volume
	fates
)

// instances is an instance with the results of a query in it.
type instances struct {
	transform linear.Transform
	box       soa.AABB // in the tree of instances
	bounds    soa.AABB // bounds of the part
	fate

	packets      [fates][]soa.AABB // packets of the part, in its space: culled, entered or whole
	hits, misses []soa.AABB
}

// SVG writes a picture of the instances of a scene, seen from above, coloured by the result of
// the culling. It also shows the packets of the part in each instance, transformed into the
// scene. The scene's own objects are left out. The error names a width out of range, a scene
// without instances, and an instance that holds a scene or a snapshot; w's errors are returned.
func (s Instances) SVG(w io.Writer) error {
	if err := checkWidth(s.Width); err != nil {
		return err
	}
	if s.Scene.View().Instances().Len() == 0 {
		return fmt.Errorf("show: the scene has no instances")
	}
	list, err := s.places()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, s.draw(list))
	return err
}

// places queries each instance by itself, as the scene does.
func (s *Instances) places() (list []instances, err error) {
	var ids []uint32
	boxes := map[uint32]soa.AABB{}
	for id, o := range s.Scene.View().Instances().All() {
		ids = append(ids, id)
		boxes[id] = o.Box
	}
	slices.Sort(ids)
	for _, id := range ids {
		part, transform, _ := s.Scene.Instance(id)
		tree, ok := part.(*linear.Tree)
		if !ok {
			kind := "scene"
			if _, ok := part.(*linear.Snapshot); ok {
				kind = "snapshot"
			}
			return nil, fmt.Errorf("show: instance %d is a %s, want a tree", id, kind)
		}
		p, err := updateTransforms(tree, transform, s.Frustum)
		if err != nil {
			return nil, err
		}
		p.box = boxes[id]
		list = append(list, p)
	}
	return list, nil
}

// updateTransforms queries a scene of one instance.
func updateTransforms(tree *linear.Tree, transform linear.Transform, camera query.Frustum) (p instances, err error) {
	alone, err := linear.NewScene(linear.Config{})
	if err != nil {
		return p, err
	}
	defer alone.Clear()
	if _, err := alone.AddInstance(tree, transform, linear.InstanceOptions{}); err != nil {
		return p, err
	}
	v := alone.View()
	heat := scene.NewHeat(v)
	p.transform, p.bounds = transform, tree.Bounds()
	switch c := scene.Explain(camera, v, query.Filter{}, heat); {
	case c.Whole > 0:
		p.fate = whole
	case c.Entered > 0:
		p.fate = entered
	case c.Rejected > 0:
		p.fate = rejected
	}
	part := tree.View()
	of := make([]fate, part.Slots())
	hit := make([]uint16, part.Slots())
	scene.Ranges(camera, v, query.Filter{}, func(_ scene.Part, r query.Range) bool {
		for slot := r.First; slot < r.First+r.Count; slot++ {
			of[slot], hit[slot] = whole, r.Mask
			if r.Mask == 0 {
				hit[slot] = 1<<soa.Lanes - 1
			}
		}
		return true
	})
	for slot := range of {
		if heat.Objects[1].Slots[slot] > 0 {
			of[slot] = entered
		}
		tight := soa.Empty()
		for lane := range part.IDs(uint32(slot)) {
			b := part.Box(uint32(slot), lane)
			tight = tight.Union(b)
			if hit[slot]>>lane&1 != 0 {
				p.hits = append(p.hits, b)
			} else {
				p.misses = append(p.misses, b)
			}
		}
		if tight != soa.Empty() {
			p.packets[of[slot]] = append(p.packets[of[slot]], tight)
		}
	}
	return p, nil
}

// instanceStyles are the styles of the bounds of parts in their instances, packetStyles the styles
// of packets.
var (
	instanceStyles = [fates]string{
		stroke(frameColour, 1), stroke(softColour, 1) + ` stroke-dasharray="3 2"`, stroke(inkColour, 1.6),
		fill(wholeColour, 0.2) + fmt.Sprintf(` stroke="%s" stroke-width="2.20"`, wholeColour),
	}
	packetStyles = [fates]string{
		unmet: stroke(missColour, 0.75), entered: stroke(wrongColour, 1), whole: stroke(wholeColour, 1),
	}
)

func (s *Instances) draw(list []instances) string {
	title := s.Title
	if title == "" {
		title = "Instancing: trees in a scene, culled by a camera"
	}
	all := s.Scene.View().Instances().Bounds()
	p := newSheet(s.Width, sideWidth, all, title, after(s.About, ", ", "seen from above"))
	planes := s.Frustum.Planes()
	border := p.line(clipFrustum(&planes, middle(&all), horizon(&all)), true)
	p.shape(fill(lightColour, 0.28), border)
	var boxes []soa.AABB
	var bounds, packets [fates]strings.Builder
	var places, tested [fates]int
	var hits, misses strings.Builder
	hitCount, missCount := 0, 0
	for i := range list {
		q := &list[i]
		boxes = append(boxes, q.box)
		places[q.fate]++
		if q.bounds.Min[0] <= q.bounds.Max[0] { // the part is not empty
			p.images(&bounds[q.fate], &q.transform, q.bounds)
		}
		for f := range packets {
			p.images(&packets[f], &q.transform, q.packets[f]...)
			tested[f] += len(q.packets[f])
		}
		p.images(&hits, &q.transform, q.hits...)
		p.images(&misses, &q.transform, q.misses...)
		hitCount, missCount = hitCount+len(q.hits), missCount+len(q.misses)
	}
	boxStyle := stroke(frameColour, 0.75) + ` stroke-dasharray="2 2"`
	p.rectangles(boxStyle, p.rects(boxes, 0))
	p.shape(instanceStyles[whole], bounds[whole].String())
	p.shape(solid(missColour), misses.String())
	p.shape(solid(hitColour), hits.String())
	for _, f := range []fate{unmet, whole, entered} {
		p.shape(packetStyles[f], packets[f].String())
	}
	for _, f := range []fate{unmet, rejected, entered} {
		p.shape(instanceStyles[f], bounds[f].String())
	}
	p.shape(stroke(inkColour, 2.2)+` stroke-dasharray="8 4"`, border)
	if s.Origin != nil {
		x, y := p.at(s.Origin[0], s.Origin[1])
		p.dot(x, y, inkColour)
	}
	p.done()
	p.heading("The result")
	p.key(fill(lightColour, 0.28)+fmt.Sprintf(` stroke="%s" stroke-width="2.2" stroke-dasharray="8 4"`, inkColour), "camera")
	p.key(fill(hitColour, 1), count(hitCount, "hit", "hits"))
	p.key(fill(missColour, 1), count(missCount, "miss", "misses"))
	st := s.Scene.Stats()
	p.heading(fmt.Sprintf("%s of %s", count(st.Instances, "instance", "instances"), count(st.Parts, "part", "parts")))
	p.key(boxStyle, "box in the tree of instances")
	for f, text := range [fates]string{"not overlapped", "overlapped by its box only", "entered", "fully contained"} {
		if places[f] > 0 {
			p.key(instanceStyles[f], thousands(places[f])+" "+text)
		}
	}
	p.heading("Packets of the parts")
	for _, f := range []fate{unmet, entered, whole} {
		if tested[f] > 0 {
			p.key(packetStyles[f], thousands(tested[f])+" "+[fates]string{unmet: "not overlapped", entered: "tested", whole: "fully contained"}[f])
		}
	}
	return p.end()
}

// images adds the outlines of the images of boxes to a path.
func (p *sheet) images(path *strings.Builder, transform *linear.Transform, boxes ...soa.AABB) {
	for i := range boxes {
		path.WriteString(p.line(outline(transform, &boxes[i]), true))
	}
}

// outline returns the polygon of the image of a box, seen from above.
func outline(transform *linear.Transform, b *soa.AABB) [][2]float64 {
	var corners [8][2]float64
	for i := range corners {
		var c [3]float64
		for a, side := range [3][2]float32{{b.Min[0], b.Max[0]}, {b.Min[1], b.Max[1]}, {b.Min[2], b.Max[2]}} {
			c[a] = float64(side[i>>a&1])
		}
		at := transform.Point(c)
		corners[i] = [2]float64{at[0], at[1]}
	}
	return hull(corners[:])
}

// hull returns the corners of the convex hull of points, counterclockwise. It sorts the points.
func hull(points [][2]float64) (h [][2]float64) {
	slices.SortFunc(points, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) })
	turn := func(a, b, c [2]float64) float64 {
		return float64((b[0]-a[0])*(c[1]-a[1])) - float64((b[1]-a[1])*(c[0]-a[0]))
	}
	for range 2 { // the lower half, then the upper one
		first := len(h)
		for _, p := range points {
			for len(h) > first+1 && !(turn(h[len(h)-2], h[len(h)-1], p) > 0) {
				h = h[:len(h)-1]
			}
			h = append(h, p)
		}
		h = h[:len(h)-1] // the last point begins the other half
		slices.Reverse(points)
	}
	return h
}
