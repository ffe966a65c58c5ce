package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/soa"
)

// The colours of a walk, as in the pictures of Nevala and of Shagam and Pfeiffer: rejected nodes
// are grey, entered ones dark, results strong, and filtered objects red.
const (
	candidateColour = "#e9a23b"
	culledColour    = "#c2188b"
)

// manyEntered is the number of entered nodes and packets from which lines are finer.
const manyEntered = 100

// steps are the actions of a query on nodes, packets and objects.
type steps struct {
	rejected, entered, whole           outlined // tight boxes of nodes and packets
	answer, candidate, culled, outside group    // visible objects
	tested                             int      // number of candidates, visible or not
}

// outlined are boxes drawn as outlines. If there are more than maxDrawn none is drawn, so no more
// are kept.
type outlined struct {
	n, seen int        // seen: the number of visible ones
	boxes   []soa.AABB // the first visible boxes
}

// add counts a box, and keeps it if it is visible.
func (o *outlined) add(b soa.AABB, seen bool) {
	o.n++
	if !seen {
		return
	}
	if o.seen++; o.seen <= maxDrawn {
		o.boxes = append(doubled(o.boxes), b)
	}
}

// doubled returns a list with room for one more. It grows in larger steps than append, with which
// the lists of a request would allocate twice as much.
func doubled[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return slices.Grow(list, len(list)+64)
}

// steps classifies nodes and objects by the heat of the query. An object of a tested packet is a
// candidate unless it is in the result, or was until the filter removed it.
func (s *Scene) steps() (st steps) {
	q := s.Trace
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
				st.entered.add(b, s.cut(b))
			case !ref.IsPacket() && q.Heat.Nodes[at] > 0:
				st.entered.add(b, s.cut(b))
				below(at)
			case s.whole(ref):
				st.whole.add(b, s.cut(b))
			default:
				st.rejected.add(b, s.cut(b))
			}
		}
	}
	if len(nodes.Hot) > 0 && q.Heat.Nodes[0] > 0 {
		b := s.bounds()
		st.entered.add(b, s.cut(b))
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
	return s.Trace.slots.Has(ref.Index())
}

// walk draws the actions of a query. Large shapes lie behind small ones.
func (s *Scene) walk() string {
	q, st := s.Trace, s.steps()
	article := "a "
	if strings.ContainsAny(q.Name[:min(len(q.Name), 1)], "aeio") {
		article = "an "
	}
	p := s.sheet("The traversal of a query with "+article+q.Name, s.about())
	b := s.bounds()
	border := p.line(q.border(s.plane(), horizon(&b)), !q.isRay)
	if !q.isRay {
		p.shape(fill(lightColour, 0.28), border)
	}
	kept := fill(wholeColour, 0.14) + fmt.Sprintf(` stroke="%s" stroke-width="1.6"`, wholeColour)
	line := 1.0
	if st.entered.n > manyEntered {
		line = 0.6
	}
	rejected, entered := stroke(frameColour, line)+` stroke-dasharray="3 2"`, stroke(inkColour, line)
	p.outlines(kept, &st.whole)
	p.layers(layer{missColour, st.outside, 1.2}, layer{candidateColour, st.candidate, 1.8},
		layer{hitColour, st.answer, 1.8}, layer{culledColour, st.culled, 2.4})
	p.outlines(rejected, &st.rejected)
	p.outlines(entered, &st.entered)
	p.shape(stroke(inkColour, 2.2)+` stroke-dasharray="8 4"`, border)
	if q.Origin != nil {
		x, y := p.at(q.Origin[0], q.Origin[1])
		p.dot(x, y, inkColour)
	}
	p.done()
	p.heading("Nodes and packets")
	p.key(rejected, thousands(st.rejected.n)+" rejected")
	p.key(entered, fmt.Sprintf("%s + %s entered", thousands(q.Counters.Nodes), thousands(q.Counters.Packets)))
	p.key(kept, thousands(st.whole.n)+" fully contained")
	p.heading("Objects")
	p.group(candidateColour, st.candidate, count(st.tested, "candidate", "candidates"))
	p.group(hitColour, st.answer, thousands(len(q.Hits))+" in the result")
	p.group(culledColour, st.culled, thousands(q.culled.Len())+" filtered out")
	p.group(missColour, st.outside, "not visited")
	return p.end()
}
