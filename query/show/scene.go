package show

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// Kind is a kind of picture of a tree. The zero value is Boxes.
type Kind uint8

// The kinds of pictures of a tree. Cells, Curve and Occupancy need the Tree of a [Scene], and
// Overview, Result and Walk its Trace.
const (
	Boxes     Kind = iota // the tight bounding boxes of nodes and packets by depth
	Cells                 // the cells of the octree by level
	Curve                 // the Morton curve through the cells
	Occupancy             // objects per packet and per depth: bars
	Overview              // the result of a query, and the tight bounding boxes by depth
	Result                // the result of a query
	Walk                  // the nodes and objects that a query rejects, enters, tests, returns and filters out
)

var kindNames = [...]string{"boxes", "cells", "curve", "occupancy", "overview", "result", "walk"}

// String returns the name of the kind in lower case, such as "boxes".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("unknown(%d)", uint8(k))
}

// MarshalText returns the text of String. A value that is none of the constants is an error.
func (k Kind) MarshalText() ([]byte, error) { return enum.Marshal("show", k) }

// UnmarshalText reads a text of MarshalText. Another text is an error, and the value is unchanged.
func (k *Kind) UnmarshalText(text []byte) error { return enum.Unmarshal("show", k, text) }

// The widths of pictures, in pixels.
const (
	MinWidth = 640
	MaxWidth = 10_000
)

// Scene is a picture of a tree and optionally a query, which needs a View and a Width; other fields
// that are zero select a default. It is drawn as a map of the region that [DensestRegion] returns.
// One goroutine at a time may use it.
type Scene struct {
	Kind  Kind         // kind of picture; 0: Boxes
	View  linear.View  // the objects
	Tree  *linear.Tree // tree of the view, for the kinds that need it
	Title string       // the headline; "": the default of the kind
	About string       // origin of the objects
	Slice *float64     // z of the cutting plane; nil: a view of everything from above
	Width int          // in pixels, MinWidth to MaxWidth
	Trace *Trace       // query of the same view, for the kinds that need it

	stop   func() bool // may be nil; reports whether the picture is cancelled
	window *soa.AABB   // region of the map, once computed
	extent *soa.AABB   // box of all objects, once computed
}

// box is a tight box of a node or a packet.
type box struct {
	soa.AABB
	depth  int
	packet bool
}

// SVG writes the picture. The error names an unknown kind, a width out of range, a tree without
// objects, or a missing trace or tree that the kind needs; w's errors are returned. It takes time
// proportional to the number of objects and packets. Objects of a colour are drawn one by one up
// to 20,000, or 5,000 if there are several colours. For more the picture shows the density, so
// that its size is bounded.
func (s Scene) SVG(w io.Writer) error {
	if err := s.check(); err != nil {
		return err
	}
	var text string
	switch s.Kind {
	case Overview, Result:
		text = s.query(s.Kind == Overview)
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
	case Overview, Result, Walk:
		if s.Trace == nil || s.Trace.border == nil {
			return fmt.Errorf("show: %s without the trace of a query", s.Kind)
		}
	case Cells, Curve, Occupancy:
		if s.Tree == nil {
			return fmt.Errorf("show: %s without a tree", s.Kind)
		}
	case Boxes:
	default:
		_, err := s.Kind.MarshalText()
		return err
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

// each returns an iterator over the objects of a view in the order of their slots. It ends early
// if stop, unless nil, returns true: the caller then drops the picture.
func each(v linear.View, stop func() bool) iter.Seq[object] {
	return func(yield func(object) bool) {
		for slot := range uint32(v.Slots()) {
			if slot%1024 == 0 && stop != nil && stop() {
				return
			}
			p := &v.Store().Packets // panics if the view is stale
			for lane, id := range p.IDs[slot][:p.Counts[slot]] {
				if !yield(object{id, slot, p.Box(slot, lane)}) {
					return
				}
			}
		}
	}
}

// byID returns the objects of a view by their IDs.
func byID(v linear.View) []object {
	return slices.SortedFunc(each(v, nil), func(a, b object) int { return cmp.Compare(a.id, b.id) })
}

// objects returns the visible boxes, in as many groups as class returns numbers from 0 on;
// objects of class -1 are in none.
func (s *Scene) objects(classes int, class func(o object) int) []group {
	groups, lists := make([]group, classes), make([][]object, classes)
	most := maxDrawn / classes
	of := make([]int8, 0, s.View.Len()) // by the order of each
	for o := range each(s.View, s.stop) {
		c := -1
		if s.cut(o.box) {
			c = class(o)
		}
		of = append(of, int8(c))
		if c < 0 {
			continue
		}
		if groups[c].n++; groups[c].n <= most {
			lists[c] = append(doubled(lists[c]), o)
		}
	}
	for c := range groups {
		g := &groups[c]
		if g.n > most {
			g.all = func(yield func(soa.AABB) bool) {
				i := 0
				for o := range each(s.View, s.stop) {
					if i < len(of) && int(of[i]) == c && !yield(o.box) {
						return
					}
					i++
				}
			}
			continue
		}
		slices.SortFunc(lists[c], func(a, b object) int { return cmp.Compare(a.id, b.id) })
		g.boxes = make([]soa.AABB, 0, g.n)
		for _, o := range lists[c] {
			g.boxes = append(g.boxes, o.box)
		}
	}
	return groups
}

// tight returns the visible tight boxes of the root, of nodes and of packets, in the order of
// their keys.
func (s *Scene) tight() (list []box) {
	nodes := &s.View.Store().Nodes
	if len(nodes.Hot) == 0 {
		return nil
	}
	lanes := 1
	for _, used := range nodes.Used {
		lanes += int(used)
	}
	list = make([]box, 0, lanes)
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

// bounds returns the box of all objects, cut or not, computed once.
func (s *Scene) bounds() soa.AABB {
	if s.extent == nil {
		s.extent = new(boundsOf(s.View))
	}
	return *s.extent
}

// boundsOf returns the box of all objects.
func boundsOf(v linear.View) soa.AABB {
	p := &v.Store().Packets
	all := soa.Empty()
	for slot, n := range p.Counts {
		b := &p.Bounds[slot]
		for a := range 3 {
			for lane := range n {
				all.Min[a], all.Max[a] = min(all.Min[a], b[2*a][lane]), max(all.Max[a], b[2*a+1][lane])
			}
		}
	}
	return all
}

// plane returns the height at which the picture cuts volumes.
func (s *Scene) plane() float64 {
	if s.Slice != nil {
		return *s.Slice
	}
	b := s.bounds()
	return middle(&b)
}

// where returns a description of the cut.
func (s *Scene) where() string {
	if s.Slice == nil {
		return "seen from above"
	}
	z := math.Round(*s.Slice*1000) / 1000
	return fmt.Sprintf("cut at z = %v", z)
}
