package show

import (
	"fmt"

	"github.com/zoctree/zoctree/soa"
)

// The colours of a walk: as in the pictures of Nevala and of Shagam and Pfeiffer, what is
// rejected is grey, what is entered dark, the answer strong, and what is taken away again red.
const (
	candidateColour = "#e9a23b"
	culledColour    = "#c2188b"
)

// manyEntered nodes and packets are drawn with finer lines.
const manyEntered = 100

// steps are what a query did with nodes, packets and objects.
type steps struct {
	rejected, entered, whole           []soa.AABB // tight boxes of nodes and packets, all of them
	answer, candidate, culled, outside []soa.AABB // objects that are seen
	tested                             int        // candidates, seen or not
}

// steps tells apart what the heat of the query tells. An object of a packet that was tested is a
// candidate unless it is of the answer, or was until the filter removed it.
func (s *Scene) steps() (st steps) {
	q := s.Query
	nodes := &s.View.Store().Nodes
	var below func(index uint32)
	below = func(index uint32) {
		n := &nodes.Hot[index]
		for lane := range nodes.Used[index] {
			var b soa.AABB
			for a := range 3 {
				b.Min[a], b.Max[a] = n.Bounds[2*a][lane], n.Bounds[2*a+1][lane]
			}
			if b.Min[0] > b.Max[0] {
				continue // empty
			}
			at, ref := n.Child[lane].Index(), n.Child[lane]
			switch {
			case ref.IsPacket() && q.Heat.Slots[at] > 0:
				st.entered = append(st.entered, b)
			case !ref.IsPacket() && q.Heat.Nodes[at] > 0:
				st.entered = append(st.entered, b)
				below(at)
			case q.holds(&b):
				st.whole = append(st.whole, b)
			default:
				st.rejected = append(st.rejected, b)
			}
		}
	}
	if len(nodes.Hot) > 0 && q.Heat.Nodes[0] > 0 {
		st.entered = append(st.entered, boundsOf(s.View))
		below(0)
	}
	hit := make(map[uint32]bool, len(q.Hits))
	for _, id := range q.Hits {
		hit[id] = true
	}
	for _, o := range byID(s.View) {
		list := &st.outside
		switch {
		case hit[o.id]:
			list = &st.answer
		case q.culled[o.id]:
			list = &st.culled
		case q.Heat.Slots[o.slot] > 0:
			list = &st.candidate
		}
		if q.Heat.Slots[o.slot] > 0 {
			st.tested++
		}
		if s.cut(o.box) {
			*list = append(*list, o.box)
		}
	}
	return st
}

// holds reports whether a box lies in a subtree that was taken as a whole.
func (q *Query) holds(b *soa.AABB) bool {
	for i := range q.Whole {
		if q.Whole[i].Contains(*b) {
			return true
		}
	}
	return false
}

// visible returns those of the boxes that are seen.
func (s *Scene) visible(boxes []soa.AABB) (list []soa.AABB) {
	for _, b := range boxes {
		if s.cut(b) {
			list = append(list, b)
		}
	}
	return list
}

// walk draws what a query did. What is large lies behind what is small.
func (s *Scene) walk() string {
	q, st := s.Query, s.steps()
	p := s.sheet("What a query with a "+q.Name+" looks at", s.about())
	b := s.bounds()
	border := p.line(q.at(s.plane(), horizon(&b)), !q.isRay)
	if !q.isRay {
		p.shape(fill(lightColour, 0.28), border)
	}
	kept := fill(wholeColour, 0.14) + fmt.Sprintf(` stroke="%s" stroke-width="1.6"`, wholeColour)
	line := 1.0
	if len(st.entered) > manyEntered {
		line = 0.6
	}
	rejected, entered := stroke(frameColour, line)+` stroke-dasharray="3 2"`, stroke(inkColour, line)
	p.shape(kept, paths(p.rects(s.visible(st.whole), 0)))
	p.layers(layer{missColour, st.outside, 1.2}, layer{candidateColour, st.candidate, 1.8},
		layer{hitColour, st.answer, 1.8}, layer{culledColour, st.culled, 2.4})
	p.shape(rejected, paths(p.rects(s.visible(st.rejected), 0)))
	p.shape(entered, paths(p.rects(s.visible(st.entered), 0)))
	p.shape(stroke(inkColour, 2.2)+` stroke-dasharray="8 4"`, border)
	if q.eye != nil {
		x, y := p.at(q.eye[0], q.eye[1])
		p.dot(x, y, inkColour)
	}
	p.done()
	p.heading("Nodes and packets")
	p.key(rejected, thousands(len(st.rejected))+" rejected")
	p.key(entered, fmt.Sprintf("%s + %s entered", thousands(q.Counters.Nodes), thousands(q.Counters.Packets)))
	p.key(kept, thousands(len(st.whole))+" taken as a whole")
	p.heading("Objects")
	p.key(fill(candidateColour, 1), count(st.tested, "candidate", "candidates"))
	p.key(fill(hitColour, 1), thousands(len(q.Hits))+" in the answer")
	p.key(fill(culledColour, 1), thousands(len(q.culled))+" culled afterwards")
	p.key(fill(missColour, 1), "not looked at")
	return p.end()
}
