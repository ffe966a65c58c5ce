package points

import (
	"fmt"
	"slices"
)

// faces are the faces of a mesh.
type faces struct {
	corners []uint32 // vertices of face 0, of face 1, ...
	ends    []uint64 // face i ends before corners[ends[i]]
	open    uint64   // corners of the current face
	most    uint64   // limit of the number of corners
	small   int      // faces of fewer than three vertices, left out

	uncornered bool // faces are counted, not kept
	left       int  // faces counted
}

// corner adds a vertex to the current face.
func (f *faces) corner(vertex uint32) error {
	f.open++
	if f.uncornered {
		return nil
	}
	if uint64(len(f.corners)) == f.most {
		return fmt.Errorf("more than %d corners of faces, %d times Options.MaxPoints: raise that, or set NoFaces", f.most, cornersPerPoint)
	}
	f.corners = append(f.corners, vertex)
	return nil
}

// close completes the current face.
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

// renumber maps vertex indices from the file to the points that are kept, and drops faces with another point. kept
// has the indices of the kept points in the file, in ascending order. It returns the number of dropped faces. It
// allocates nothing: a small file may have very many points that are left out.
func (f *faces) renumber(kept []uint32) (dropped int) {
	corners, ends, start := f.corners[:0], f.ends[:0], uint64(0)
	for _, end := range f.ends {
		first := len(corners)
		for _, v := range f.corners[start:end] { // behind the last one written
			i, ok := slices.BinarySearch(kept, v)
			if !ok {
				corners = corners[:first]
				dropped++
				break
			}
			corners = append(corners, uint32(i))
		}
		if len(corners) > first {
			ends = append(ends, uint64(len(corners)))
		}
		start = end
	}
	f.corners, f.ends = corners, ends
	return dropped
}
