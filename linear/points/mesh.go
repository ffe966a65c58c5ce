package points

import (
	"fmt"
	"math"
)

// faces are those of a mesh.
type faces struct {
	corners []uint32 // the vertices of face 0, of face 1, ...
	ends    []uint64 // face i ends before corners[ends[i]]
	open    uint64   // corners of the face under way
	most    uint64   // bounds the corners
	small   int      // faces of fewer than three vertices, left out

	uncornered bool // faces are counted, not kept
	left       int  // faces counted
}

// corner adds a vertex to the face under way.
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

// renumber replaces indices in the file by those among the points that are kept, and drops faces that have
// another point. It returns how many it drops. The file has all points; kept are the indices of those that are.
func (f *faces) renumber(kept []uint32, all uint64) (dropped int) {
	const gone = math.MaxUint32
	now := make([]uint32, all)
	for i := range now {
		now[i] = gone
	}
	for i, k := range kept {
		now[k] = uint32(i)
	}
	corners, ends, start := f.corners[:0], f.ends[:0], uint64(0)
	for _, end := range f.ends {
		whole := true
		for _, v := range f.corners[start:end] {
			whole = whole && now[v] != gone
		}
		if whole {
			for _, v := range f.corners[start:end] {
				corners = append(corners, now[v])
			}
			ends = append(ends, uint64(len(corners)))
		} else {
			dropped++
		}
		start = end
	}
	f.corners, f.ends = corners, ends
	return dropped
}
