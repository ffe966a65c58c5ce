package points

import "fmt"

// faces are those of a mesh.
type faces struct {
	corners []uint32 // the vertices of face 0, of face 1, ...
	ends    []uint64 // face i ends before corners[ends[i]]
	open    uint64   // corners of the face under way
	small   int      // faces of fewer than three vertices, left out

	uncornered bool // faces are counted, not kept
	left       int  // faces counted
}

// corner adds a vertex to the face under way.
func (f *faces) corner(vertex uint32) {
	f.open++
	if !f.uncornered {
		f.corners = append(f.corners, vertex)
	}
}

// close ends the face under way.
func (f *faces) close() {
	n := f.open
	f.open = 0
	switch {
	case n < 3:
		f.small++
		if !f.uncornered {
			f.corners = f.corners[:uint64(len(f.corners))-n]
		}
	case f.uncornered:
		f.left++
	default:
		f.ends = append(f.ends, uint64(len(f.corners)))
	}
}

// setFaces takes the faces of a file, whose corners are all in range.
func (c *Cloud) setFaces(f *faces) {
	if f.small > 0 {
		c.Skipped = append(c.Skipped, fmt.Sprintf("%d faces of fewer than 3 vertices", f.small))
	}
	if f.left > 0 {
		c.Skipped = append(c.Skipped, fmt.Sprintf("%d faces", f.left))
	}
	c.faces = *f
}
