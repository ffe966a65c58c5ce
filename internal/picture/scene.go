// Package picture draws trees, scenes and queries as SVG: a map of what a horizontal
// plane cuts, or of everything seen from above.
//
// A picture is a function of the tree and the query, to the byte: coordinates
// have one decimal and products are rounded before they are added. It imports
// nothing of package testing, so programs may use it too.
package picture

import (
	"fmt"
	"io"
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Kinds are what a picture can show.
var Kinds = []string{"hero", "boxes", "cells", "query", "curve", "occupancy"}

// Scene is what is drawn.
type Scene struct {
	Tree  *linear.Tree
	Title string   // the headline; "": that of the kind
	About string   // where the objects come from
	Slice *float64 // the z of the plane that cuts; nil: all is seen from above
	Width int      // in pixels, 640 or more
	Query *Query   // of the kinds hero and query
}

// box is a tight box of a node or a packet.
type box struct {
	soa.AABB
	depth  int
	packet bool
}

// Draw writes a picture of that kind. The error names an unknown kind, a width
// that is too small, an empty tree or a missing query; w's errors are returned.
func Draw(w io.Writer, kind string, s Scene) error {
	if s.Width < 640 {
		return fmt.Errorf("picture: a width of %d, want 640 or more", s.Width)
	}
	if s.Tree.Len() == 0 {
		return fmt.Errorf("picture: the tree is empty")
	}
	if (kind == "hero" || kind == "query") && s.Query == nil {
		return fmt.Errorf("picture: %s without a query", kind)
	}
	var text string
	switch kind {
	case "hero", "query":
		text = s.query(kind == "hero")
	case "boxes":
		text = s.boxes()
	case "cells":
		text = s.cells()
	case "curve":
		text = s.curve()
	case "occupancy":
		text = s.occupancy()
	default:
		return fmt.Errorf("picture: unknown kind %q, want one of %v", kind, Kinds)
	}
	_, err := io.WriteString(w, text)
	return err
}

// cut reports whether the picture shows a box.
func (s *Scene) cut(b soa.AABB) bool {
	return s.Slice == nil || float64(b.Min[2]) <= *s.Slice && *s.Slice <= float64(b.Max[2])
}

// objects returns the boxes that are seen, by whether hit tells so of their ID.
func (s *Scene) objects(hit func(id uint32) bool) (hits, misses []soa.AABB) {
	for id, o := range s.Tree.All() {
		switch {
		case !s.cut(o.Box):
		case hit(id):
			hits = append(hits, o.Box)
		default:
			misses = append(misses, o.Box)
		}
	}
	return hits, misses
}

// tight returns the tight boxes that are seen, of the root, of nodes and of
// packets, in the order of their keys.
func (s *Scene) tight() (list []box) {
	nodes := &s.Tree.View().Store().Nodes
	if len(nodes.Hot) == 0 {
		return nil
	}
	var below func(index uint32, depth int) soa.AABB
	below = func(index uint32, depth int) soa.AABB {
		n := &nodes.Hot[index]
		all := soa.Empty()
		for l := range nodes.Used[index] {
			var b soa.AABB
			for axis := range 3 {
				b.Min[axis], b.Max[axis] = n.Bounds[2*axis][l], n.Bounds[2*axis+1][l]
			}
			if b.Min[0] > b.Max[0] {
				continue // empty
			}
			all = all.Union(b)
			packet := n.Child[l].IsPacket()
			if s.cut(b) {
				list = append(list, box{b, depth + 1, packet})
			}
			if !packet {
				below(n.Child[l].Index(), depth+1)
			}
		}
		return all
	}
	if root := below(0, 0); s.cut(root) {
		list = append(list, box{AABB: root})
	}
	return list
}

// bounds returns the box of all objects, cut or not: slices of one scene have
// one scale.
func (s *Scene) bounds() soa.AABB {
	all := soa.Empty()
	for _, o := range s.Tree.All() {
		all = all.Union(o.Box)
	}
	return all
}

// plane is where the picture cuts volumes.
func (s *Scene) plane() float64 {
	if s.Slice != nil {
		return *s.Slice
	}
	b := s.bounds()
	return middle(&b)
}

// where says what is seen.
func (s *Scene) where() string {
	if s.Slice == nil {
		return "seen from above"
	}
	z := math.Round(*s.Slice*1000) / 1000
	return fmt.Sprintf("cut at z = %v", z)
}
