package input

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// Mesh is the vertices of a file and the faces between them.
type Mesh struct {
	Vertices [][3]float32

	corners []uint32 // the vertices of face 0, of face 1, ...
	ends    []uint64 // face i ends before corners[ends[i]]
	open    uint64   // corners of the face under way
	small   int      // faces of fewer than three vertices, left out

	uncornered bool // faces are counted, not kept
	left       int  // faces counted
}

// Faces returns the number of faces.
func (m *Mesh) Faces() int { return len(m.ends) }

// Face returns the vertices of face i, three or more. The slice is the mesh's
// own.
func (m *Mesh) Face(i int) []uint32 {
	start := uint64(0)
	if i > 0 {
		start = m.ends[i-1]
	}
	return slices.Clip(m.corners[start:m.ends[i]])
}

// corner adds a vertex to the face under way.
func (m *Mesh) corner(vertex uint32) {
	m.open++
	if !m.uncornered {
		m.corners = append(m.corners, vertex)
	}
}

// closeFace ends the face under way.
func (m *Mesh) closeFace() {
	n := m.open
	m.open = 0
	switch {
	case n < 3:
		m.small++
		if !m.uncornered {
			m.corners = m.corners[:uint64(len(m.corners))-n]
		}
	case m.uncornered:
		m.left++
	default:
		m.ends = append(m.ends, uint64(len(m.corners)))
	}
}

// objects fills d from a mesh whose corners are all in range.
func (m *Mesh) objects(d *Data, opt *Options) {
	if m.small > 0 {
		d.Skipped = append(d.Skipped, fmt.Sprintf("%d faces of fewer than 3 vertices", m.small))
	}
	if opt.Points || m.Faces() == 0 {
		if m.left > 0 {
			d.Skipped = append(d.Skipped, fmt.Sprintf("%d faces", m.left))
		}
		d.Kind = Points
		d.Objects = make([]soa.Object, 0, len(m.Vertices))
		for _, v := range m.Vertices {
			d.add(soa.AABB{Min: v, Max: v})
		}
		return
	}
	d.Kind, d.Mesh = Triangles, m
	d.Objects = make([]soa.Object, 0, m.Faces())
	for i := range m.Faces() {
		box := soa.Empty()
		for _, c := range m.Face(i) {
			v := m.Vertices[c]
			box = box.Union(soa.AABB{Min: v, Max: v})
		}
		d.add(box)
	}
}
