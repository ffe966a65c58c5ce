package show

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// The kinds of pictures of a tree. Cells, Curve and Occupancy need a Tree, Hero, Answer and
// Walk a Query.
const (
	Hero      = "hero"      // the answer of a query, and the tight boxes by depth
	Boxes     = "boxes"     // the tight boxes of nodes and packets by depth
	Cells     = "cells"     // the cells of the octree by level
	Answer    = "query"     // the answer of a query
	Walk      = "walk"      // what a query rejects, enters, tests, answers, and culls afterwards
	Curve     = "curve"     // the Morton curve through the cells
	Occupancy = "occupancy" // objects a packet and a depth: bars
)

// Kinds are what a picture of a tree can show.
var Kinds = []string{Hero, Boxes, Cells, Answer, Walk, Curve, Occupancy}

// The widths of pictures, in pixels.
const (
	MinWidth = 640
	MaxWidth = 10_000
)

// Scene is a tree and perhaps a query, to be drawn as a map of what [Crowd] returns. It is for one
// goroutine.
type Scene struct {
	Kind  string       // one of [Kinds]
	View  linear.View  // the objects
	Tree  *linear.Tree // the tree of the view, of the kinds that need it
	Title string       // the headline; "": that of the kind
	About string       // where the objects come from
	Slice *float64     // the z of the plane that cuts; nil: all is seen from above
	Width int          // in pixels, MinWidth to MaxWidth
	Query *Query       // of the kinds that need it, asked of the same view
}

// box is a tight box of a node or a packet.
type box struct {
	soa.AABB
	depth  int
	packet bool
}

// SVG writes the picture. The error names a kind that is unknown, a width out of range, a tree
// without objects, and a query or a tree that the kind needs and lacks; w's errors are returned.
// It takes time and memory in proportion to the objects and packets: every object that is seen
// is drawn, so the picture of a million is large.
func (s Scene) SVG(w io.Writer) error {
	if err := s.check(); err != nil {
		return err
	}
	var text string
	switch s.Kind {
	case Hero, Answer:
		text = s.query(s.Kind == Hero)
	case Walk:
		text = s.walk()
	case Boxes:
		text = s.boxes()
	case Cells:
		text = s.cells()
	case Curve:
		text = s.curve()
	case Occupancy:
		text = s.occupancy()
	}
	_, err := io.WriteString(w, text)
	return err
}

func (s *Scene) check() error {
	if err := checkWidth(s.Width); err != nil {
		return err
	}
	if s.View.Len() == 0 {
		return fmt.Errorf("show: the tree is empty")
	}
	switch s.Kind {
	case Hero, Answer, Walk:
		if s.Query == nil {
			return fmt.Errorf("show: %s without a query", s.Kind)
		}
	case Cells, Curve, Occupancy:
		if s.Tree == nil {
			return fmt.Errorf("show: %s without a tree", s.Kind)
		}
	case Boxes:
	default:
		return fmt.Errorf("show: unknown kind %q, want one of %v", s.Kind, Kinds)
	}
	return nil
}

func checkWidth(width int) error {
	if width < MinWidth || width > MaxWidth {
		return fmt.Errorf("show: a width of %d, want %d to %d", width, MinWidth, MaxWidth)
	}
	return nil
}

// cut reports whether the picture shows a box.
func (s *Scene) cut(b soa.AABB) bool {
	return s.Slice == nil || float64(b.Min[2]) <= *s.Slice && *s.Slice <= float64(b.Max[2])
}

// object is an object of a view.
type object struct {
	id   uint32
	slot uint32
	box  soa.AABB
}

// byID returns the objects of a view by their IDs.
func byID(v linear.View) (list []object) {
	for slot := range uint32(v.Slots()) {
		for lane, id := range v.IDs(slot) {
			list = append(list, object{id, slot, v.Box(slot, lane)})
		}
	}
	slices.SortFunc(list, func(a, b object) int { return cmp.Compare(a.id, b.id) })
	return list
}

// objects returns the boxes that are seen, by whether hit tells so of their ID.
func (s *Scene) objects(hit func(id uint32) bool) (hits, misses []soa.AABB) {
	for _, o := range byID(s.View) {
		switch {
		case !s.cut(o.box):
		case hit(o.id):
			hits = append(hits, o.box)
		default:
			misses = append(misses, o.box)
		}
	}
	return hits, misses
}

// tight returns the tight boxes that are seen, of the root, of nodes and of
// packets, in the order of their keys.
func (s *Scene) tight() (list []box) {
	nodes := &s.View.Store().Nodes
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

// bounds returns the box of all objects, cut or not.
func (s *Scene) bounds() soa.AABB { return boundsOf(s.View) }

func boundsOf(v linear.View) soa.AABB {
	all := soa.Empty()
	for slot := range uint32(v.Slots()) {
		for lane := range v.IDs(slot) {
			all = all.Union(v.Box(slot, lane))
		}
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
