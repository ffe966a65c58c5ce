package occlude

import (
	"fmt"
)

// Mesh is a surface of opaque triangles: terrain, a building, a ship. Both sides of a triangle are
// opaque. It may be closed or open, of one part or many, and may pass through itself. Make one with [NewMesh] and
// draw it with [Culler.DrawMesh], as often as wanted and under any pose. It is never changed: any number
// of goroutines may use it. The zero Mesh is nothing.
type Mesh struct {
	points    [][3]float64 // no two are equal
	triangles [][3]int32   // both triangles of an edge go along it in opposite directions
	beside    [][3]int32   // the triangle on the other side of the edge from corner i on, or -1
	size      float64      // no point has larger coordinates, added up
	parts     []meshPart
	blocks    []int32 // of the points of each part
	counts    MeshCounts
}

// MeshCounts tell what a mesh is made of.
type MeshCounts struct {
	Corners   int // that are different, and used
	Triangles int // that are not flat
	Flat      int // triangles that were left out: their corners are on a line
	Borders   int // edges of a single triangle
	Forks     int // edges of more than two triangles, or of two that cannot be turned the same way round
}

// Counts tells what the mesh is made of. It is closed if it has neither Borders nor Forks.
func (m *Mesh) Counts() MeshCounts { return m.counts }

// MaxTriangles is the number of triangles of a [Mesh].
const MaxTriangles = 1 << 20

// NewMesh returns the mesh of triangles, each of which lists three of the corners, in any sense. Corners that are equal
// are one. Triangles whose corners are on a line, as far as float64 can tell, are left out, and counted.
// It is an error, which names the numbers, if there are more than [MaxTriangles], if a
// corner is not finite, used or not, or if a triangle has one that is not there.
//
// What ends at a border hides up to it: the fewer borders the better. At an edge of more than two triangles
// each of them ends. Neither is an error.
//
// It takes time and memory in proportion, but for sorting at corners of many triangles: some microseconds and 100 bytes a triangle.
// The arguments are not kept.
func NewMesh(corners [][3]float32, triangles [][3]int32) (*Mesh, error) {
	if len(triangles) > MaxTriangles {
		return nil, fmt.Errorf("occlude: a mesh of %d triangles, at most %d are possible", len(triangles), MaxTriangles)
	}
	for i, p := range corners {
		if s := float64(p[0]-p[0]) + float64(p[1]-p[1]) + float64(p[2]-p[2]); s != 0 {
			return nil, fmt.Errorf("occlude: corner %d of a mesh, %v, is not finite", i, p)
		}
	}
	for i, t := range triangles {
		for _, k := range t {
			if uint64(uint32(k)) >= uint64(len(corners)) {
				return nil, fmt.Errorf("occlude: triangle %d of a mesh of %d corners, %v, has one that is not there", i, len(corners), t)
			}
		}
	}
	m := &Mesh{}
	m.weld(corners, triangles)
	m.join()
	m.part()
	m.counts.Corners, m.counts.Triangles = len(m.points), len(m.triangles)
	return m, nil
}

// weld numbers the different corners in the order of their use, and keeps the triangles that are not flat.
func (m *Mesh) weld(corners [][3]float32, triangles [][3]int32) {
	byPlace := make(map[[3]float32]int32)
	number := make([]int32, len(corners)) // 1 more
	for _, t := range triangles {
		var p [3][3]float64
		for i, k := range t {
			for a := range 3 {
				p[i][a] = float64(corners[k][a])
			}
		}
		n := cross(minus(p[1], p[0]), minus(p[2], p[0]))
		if n == [3]float64{} {
			m.counts.Flat++
			continue
		}
		for i, k := range t {
			if number[k] == 0 {
				at := corners[k] // as a key, -0 is 0
				n, ok := byPlace[at]
				if !ok {
					n = int32(len(m.points))
					byPlace[at] = n
					m.points = append(m.points, p[i])
					m.size = max(m.size, sum(p[i]))
				}
				number[k] = n + 1
			}
			t[i] = number[k] - 1
		}
		m.triangles = append(m.triangles, t)
	}
}
