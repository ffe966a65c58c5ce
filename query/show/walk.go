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
	answer, candidate, culled, outside group      // objects that are seen
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
			case s.whole(ref):
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
	for slot, n := range s.View.Store().Packets.Counts {
		if q.Heat.Slots[slot] > 0 {
			st.tested += int(n)
		}
	}
	hit := setOf(q.Hits)
	groups := s.objects(4, func(o object) int {
		switch {
		case hit.Has(o.id):
			return 0
		case q.culled.Has(o.id):
			return 1
		case q.Heat.Slots[o.slot] > 0:
			return 2
		}
		return 3
	})
	st.answer, st.culled, st.candidate, st.outside = groups[0], groups[1], groups[2], groups[3]
	return st
}

// whole reports whether the query took a subtree as a whole: all of its packets, or none.
func (s *Scene) whole(ref soa.Ref) bool {
	for !ref.IsPacket() {
		ref = s.View.Store().Nodes.Hot[ref.Index()].Child[0]
	}
	return s.Query.slots.Has(ref.Index())
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
	p.outlines(kept, s.visible(st.whole))
	p.layers(layer{missColour, st.outside, 1.2}, layer{candidateColour, st.candidate, 1.8},
		layer{hitColour, st.answer, 1.8}, layer{culledColour, st.culled, 2.4})
	p.outlines(rejected, s.visible(st.rejected))
	p.outlines(entered, s.visible(st.entered))
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
	p.group(candidateColour, st.candidate, count(st.tested, "candidate", "candidates"))
	p.group(hitColour, st.answer, thousands(len(q.Hits))+" in the answer")
	p.group(culledColour, st.culled, thousands(q.culled.Len())+" culled afterwards")
	p.group(missColour, st.outside, "not looked at")
	return p.end()
}
